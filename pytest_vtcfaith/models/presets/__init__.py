"""Presets: how a known system is asked, what its pictures cost, and what it writes around the text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

SUITE_PROMPT = "suite"
"""The value of option `prompt` that asks what the suite asks, where the preset would ask something of its own."""


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of a system.

    - `source`: where the facts come from.
    - `visual_tokens`: its visual-token family (definitions §3).
    - `prompt`: what it is asked whatever the suite asks; empty for the picture alone; None for the suite's prompt.
    - `system`: the system message, None for none.
    - `literal`: the whole input with `{prompt}` in it, for a checkpoint without a chat template.
    - `markup`: names of `markup.RULES`, applied in this order.
    - `special_tokens`: whether its special tokens are needed to find the markup, so that they are decoded too.
    - `thinking`: whether its chat template can switch reasoning on (`enable_thinking`).
    - `two_step`: whether a page is read in two steps, layout then blocks (MinerU).
    - `counted`: whether the image tokens of its input are those that its family counts.
    - `engine`: vLLM's settings in the paper.
    """

    name: str
    source: str
    visual_tokens: str = "nominal"
    prompt: str | None = None
    system: str | None = None
    literal: str | None = None
    markup: tuple[str, ...] = ("fence",)
    special_tokens: bool = False
    thinking: bool = False
    two_step: bool = False
    counted: bool = True
    engine: Mapping[str, Any] = field(default_factory=dict)


GENERAL = Preset("none", "no preset: the suite's prompt, the checkpoint's chat template")


def choose_preset(chosen: str | None, identifier: str, model_type: str | None, name: str) -> Preset:
    """The preset for a model: the one named, else the first row of `table.MATCHES` found in the identifier's last part,
    else the one of the configuration's `model_type`, else `GENERAL` (also by the name `none`).

    Raises ValueError, naming the model and the known presets, for an unknown name.
    """
    from pytest_vtcfaith.models.presets.table import MATCHES, MODEL_TYPES, PRESETS

    if chosen is not None:
        if chosen == GENERAL.name:
            return GENERAL
        if not isinstance(chosen, str) or chosen not in PRESETS:
            known = difflib.get_close_matches(str(chosen), PRESETS, n=len(PRESETS), cutoff=0.0)
            raise ValueError(
                f"model {name!r}: unknown preset {chosen!r}; known, nearest first: {', '.join(known)}, none"
            )
        return PRESETS[chosen]
    last = re.split(r"[/\\]", identifier.rstrip("/\\"))[-1].lower()
    for pattern, preset in MATCHES:
        if re.search(pattern, last):
            return PRESETS[preset]
    return PRESETS[MODEL_TYPES[model_type]] if model_type in MODEL_TYPES else GENERAL
