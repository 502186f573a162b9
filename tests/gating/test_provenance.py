"""What changed around a model since its baseline."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_vtcfaith.gating.provenance import changes, describe_changes

BEFORE: dict[str, Any] = {
    "revision": "1",
    "adapter": "vllm",
    "preset": None,
    "batch_size": 16,
    "devices": ["cuda:0"],
    "versions": {"vllm": "0.11", "pillow": "11.0", "pytest-vtcfaith": "0.1"},
    "manifests": {"rewriting-en.jsonl": "aa", "old.jsonl": "bb"},
}


def test_nothing_changed() -> None:
    assert changes(BEFORE, dict(BEFORE)) == []
    assert describe_changes(BEFORE, dict(BEFORE)) == ""


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ({"revision": "2"}, "revision 1 → 2"),
        ({"adapter": "openai"}, "adapter vllm → openai"),
        ({"batch_size": 8}, "batch size 16 → 8"),
        ({"devices": ["cuda:0", "cuda:1"]}, "devices cuda:0 → cuda:0, cuda:1"),
        ({"versions": {"vllm": "0.12"}}, "vllm 0.11 → 0.12"),
        ({"versions": {"pillow": "11.1"}}, "pillow 11.0 → 11.1 (it draws the pages)"),
        ({"manifests": {"rewriting-en.jsonl": "cc"}}, "manifest rewriting-en.jsonl (in cases of other tiers)"),
        ({"revision": "sha256:" + "0" * 64}, "revision 1 → sha256:0000000000000…"),
    ],
)
def test_one_thing_changed(now: dict[str, Any], said: str) -> None:
    assert changes(BEFORE, {**BEFORE, **now}) == [said]
    assert describe_changes(BEFORE, {**BEFORE, **now}) == f"changed since the baseline: {said}"


@pytest.mark.parametrize("lacking", [{}, {"devices": [], "batch_size": None}, {"versions": 3}, {"revision": ""}])
def test_what_is_not_told_is_not_compared(lacking: dict[str, Any]) -> None:
    now = {**BEFORE, **lacking} if lacking else {}
    assert changes(BEFORE, now) == changes(now, BEFORE) == []
