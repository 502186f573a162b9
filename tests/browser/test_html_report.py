"""The report in a real browser: it opens from disk, leads from red to the word, and runs nothing of what it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_html import PRINTED, TIER, answer, case, html_run
from made_views import failure, verdict, view
from shown import opened, until

from pytest_vtcfaith.report.html import TierFound, write_html

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<svg onload=window.hacked=1>",
    "javascript:window.hacked=1",
    "'\"><iframe src=https://example.org></iframe>",
    "\u202eevil\u2066",
    "\ud83d\u2028`${window.hacked=1}`",
)


@pytest.fixture
def red(tmp_path: Path) -> Path:
    """A run with a rewritten word, whose gate and whose test failed, beside five good cases."""
    bad = answer(case("doc-0-visual", document="doc-0"), PRINTED.replace("hafbcur", "harbour"))
    good = [answer(case(f"doc-{n}-visual", document=f"doc-{n}"), PRINTED) for n in range(1, 6)]
    none = answer(case("doc-9-visual", document="doc-9"), "", "empty")
    shown = view(
        verdict("fail", tier=TIER, value=0.125, low=0.05, high=0.2, message="rewrite_rate = 0.125 > 0.05"),
        failures=[failure("test_rewriting.py::test_case[m-doc-0-visual]", message="rewrite_rate 0.5 > 0.1")],
    )
    return write_html(tmp_path, html_run([*good, none, bad], tmp_path, view=shown))


def test_from_red_to_the_word(tab: Any, red: Path) -> None:
    page = opened(tab, red)
    assert page.locator("h1").inner_text() == "Faithfulness of m: red"
    card = page.locator(".card").first
    assert "rewrite rate" in card.inner_text()
    assert "0.125" in card.inner_text()
    assert "hafbcur → harbour" in card.inner_text()
    card.get_by_role("link", name="doc-0-visual", exact=True).click()
    box = page.get_by_role("button", name="rewritten: page hafbcur, model harbour, original harbour").first
    box.wait_for()
    box.hover()
    assert "model harbour" in " ".join(page.locator(".tip:visible").inner_text().split())
    assert "m-doc-0-visual.png" in page.locator(".tip:visible .enlarged").evaluate("e => e.style.backgroundImage")
    word = page.locator(".word.rewritten")
    assert word.locator("del").inner_text() == "hafbcur"
    assert word.locator("ins").inner_text() == "harbour"
    assert word.locator(".shape").inner_text() == "◆"
    word.click()
    assert page.evaluate("document.activeElement.className").startswith("box rewritten")
    picture = page.locator(".sheet img")
    assert picture.evaluate("i => i.complete && i.naturalWidth") > 100
    sheet, place = picture.bounding_box(), box.bounding_box()
    assert sheet["x"] < place["x"] < sheet["x"] + sheet["width"]
    assert sheet["y"] < place["y"] < sheet["y"] + sheet["height"]


def test_filters_and_links_that_survive_copying(tab: Any, red: Path) -> None:
    page = opened(tab, red, "#cases")
    page.wait_for_selector("#count")
    assert page.locator("#count").inner_text() == "7 of 7 cases"
    first = page.locator(".cases tbody tr").first
    assert "doc-0-visual" in first.inner_text()  # failures first
    page.select_option("[name=outcome]", "empty")
    assert page.locator("#count").inner_text() == "1 of 7 cases"
    page.select_option("[name=outcome]", "")
    page.fill("#q", "harbour")
    assert page.locator("#count").inner_text() == "1 of 7 cases"
    copied = page.url
    assert copied.endswith("#cases?q=harbour")
    again = page.context.new_page()
    again.goto(copied)
    again.wait_for_selector("#count")
    assert again.locator("#count").inner_text() == "1 of 7 cases"
    assert again.locator("#q").input_value() == "harbour"
    again.locator(".cases tbody a").first.click()
    again.wait_for_selector(".word.rewritten")
    assert again.url.endswith("#case=m-doc-0-visual")
    page.goto(again.url)
    page.reload()
    page.wait_for_selector(".word.rewritten")
    page.goto(f"file://{red}#cases?sort=best")
    page.wait_for_selector(".cases tbody tr")
    assert "doc-0-visual" not in page.locator(".cases tbody tr").first.inner_text()


def test_keys(tab: Any, red: Path) -> None:
    page = opened(tab, red)
    page.keyboard.press("c")
    page.wait_for_selector("#count")
    page.keyboard.press("j")
    page.wait_for_selector(".word.rewritten")
    page.keyboard.press("n")
    assert page.evaluate("document.activeElement.className").startswith("box")
    page.keyboard.press("j")
    until(page, "!location.hash.includes('doc-0')")
    page.keyboard.press("k")
    until(page, "location.hash.includes('doc-0')")
    page.keyboard.press("/")
    until(page, "document.activeElement.id === 'q'")
    page.keyboard.type("jko")
    assert page.locator("#q").input_value() == "jko"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")
    assert not page.is_visible("#help")
    page.keyboard.press("?")
    page.uncheck("#keys-on")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("o")
    assert page.locator("#count").count() == 1


OVERLAPS = """() => {
  const boxes = (svg) => [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect());
  const texts = [...document.querySelectorAll("svg.chart")].map(boxes);
  return texts.flatMap((all) => all.flatMap((a, n) => all.slice(n + 1).filter((b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3))).length;
}"""


def test_published_systems_stand_in_grey_rows_under_the_model(tab: Any, tmp_path: Path) -> None:
    numbers = {"delta_wer": 1.5, "rewrite_share": 0.5}
    tiers = [
        TierFound("rewriting", f"rewriting/en/{kind}", "a-model-with-a-rather-long-name", 4, 4, 0, {}, numbers)
        for kind in ("scramble", "random", "visual")
    ]
    gate = verdict("fail", tier=tiers[0].tier, model=tiers[0].model, metric="delta_wer", value=1.5, max=1.0)
    models = ["a-model-with-a-rather-long-name", "b"]
    index = write_html(tmp_path, html_run([], tmp_path, tiers=tiers, view=view(gate, models=models)))
    page = opened(tab, index)
    chart = page.locator(".chart-box").filter(has_text="Errors added by a perturbation, en")
    shown = chart.locator("svg.chart text.own, svg.chart text.published").all_text_contents()
    assert len(shown) == 16
    assert shown[0].startswith("a-model-with-a-rather-long-name")
    assert any(text.startswith("InternVL3.5-4B") for text in shown[1:])
    grey = chart.locator("g.published circle").first.evaluate("e => getComputedStyle(e).fill")
    own = chart.locator("g.series-0 circle").first.evaluate("e => getComputedStyle(e).fill")
    assert grey != own
    assert "scramble: at most 1" in chart.locator("g.limit title").all_text_contents()
    assert page.evaluate(OVERLAPS) == 0


def test_every_measured_point_has_a_whisker_and_its_interval_in_the_table(tab: Any, tmp_path: Path) -> None:
    read = [PRINTED.replace("hafbcur", "harbour"), PRINTED, PRINTED.replace("sewen", "seven")]
    answers = [answer(case(f"doc-{n}-visual", document=f"doc-{n}"), text) for n, text in enumerate(read)]
    page = opened(tab, write_html(tmp_path, html_run(answers, tmp_path)))
    chart = page.locator(".chart-box").filter(has_text="Perturbed words rewritten to the original")
    assert chart.locator("svg.chart path.interval").count() == 1
    chart.locator("summary").click()
    cell = chart.locator("tbody tr").first.locator("td").first
    assert cell.inner_text().split() == ["0.3333", "(0", "to", "0.5)", "6", "perturbed", "words"]


def hostile_run(folder: Path) -> Path:
    answers = []
    for number, text in enumerate(HOSTILE):
        of = case(f"doc-{number}-visual", text=f"{PRINTED} {text}", document=f"doc-{number} {text}")
        answers.append(answer(of, f"{PRINTED.replace('hafbcur', text)} {text}", finish_reason=text, reason=text))
        named = replace(of, id=f"x{number}{text}", tier=f"rewriting/en/{text}")
        answers.append(replace(answer(of, text, "truncated"), ask=f"m-{named.id}", case=named, model=text))
        answers[-1].row["picture"] = f"pictures/{text}.png"  # type: ignore[index]
    gates = [verdict("fail", gate=t, tier=f"rewriting/{t}", model=t, metric=t, message=t) for t in HOSTILE]
    shown = view(
        *gates,
        models=list(HOSTILE),
        failures=[failure(f"t.py::test[m-x{n}{t}]", message=t) for n, t in enumerate(HOSTILE)],
        notes=list(HOSTILE),
        problems=list(HOSTILE),
    )
    about = {"versions": {t: t for t in HOSTILE}, "models": [{"name": t, "adapter": t} for t in HOSTILE]}
    return write_html(folder, html_run(answers, folder, view=shown, about=about))


def test_hostile_strings_are_inert(tab: Any, tmp_path: Path) -> None:
    index = hostile_run(tmp_path)
    page = opened(tab, index)
    asks = page.evaluate("vtc.listed().then(() => vtc.cases.map((one) => one.ask))")
    assert len(asks) == 2 * len(HOSTILE)
    for hash in (
        "#",
        "#cases",
        "#case=%3Cimg%20src=x%20onerror=window.hacked=1%3E",
        "#case=%",
        "#cases?q=<svg>&tier=<b>",
    ):
        page.goto(f"file://{index}{hash}")
        page.wait_for_timeout(100)
        assert foreign_elements(page) == []
    for ask in asks:
        page.evaluate("(ask) => { location.hash = caseLink(ask); }", ask)
        page.wait_for_selector("#metrics")
        assert page.locator("main h1").inner_text() == ask
        assert foreign_elements(page) == []
    assert page.evaluate("window.hacked") is None
    assert (
        page.evaluate("document.querySelectorAll('iframe, main script, main style, main link, object, embed').length")
        == 0
    )


def foreign_elements(page: Any) -> list[str]:
    """Elements and attributes that the report itself never makes."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((e) => e.matches("script, iframe, style, link, object")
        || [...e.attributes].some((a) => a.name.startsWith("on") || /^\\s*javascript:/i.test(a.value)
          && ["href", "src"].includes(a.name))
        || e.tagName === "IMG" && !/^(vtc-html|pages)\\//.test(e.getAttribute("src"))).map((e) => e.outerHTML)"""
    )
    return found


