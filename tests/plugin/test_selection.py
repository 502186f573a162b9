"""Which cases and tiers the options choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_vtcfaith.plugin.options import Options
from pytest_vtcfaith.plugin.selection import Selection, select
from pytest_vtcfaith.suites.case import Case

LENGTHS = {"200-400": 2, "600-800": 3}


def made(layout: str, ratio: str, source: str, *, lang: str = "en", on_request: bool = False) -> list[Case]:
    tier = f"preservation/{layout}/{ratio}/{source}"
    return [
        Case(
            id=f"{bucket}-{n}-{source}-{layout}-{ratio}",
            suite="preservation",
            tier=tier,
            document=f"{bucket}-{n}",
            lang=lang,
            reference="pier seven",
            file=Path("a.jsonl"),
            line=2,
            params={"layout": layout},
            parts=(f"{tier}/{bucket}",),
            on_request=on_request,
        )
        for bucket, count in LENGTHS.items()
        for n in range(count)
    ]


PRESERVATION = [
    *made("glyph", "5x", "zerosense"),
    *made("glyph", "10x", "zerosense"),
    *made("glyph", "10x", "natural"),
    *made("glyph", "10x", "zerosense-ko", lang="ko"),
    *made("glyph", "7.5x", "zerosense", on_request=True),
    *made("fox", "5x", "zerosense", on_request=True),
    *made("fox", "10x", "zerosense", on_request=True),
]
REWRITING = [
    Case(f"d{n}-{c}", "rewriting", f"rewriting/en/{c}", f"d{n}", "en", "pier seven", Path("b.jsonl"), n + 2)
    for n in range(3)
    for c in ("original", "visual")
]
EVERYTHING = {"preservation": PRESERVATION, "rewriting": REWRITING}


def chosen(**options: object) -> Selection:
    return select(Options(**options), EVERYTHING)  # type: ignore[arg-type]


def counts(selection: Selection) -> dict[str, int]:
    found: dict[str, int] = {}
    for cases in selection.chosen.values():
        for case in cases:
            found[case.tier.partition("/")[2]] = found.get(case.tier.partition("/")[2], 0) + 1
    return found


DEFAULT = {"glyph/5x/zerosense": 5, "glyph/10x/zerosense": 5, "glyph/10x/natural": 5, "glyph/10x/zerosense-ko": 5}
FOX = {"fox/5x/zerosense": 5, "fox/10x/zerosense": 5}
ASKED = {"glyph/7.5x/zerosense": 5}
OWN = {"en/original": 3, "en/visual": 3}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, DEFAULT | OWN),
        ({"suites": ("preservation",)}, DEFAULT),
        ({"langs": ("ko",)}, {"glyph/10x/zerosense-ko": 5}),
        ({"tiers": ("preservation/fox/*",)}, FOX),
        ({"tiers": ("preservation/*",)}, DEFAULT | FOX | ASKED),
        ({"renderers": ("fox",)}, FOX),
        ({"renderers": ("glyph",)}, DEFAULT | ASKED),
        ({"renderers": ("fox",), "tiers": ("preservation/*/5x/*",)}, {"fox/5x/zerosense": 5}),
        ({"tiers": ("rewriting/*",)}, OWN),
        ({"tiers": ("preservation/glyph/*/zerosense/200-400",)}, {t: 2 for t in (*DEFAULT, *ASKED) if t[-1] == "e"}),
        ({"tiers": ("preservation/*/*/zerosense/600-800",)}, {t: 3 for t in (*DEFAULT, *ASKED, *FOX) if t[-1] == "e"}),
        ({"limit": 1}, dict.fromkeys((*DEFAULT, *OWN), 1)),
        ({"limit": 4}, dict.fromkeys(DEFAULT, 4) | OWN),
    ],
)
def test_cases(options: dict[str, object], expected: dict[str, int]) -> None:
    assert counts(chosen(**options)) == expected


def test_a_whole_tier_has_its_parts_and_a_chosen_part_has_no_whole() -> None:
    both = chosen(tiers=("preservation/glyph/10x/zerosense", "preservation/glyph/5x/zerosense/600-800"))
    assert both.tiers["preservation"] == [
        "preservation/glyph/5x/zerosense/600-800",
        "preservation/glyph/10x/zerosense",
        "preservation/glyph/10x/zerosense/200-400",
        "preservation/glyph/10x/zerosense/600-800",
    ]
    assert both.is_whole("preservation/glyph/10x/zerosense")
    assert not both.is_whole("preservation/glyph/5x/zerosense")
    assert len(both.by_tier["preservation/glyph/10x/zerosense/600-800"]) == 3
    assert len(both.by_tier["preservation/glyph/10x/zerosense"]) == 5


def test_tiers_are_in_the_order_of_their_numbers() -> None:
    tiers = [t for t in chosen().tiers["preservation"] if t.count("/") == 3]
    assert tiers == [
        f"preservation/glyph/{t}" for t in ("5x/zerosense", "10x/natural", "10x/zerosense", "10x/zerosense-ko")
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "15 cases in 3 tiers run on request only: --vtc-tier='preservation/fox/*'"),
        ({"langs": ("en",)}, "15 cases in 3 tiers run on request only: --vtc-tier='preservation/fox/*'"),
        ({"langs": ("ko",)}, ""),
        ({"suites": ("rewriting",)}, ""),
        ({"tiers": ("preservation/glyph/10x/*",)}, ""),
        ({"renderers": ("glyph",)}, ""),
    ],
)
def test_what_waits_is_said(options: dict[str, object], said: str) -> None:
    assert chosen(**options).invitation == said


def test_the_invitation_names_one_tier_where_others_of_the_layout_run_anyway() -> None:
    found = select(Options(), {"preservation": [c for c in PRESERVATION if c.params["layout"] == "glyph"]})
    assert found.invitation == "5 cases in 1 tiers run on request only: --vtc-tier='preservation/glyph/7.5x/zerosense'"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tiers": ("preservation/glyph/10x/zerosens",)}, "did you mean 'preservation/glyph/10x/zerosense'"),
        (
            {"tiers": ("preservation/glyph/10x/zerosense/200-300",)},
            "did you mean 'preservation/glyph/10x/zerosense/200-400'",
        ),
        ({"tiers": ("preservation/glyph/10x/zerosense/*/*",)}, "did you mean 'preservation/"),
        ({"tiers": ("preservation/fox/*/*/1000",)}, "known: preservation/fox/"),
        ({"suites": ("rewritng",)}, "did you mean 'rewriting'"),
        ({"langs": ("eng",)}, "did you mean 'en'"),
        ({"renderers": ("foxx",)}, "did you mean 'fox'"),
    ],
)
def test_what_does_not_exist(options: dict[str, object], said: str) -> None:
    with pytest.raises(pytest.UsageError, match=said.replace("*", r"\*")):
        chosen(**options)


def test_only_suites_whose_task_a_model_does() -> None:
    everything = {"preservation": PRESERVATION, "rewriting": REWRITING, "editing": []}
    assert select(Options(), everything, frozenset({"transcribe"})).suites == ("preservation", "rewriting")
    assert select(Options(), everything, frozenset({"transcribe", "edit"})).suites == tuple(everything)
    assert select(Options(), everything).suites == tuple(everything)
    with pytest.raises(pytest.UsageError, match=r"no suite asks its models to draw, .*: choose .* one of preservation"):
        select(Options(), everything, frozenset({"draw"}))
    with pytest.raises(
        pytest.UsageError, match=r"--vtc-suite 'rewriting' .* none of the chosen ones does \(they edit\)"
    ):
        select(Options(suites=("rewriting",)), everything, frozenset({"edit"}))
