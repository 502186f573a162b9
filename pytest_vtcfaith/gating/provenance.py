"""What has changed around a model since its baseline was accepted: it explains a loss, and never excuses one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RENDERER = (
    "pillow",
    "fonttools",
    "fontpkg-noto-serif",
    "fontpkg-noto-sans",
    "pylopdf-fonts-zh-cn",
    "pylopdf-fonts-ko",
)
"""The packages that pages are drawn with: another version of one may draw other pixels."""
_SHORT = 20


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Every difference of two provenances (fields of a baseline's `provenance`), one text each.

    What one of the two does not tell is not compared: replies from the store come from no device.
    """
    found = [
        f"{name.replace('_', ' ')} {_shown(before[name])} → {_shown(now[name])}"
        for name in ("revision", "adapter", "preset", "batch_size", "devices")
        if before.get(name) and now.get(name) and before[name] != now[name]
    ]
    return [*found, *_versions(before, now), *_manifests(before, now)]


def describe_changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The differences in one sentence, "" without any."""
    found = changes(before, now)
    return f"changed since the baseline: {', '.join(found)}" if found else ""


def _versions(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    old, new = before.get("versions"), now.get("versions")
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            what = " (it draws the pages)" if name in RENDERER else ""
            yield f"{name} {old[name]} → {new[name]}{what}"


def _manifests(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    old, new = before.get("manifests"), now.get("manifests")
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in sorted(old.keys() & new.keys()):
            if old[name] != new[name]:
                yield f"manifest {name} (in cases of other tiers)"


def _shown(value: Any) -> str:
    text = ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