def test_the_policy_lets_no_request_out(chromium: Any, red: Path) -> None:
    """Even a script that ran could not: neither pictures nor fetches leave the machine."""
    context = chromium.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("requestfinished", lambda request: asked.append(request.url))
    opened(page, red)
    page.evaluate("""async () => {
        const picture = new Image(); picture.src = "http://127.0.0.1:9/x.png"; document.body.append(picture);
        await fetch("http://127.0.0.1:9/x").catch(() => {});
    }""")
    inline = "const s = document.createElement('script'); s.textContent = 'window.hacked=1'; document.head.append(s)"
    page.evaluate(f"() => {{ {inline} }}")
    assert page.evaluate("window.hacked") is None
    assert all(url.startswith("file://") for url in asked)
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("hash", ["", "#cases", "#case=m-doc-0-visual", "#case=m-doc-9-visual"])
def test_axe_finds_nothing_serious(tab: Any, axe: str, red: Path, hash: str, scheme: str) -> None:
    tab.emulate_media(color_scheme=scheme)
    page = opened(tab, red, hash)
    until(page, "!document.querySelector('.wait')")
    if not hash:
        page.locator("main details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.click("#help-button")
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'], preload: false })")
    bad = [
        (v["id"], v["impact"], [n["html"][:200] for n in v["nodes"][:3]])
        for v in found["violations"]
        if v["impact"] in ("serious", "critical")
    ]
    assert bad == []
    assert len(found["passes"]) > 10


@pytest.mark.parametrize("width", [320, 414])
@pytest.mark.parametrize("hash", ["", "#cases", "#case=m-doc-0-visual"])
def test_a_narrow_window_does_not_scroll_sideways(tab: Any, tmp_path: Path, width: int, hash: str) -> None:
    message = "rewrite_rate 0.5 > 0.1: a_long_name_" + "x" * 90
    bad = answer(case("doc-0-visual", document="doc-0"), PRINTED.replace("hafbcur", "harbour"))
    shown = view(
        verdict("fail", tier=TIER, value=0.125, low=0.05, high=0.2, message=message),
        failures=[failure("test_rewriting.py::test_case[m-doc-0-visual]", message=message)],
        limit=1,
        models=["m" * 60],
    )
    index = write_html(tmp_path, html_run([bad], tmp_path, view=shown))
    tab.set_viewport_size({"width": width, "height": 800})
    page = opened(tab, index, hash)
    until(page, "!document.querySelector('.wait')")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    tier = page.locator("tbody th, tbody td", has_text=TIER).first
    if tier.count():
        assert tier.bounding_box()["width"] > 90


def test_escape_closes_the_tip_of_a_word(tab: Any, red: Path) -> None:
    page = opened(tab, red, "#case=m-doc-0-visual")
    box = page.locator(".box.rewritten")
    for reach in (box.hover, box.focus):
        reach()
        assert page.locator(".tip:visible").count() == 1
        page.keyboard.press("Escape")
        assert page.locator(".tip:visible").count() == 0
        page.mouse.move(1, 1)


def test_a_passing_case_without_a_picture_says_where_its_page_is(tab: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("pytest_vtcfaith.report.html.pictures.THUMBNAILS", 0)
    theirs = tmp_path / "<b>.png"
    theirs.write_bytes(b"x")
    own = case("doc-1-visual", file=tmp_path / "x.jsonl")
    params = {**own.params, "row": {"picture": theirs.name}}
    answers = [answer(case("doc-0-visual"), PRINTED), answer(replace(own, params=params), PRINTED)]
    page = opened(tab, write_html(tmp_path / "report", html_run(answers, tmp_path)), "#case=m-doc-0-visual")
    page.wait_for_selector(".command")
    assert page.locator(".command").inner_text().startswith("vtcfaith page doc-0-visual --out page.png")
    assert "cases.jsonl:7" in page.locator("main").inner_text()
    page.goto(page.url.replace("doc-0", "doc-1"))
    link = page.get_by_role("link", name="<b>.png")
    link.wait_for()
    assert link.evaluate("e => e.href") == theirs.as_uri()


def test_of_a_long_document_small_pages_are_not_blown_up_and_the_wrong_word_stands_first(
    tab: Any, tmp_path: Path
) -> None:
    words = [f"{PRINTED.split()[n % 8]}{n}" for n in range(2600)]
    params = {"condition": "visual", "original": " ".join(words), "prompt": "plain"}
    of = case("doc-0-visual", text=" ".join(words), params=params)
    said = " ".join([*words[:1500], "wronged", *words[1501:]])
    shown = view(failures=[failure("x.py::test_case[m-doc-0-visual]")])
    index = write_html(tmp_path, html_run([answer(of, said)], tmp_path, view=shown))
    page = opened(tab, index, "#case=m-doc-0-visual")
    page.wait_for_selector(".box")
    assert page.locator(".page figcaption").first.inner_text().startswith("wrong words")
    sheets = page.locator(".sheet:has(img[width])")
    for picture in sheets.all():
        picture.scroll_into_view_if_needed()
    until(page, "[...document.querySelectorAll('.sheet img')].every((i) => i.complete && i.naturalWidth)")
    wide = [sheet.bounding_box()["width"] > 600 for sheet in sheets.all()]
    assert wide == [sheet.locator(".box").count() > 0 for sheet in sheets.all()]
    assert sum(wide) == 1


def test_a_finer_tier_selects_its_cases(tab: Any, tmp_path: Path) -> None:
    finer = f"{TIER}/difficult"
    answers = [answer(case("doc-0-visual", parts=(finer,)), PRINTED), answer(case("doc-1-visual"), PRINTED)]
    page = opened(tab, write_html(tmp_path, html_run(answers, tmp_path)), f"#cases?tier={finer}")
    page.wait_for_selector("#count")
    assert page.locator("#count").inner_text() == "1 of 2 cases"
    assert finer in page.locator("[name=tier] option").all_text_contents()


def test_parts_that_are_missing_are_named(chromium: Any, red: Path) -> None:
    (red.parent / "vtc-html" / "data" / "detail-0.js").unlink()
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"file://{red}#case=m-doc-0-visual")
    until(page, "document.querySelector('h1')?.textContent === 'The report is not whole'")
    assert "detail-0.js" in page.locator("main").inner_text()
    context.close()
