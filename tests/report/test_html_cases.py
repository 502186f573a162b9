"""The order of the cases, and what a case shows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from PIL import Image

from pytest_vtcfaith.pages.page import Page
from pytest_vtcfaith.report.html import write_html
from pytest_vtcfaith.report.html.case_list import ask_of, listed
from pytest_vtcfaith.report.html.pictures import (
    BUDGET,
    LARGE,
    THUMBNAILS,
    THUMBNAILS_OF_LARGE,
    WRONG_WORDS,
    Gallery,
    is_inside,
)
from pytest_vtcfaith.report.results import begin
from pytest_vtcfaith.report.small import CASE

REWRITTEN = PRINTED.replace("hafbcur", "harbour")
CLOSE = PRINTED.replace("hafbcur", "hafbeur")


def named(name: str, text: str | None, outcome: str = "complete", **row: Any) -> Any:
    return answer(case(name, document=name), text, outcome, **row)


def data(folder: Path, name: str) -> Any:
    """What a data file hands to the page, the last of them."""
    text = (folder / "vtc-html" / "data" / f"{name}.js").read_text(encoding="utf-8")
    calls = [json.loads(f"[{line[len('vtc.take(') : -2]}]") for line in text.split("\n") if line]
    return dict(calls)


def test_failures_first_then_what_was_not_measured_then_red_tiers(tmp_path: Path) -> None:
    answers = [
        named("a-inapplicable", None, "inapplicable"),
        named("b-good", PRINTED),
        named("c-empty", "", "empty"),
        named("d-rewritten", REWRITTEN),
        named("e-failed", CLOSE),
        named("f-down", None, "infrastructure_error", reason="no route"),
        named("g-worse", REWRITTEN.replace("sewen", "seven")),
    ]
    tests = [failure("x.py::test_case[m-e-failed]"), failure("x.py::test_gate[m-en-visual-rewrite_rate]")]
    red = view(verdict("fail", tier=TIER), failures=tests)
    found = [(c.answer.case.id, c.state) for c in listed(html_run(answers, tmp_path, view=red))]
    assert found == [
        ("e-failed", "failed"),
        ("f-down", "not measured"),
        ("c-empty", "in a red tier"),
        ("g-worse", "in a red tier"),
        ("d-rewritten", "in a red tier"),
        ("b-good", "passed"),
        ("a-inapplicable", "inapplicable"),
    ]
    green = [(c.answer.case.id, c.state) for c in listed(html_run(answers, tmp_path))]
    assert ("c-empty", "expected failure") in green
    assert ("d-rewritten", "passed") in green


def test_failed_tests_are_named_worst_first_those_of_no_case_before_them(tmp_path: Path) -> None:
    better, worse = "x.py::test_case[m-better]", "x.py::test_case[m-worse]"
    answers = [named("better", CLOSE), named("worse", REWRITTEN.replace("sewen", "seven"))]
    shown = view(failures=[failure(better), failure(worse), failure("x.py::test_mine")])
    write_html(tmp_path, html_run(answers, tmp_path, view=shown))
    named_tests = [row["test"] for row in data(tmp_path, "overview")["overview"]["failures"]]
    assert named_tests == ["x.py::test_mine", worse, better]


def test_the_metric_shown_is_that_of_the_gate_that_did_not_pass(tmp_path: Path) -> None:
    answers = [named("a", CLOSE)]
    (green,) = listed(html_run(answers, tmp_path))
    assert (green.metric, green.value) == ("rewrite_rate", 0.0)
    red = view(verdict("fail", tier=TIER, metric="verbatim_rate"))
    (shown,) = listed(html_run(answers, tmp_path, view=red))
    assert (shown.metric, shown.value, shown.loss) == ("verbatim_rate", 0.5, 0.5)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("x.py::test_case[m-d1]", "m-d1"),
        ("x.py::test_case[fast-m-d1-2]", "m-d1"),
        ("x.py::test_case[m-d1-visual]", "m-d1-visual"),
        ("x.py::test_case", None),
        ("x.py::test_gate[m-en-visual-rewrite_rate]", None),
    ],
)
def test_which_case_a_failed_test_is(test: str, expected: str | None) -> None:
    assert ask_of(failure(test), {"m-d1", "m-d1-visual"}) == expected


def test_a_case_shows_words_boxes_facts_and_a_picture(tmp_path: Path) -> None:
    usage = {"completion_tokens": 12}
    bad = named("a", REWRITTEN, usage=usage, finish_reason="stop")
    shown = view(verdict("fail", tier=TIER), failures=[failure("x.py::test_case[m-a]", message="too bad")])
    write_html(tmp_path, html_run([bad, named("b", PRINTED)], tmp_path, view=shown))
    details = data(tmp_path, "detail-0")
    one = details["detail m-a"]
    assert [span for span in one["spans"] if span[0]] == [[1, "hafbcur", "harbour", "harbour"]]
    assert one["message"] == "too bad"
    assert one["counts"] == {"rewritten": [1, 1]}
    assert "the 2 perturbed words only" in one["note"]
    assert one["said"] == "1 of 2 perturbed words not kept; of all words of the page: 1 rewritten"
    assert ["completion tokens", 12] in one["facts"]
    assert ["seconds", 0.5] in one["facts"]
    ((path, label, page),) = one["pictures"]
    assert (label, page) == ("page", 0)
    ((number, span, left, top, right, bottom),) = one["marks"]
    assert (number, one["spans"][span][1]) == (0, "hafbcur")
    with Image.open(tmp_path / path) as picture:
        assert picture.size == tuple(one["pages"][0])
        crop = picture.convert("L").crop((left, top, right, bottom))
        assert min(crop.tobytes()) < 100  # ink
    good = details["detail m-b"]
    assert (good["perfect"], good["text"]) == (True, PRINTED)
    assert good["pictures"] == [["vtc-html/pages/m-b-thumbnail.png", "page, reduced", None]]
    with Image.open(tmp_path / good["pictures"][0][0]) as reduced:
        assert reduced.width == 240
    (rows,) = (data(tmp_path, "cases-0")["cases-0"],)
    assert [row[0] for row in rows] == ["m-a", "m-b"]
    assert rows[0][-1] == [[1, "hafbcur", "harbour"]]
    (gate,) = data(tmp_path, "overview")["overview"]["gates"]
    assert gate["worst"] == [["m-a", [[1, "hafbcur", "harbour"]], "en", "too bad"]]


def test_a_card_has_what_is_said_of_a_case_whose_test_passed_too_and_not_more_than_fits(tmp_path: Path) -> None:
    answers = [named("a", REWRITTEN), named("b", CLOSE)]
    shown = view(verdict("fail", tier=TIER), failures=[failure("x.py::test_case[m-b]", message="long " * 99)])
    write_html(tmp_path, html_run(answers, tmp_path, view=shown))
    (gate,) = data(tmp_path, "overview")["overview"]["gates"]
    said = {ask: sentence for ask, _, _, sentence in gate["worst"]}
    assert said["m-a"] == "1 of 2 perturbed words not kept; of all words of the page: 1 rewritten"
    assert said["m-b"] == "long " * 31 + "long …"


def test_pictures_of_the_run_are_shown_where_they_lie_or_copied(tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    for name in (
        "pages/m-a.png",
        "pages/m-a-difference.png",
        "pages/m-a-word.png",
        "pages/m-a2.png",
        "pictures/m-a.png",
    ):
        (run / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (3000, 30), "white").save(run / name)
    one = named("a", REWRITTEN, picture="pictures/m-a.png")
    shown = view(failures=[failure("x.py::test_case[m-a]")])
    for folder in (run, out):
        write_html(folder, html_run([one], run, view=shown))
        pictures = data(folder, "detail-0")["detail m-a"]["pictures"]
        assert [p[0] for p in pictures] == [
            "pages/m-a.png",
            "pages/m-a-difference.png",
            "vtc-html/pages/m-a-drawn.png",
        ]
        assert [p[2] for p in pictures] == [0, None, None]
        assert all((folder / p[0]).is_file() for p in pictures)


def test_what_the_model_drew_is_shown_once(tmp_path: Path) -> None:
    for name in ("pages/m-a-drawn.png", "pictures/m-a.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (3000, 30), "white").save(tmp_path / name)
    one = named("a", REWRITTEN, picture="pictures/m-a.png")
    write_html(tmp_path, html_run([one], tmp_path, view=view(failures=[failure("x.py::test_case[m-a]")])))
    found = data(tmp_path, "detail-0")["detail m-a"]["pictures"]
    assert [p[:2] for p in found if p[2] is None and "wrong" not in p[1]] == [
        ["pages/m-a-drawn.png", "what the model drew"]
    ]


@pytest.mark.parametrize(
    "path", ["../secret.png", "/etc/passwd", "http://x/y.png", "pictures/../../x", "a\\b", "", "pictures/<x>.png"]
)
def test_a_path_that_leads_out_is_not_shown(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"x")
    folder = tmp_path / "report"
    (folder / "pictures").mkdir(parents=True)
    assert not is_inside(folder, path)
    one = named("a", REWRITTEN, picture=path)
    write_html(folder, html_run([one], folder, view=view(failures=[failure("x.py::test_case[m-a]")])))
    assert path not in [p[0] for p in data(folder, "detail-0")["detail m-a"]["pictures"]] or not path


def test_pages_are_drawn_until_the_budget_is_spent(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path, tmp_path, {})
    image = Image.new("RGB", (60, 40), "white")
    page = Page("a", 60, 40, (0,), "glyph", "x", lambda: image, lambda: ((), ()))
    assert [p.page for p in gallery.pages(named("a", PRINTED), [page, page], 0, 9_000)] == [0, 1]
    gallery.spent = BUDGET
    assert gallery.pages(named("b", PRINTED), [page], 0, None) == []
    assert gallery.draw(replace(named("c", PRINTED), ask="../c"), "x", "x", image) is None


@pytest.mark.parametrize(("cases", "most"), [(2, THUMBNAILS), (LARGE, THUMBNAILS_OF_LARGE)])
def test_thumbnails_are_few_and_stop_at_the_budget(cases: int, most: int, tmp_path: Path) -> None:
    known = {f"m-x{n}" for n in range(cases)}
    gallery = Gallery(tmp_path, tmp_path, known)
    page = Image.new("RGB", (60, 40), "white")
    found = [gallery.thumbnail(named(f"d{n}", None, "empty"), "page", page) for n in range(most + 1)]
    assert [picture is None for picture in found] == [*[False] * most, True]
    spent = Gallery(tmp_path, tmp_path, known)
    spent.spent = BUDGET
    assert not spent.has_thumbnails


def test_a_page_that_was_reduced_has_its_wrong_words_in_full_size_above_it(tmp_path: Path) -> None:
    words = [f"{PRINTED.split()[n % 8]}{n}" for n in range(2600)]
    bad = [*words[:1500], "wronged", *words[1501:]]
    params = {"condition": "visual", "original": " ".join(words), "prompt": "plain"}
    of = case("a", text=" ".join(words), document="a", params=params)
    shown = view(failures=[failure("x.py::test_case[m-a]")])
    write_html(tmp_path, html_run([answer(of, " ".join(bad))], tmp_path, view=shown))
    one = data(tmp_path, "detail-0")["detail m-a"]
    (mark,) = one["marks"]
    first, *pages = one["pictures"]
    assert (first[1], first[2]) == (WRONG_WORDS, None)
    assert len(pages) > 2
    widths = []
    for path, _, number in pages:
        with Image.open(tmp_path / path) as picture:
            widths.append(picture.width)
            assert number == len(widths) - 1
    assert widths[mark[0]] >= 1000
    assert sum(width >= 1000 for width in widths) == 1
    assert sum(path.stat().st_size for path in (tmp_path / "vtc-html" / "pages").iterdir()) <= CASE
    with Image.open(tmp_path / first[0]) as crop:
        assert crop.height < 80
        assert crop.width > mark[4] - mark[2]


def test_a_case_without_a_picture_says_how_to_draw_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vtcfaith.report.html.pictures.THUMBNAILS", 1)
    about = {"models": [{"model": "m", "visual_tokens": "qwen2.5-vl"}]}
    write_html(tmp_path, html_run([named("a", PRINTED), named("b", PRINTED)], tmp_path, about=about))
    details = data(tmp_path, "detail-0")
    assert "elsewhere" not in details["detail m-a"]
    command = "vtcfaith page b --out page.png --vtc-cases . --visual-tokens qwen2.5-vl"
    assert details["detail m-b"]["elsewhere"] == {"command": command}


@pytest.mark.parametrize("there", [True, False])
def test_a_picture_of_the_users_is_linked_where_it_is_there(
    there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_vtcfaith.report.html.pictures.THUMBNAILS", 0)
    picture = tmp_path / "my cases" / "pictures" / "a<b>.png"
    picture.parent.mkdir(parents=True)
    if there:
        picture.write_bytes(b"x")
    one = named("a", PRINTED)
    for params in ({"row": {"picture": "pictures/a<b>.png"}}, {"source": {"file": "pictures/a<b>.png"}}):
        of = replace(one.case, file=tmp_path / "my cases" / "x.jsonl", params={**one.case.params, **params})
        write_html(tmp_path / "report", html_run([replace(one, case=of)], tmp_path))
        found = data(tmp_path / "report", "detail-0")["detail m-a"]["elsewhere"]
        if there:
            assert found == {"link": "../my%20cases/pictures/a%3Cb%3E.png", "name": "a<b>.png"}
            assert (tmp_path / "report" / unquote(found["link"])).read_bytes() == b"x"
        else:
            assert found["command"].startswith("vtcfaith page a ")


def test_a_suite_that_can_no_longer_draw_loses_the_page_only(tmp_path: Path) -> None:
    def broken(_: Any) -> Any:
        raise RuntimeError("no font")

    shown = view(failures=[failure("x.py::test_case[m-a]")])
    write_html(tmp_path, html_run([named("a", REWRITTEN)], tmp_path, view=shown, request=broken))
    one = data(tmp_path, "detail-0")["detail m-a"]
    assert one["pictures"] == []
    assert [span[1] for span in one["spans"] if span[0]] == ["hafbcur"]


def test_many_cases_are_in_pieces_and_every_case_is_in_one(tmp_path: Path) -> None:
    answers = [named(f"d{n:04}", REWRITTEN if n % 7 == 0 else PRINTED + " x" * 40) for n in range(2100)]
    write_html(tmp_path, html_run(answers, tmp_path))
    parts = data(tmp_path, "overview")["overview"]["parts"]
    rows = [row for n in range(parts) for row in data(tmp_path, f"cases-{n}")[f"cases-{n}"]]
    assert (parts, len(rows)) == (2, 2100)
    pieces = {n: data(tmp_path, f"detail-{n}") for n in sorted({row[11] for row in rows})}
    assert len(pieces) > 3
    assert all(f"detail {row[0]}" in pieces[row[11]] for row in rows)


def test_a_case_is_listed_under_its_finer_tiers(tmp_path: Path) -> None:
    finer = [f"{TIER}/{name}" for name in ("b", "a")]
    one, other = case("a", parts=tuple(finer)), case("b", parts=(finer[0],))
    write_html(tmp_path, html_run([answer(one, PRINTED), answer(other, PRINTED)], tmp_path))
    known = data(tmp_path, "overview")["overview"]["parts_known"]
    rows = data(tmp_path, "cases-0")["cases-0"]
    assert [[known[place] for place in row[12]] for row in rows] == [finer, finer[:1]]


def test_an_older_report_is_replaced_and_a_foreign_page_is_kept(tmp_path: Path) -> None:
    write_html(tmp_path, html_run([named(f"d{n}", REWRITTEN) for n in range(3)], tmp_path))
    (tmp_path / "vtc-html" / "data" / "detail-9.js").write_text("old", encoding="utf-8")
    write_html(tmp_path, html_run([named("a", PRINTED)], tmp_path))
    assert sorted(p.name for p in (tmp_path / "vtc-html" / "data").iterdir()) == [
        "cases-0.js",
        "detail-0.js",
        "overview.js",
    ]
    (tmp_path / "results.jsonl").write_text("", encoding="utf-8")
    begin(tmp_path)
    assert not (tmp_path / "index.html").exists()
    assert not (tmp_path / "vtc-html").exists()
    (tmp_path / "index.html").write_text("mine", encoding="utf-8")
    (tmp_path / "results.jsonl").write_text("", encoding="utf-8")
    begin(tmp_path)
    assert (tmp_path / "index.html").read_text(encoding="utf-8") == "mine"


def test_the_page_has_no_script_of_its_own_and_asks_nobody(tmp_path: Path) -> None:
    index = write_html(tmp_path, html_run([named("a", PRINTED)], tmp_path)).read_text(encoding="utf-8")
    assert "default-src 'none'" in index
    assert "http://" not in index
    assert "https://" not in index
    code = "".join((tmp_path / "vtc-html" / name).read_text(encoding="utf-8") for name in ("common.js", "case.js"))
    assert not any(word in code for word in ("innerHTML", "insertAdjacentHTML", "document.write", "eval("))
