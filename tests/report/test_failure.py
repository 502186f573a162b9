"""How a failing case reads: verdict, words, page and crop, within a dozen lines, in three languages."""

from __future__ import annotations

import base64
import io
import random
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.metrics import Reply, process_rewrites
from pytest_vtcfaith.models.spec import ModelSpec
from pytest_vtcfaith.pages import crop_word
from pytest_vtcfaith.report import failure as reporting
from pytest_vtcfaith.report.failure import failure_text
from pytest_vtcfaith.report.small import CASE
from pytest_vtcfaith.report.wordcrops import GAP
from pytest_vtcfaith.suites import Case, load_suite

REWRITING = load_suite("rewriting")
SPEC = ModelSpec("m", load=object, languages=None)


@dataclass(frozen=True)
class Asked:
    case: Case
    id: str


def text_of(
    case: Case,
    reply: str,
    folder: Path,
    *,
    verdict: str = "rewrite_rate 1 > 0.25",
    outcome: str = "complete",
    **more: Any,
) -> str:
    request = REWRITING.request(case, SPEC)
    transcript = Transcript(Reply(reply), outcome, 0.0, False)
    metrics = REWRITING.score(case, transcript, request)
    return failure_text(
        REWRITING, Asked(case, f"m-{case.id}"), verdict, transcript, metrics, request, folder / "report", folder, **more
    )


def bundled(lang: str) -> Case:
    return next(c for c in REWRITING.cases() if c.lang == lang and c.params["condition"] == "visual")


def one_word_rewritten(case: Case) -> tuple[str, str, str]:
    """A transcript of the page with one perturbed word as in the original; the page's form, and the original's."""
    faithful = process_rewrites(case.params["original"], case.reference, case.reference, lang=case.lang)
    word = next(w for w in faithful.words if case.reference.count(w.page) == 1)
    return case.reference.replace(word.page, word.original), word.page, word.original


@pytest.mark.parametrize("lang", ["en", "zh", "ko"])
def test_one_rewritten_word(lang: str, tmp_path: Path) -> None:
    case = bundled(lang)
    reply, page, original = one_word_rewritten(case)
    lines = text_of(case, reply, tmp_path).split("\n")
    assert len(lines) <= 12
    count = len(process_rewrites(case.params["original"], case.reference, reply, lang=lang).words)
    assert lines[0] == f"rewrite_rate 1 > 0.25: 1 of {count} perturbed words rewritten to the original"
    assert re.fullmatch(
        rf"  word \d+: original '{original}'  page '{page}'  model '{original}'  \+REWRITTEN\+", lines[1]
    )
    assert re.match(r"  word \d+: ", lines[2])
    assert f"  page: report/pages/m-{case.id}.png" in lines
    assert f"  crop: report/pages/m-{case.id}-word.png" in lines
    assert lines[-1] == f"  case: {case.file.resolve().as_posix()}:{case.line}"
    folder = tmp_path / "report" / "pages"
    request = REWRITING.request(case, SPEC)
    with Image.open(folder / f"m-{case.id}.png") as picture:
        near = {"L": 0, "P": 9}[picture.mode]  # one channel has the same pixels, 16 greys are near them
        shown = zip(picture.convert("RGB").tobytes(), request.page.image.tobytes(), strict=True)
        assert max(abs(ours - theirs) for ours, theirs in shown) <= near
        assert near == 0 or lang == "ko"
    words = [w for w in request.page.words if page[0] in w.text]
    with Image.open(folder / f"m-{case.id}-word.png") as crop:
        # the crop begins with the line of the word
        near = {"L": 0, "P": 9}[crop.mode]
        lines = [crop_word(request.page, request.page.words.index(w)) for w in words]
        tops = [(line, crop.convert("RGB").crop((0, 0, *line.size))) for line in lines]
        shown_lines = [zip(line.tobytes(), top.tobytes(), strict=True) for line, top in tops]
        assert any(max(abs(ours - theirs) for ours, theirs in line) <= near for line in shown_lines)
    assert {p.name for p in folder.iterdir()} == {f"m-{case.id}.png", f"m-{case.id}-word.png"}


@pytest.mark.parametrize("lang", ["en", "zh", "ko"])
def test_the_worst_case_still_fits(lang: str, tmp_path: Path) -> None:
    case = bundled(lang)
    for reply in (case.params["original"], case.reference[::-1], "", "x " * 100_000):
        assert len(text_of(case, reply, tmp_path).split("\n")) <= 12


def test_a_crop_shows_the_word_itself(tmp_path: Path) -> None:
    case = bundled("en")
    reply, page, _ = one_word_rewritten(case)
    text_of(case, reply, tmp_path)
    request = REWRITING.request(case, SPEC)
    index = next(i for i, w in enumerate(request.page.words) if page in w.text)
    with Image.open(tmp_path / "report" / "pages" / f"m-{case.id}-word.png") as crop:
        assert crop.convert("RGB").tobytes() == crop_word(request.page, index).tobytes()


def test_a_failure_without_words_has_no_crop(tmp_path: Path) -> None:
    text = text_of(
        bundled("en"), "sorry", tmp_path, verdict="empty: 5 characters, begins 'sorry'; no gate", outcome="empty"
    )
    lines = text.split("\n")
    assert lines[0] == "empty: 5 characters, begins 'sorry'; no gate"
    assert [line.split(":")[0] for line in lines[1:]] == ["  page", "  case"]


def test_without_explanation_only_verdict_and_case(tmp_path: Path) -> None:
    case = bundled("en")
    verdict = "not measured: Boom: first\nsecond\x1b[2J\ud83d"
    text = text_of(case, "", tmp_path, verdict=verdict, explain=False, pictures=False)
    first, second = text.split("\n")
    assert first == "not measured: Boom: first second\\x1b[2J\\ud83d"
    assert second.startswith("  case: ")
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    "reply", ["a\x00b\x1b[31m\ud83d\u202e ##[add-mask]x ", "<img src=x>\u2028\x85\r\n", "A" * 12_000_000 + " "]
)
def test_whatever_the_model_says_is_safe_to_print(reply: str, tmp_path: Path) -> None:
    case = bundled("en")
    text = text_of(case, reply + case.reference, tmp_path)
    assert len(text) <= 65536
    assert len(text.split("\n")) <= 12
    assert len(text.splitlines()) <= 12
    assert not set("\x00\x1b\ud83d\u202e\u2028\x85\r") & set(text)
    assert "##[" not in text
    text.encode("utf-8")


def test_a_full_disk_is_said_and_hides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    case = bundled("en")
    monkeypatch.setattr(Image.Image, "save", full)
    text = text_of(case, case.params["original"], tmp_path)
    assert "+REWRITTEN+" in text
    assert "  page: not written: [Errno 28] No space left on device" in text.split("\n")
    assert not list((tmp_path / "report").rglob("*.png*"))


def test_paths_under_a_linked_root_are_relative(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    try:
        link.symlink_to(real, target_is_directory=True)
    except OSError:
        pytest.skip("this machine makes no links")
    case = bundled("en")
    assert f"  page: report/pages/m-{case.id}.png" in text_of(case, case.params["original"], link).split("\n")


def test_a_picture_is_written_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = bundled("en")
    text_of(case, case.params["original"], tmp_path)
    place = tmp_path / "report" / "pages" / f"m-{case.id}.png"
    before = place.read_bytes()

    whole = Path.write_bytes

    def torn(path: Path, _: bytes) -> None:
        whole(path, b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", torn)
    text_of(case, case.params["original"], tmp_path)
    assert place.read_bytes() == before
    assert reporting.LIMIT == 65536


def test_the_pictures_of_an_edit_that_is_noise_take_what_a_failure_may_take(tmp_path: Path) -> None:
    suite = load_suite("editing")
    case = next(case for case in suite.cases() if case.lang == "en")
    request = suite.request(case, SPEC)
    width, height = 500, 500
    target = io.BytesIO()
    Image.frombytes("RGB", (width, height), random.Random(2).randbytes(width * height * 3)).save(target, format="PNG")
    picture = base64.b64encode(target.getvalue()).decode("ascii")
    transcript = Transcript(Reply(None, picture=picture), "complete", 0.0, False)
    failure_text(suite, Asked(case, "m-x"), "wrong", transcript, {}, request, tmp_path / "report", tmp_path)
    written = list((tmp_path / "report" / "pages").iterdir())
    assert len(written) == 4
    assert sum(path.stat().st_size for path in written) <= CASE


def test_of_several_pages_the_one_with_the_first_wrong_word_can_be_read(tmp_path: Path) -> None:
    words = case_words(2600)
    case = replace(
        bundled("en"),
        reference=" ".join(words),
        params={"condition": "visual", "original": " ".join(words), "prompt": "plain"},
    )
    words[1500], words[1900] = "wronged", "mistaken"
    request = REWRITING.request(case, SPEC)
    assert len(request.pages) > 2
    text_of(case, " ".join(words), tmp_path)
    folder = tmp_path / "report" / "pages"
    widths = []
    for number in range(len(request.pages)):
        with Image.open(folder / f"m-{case.id}-page{number + 1}.png") as picture:
            widths.append(picture.width)
    wanted = next(n for n, page in enumerate(request.pages) if "cabin1500 " in page.text)
    assert widths[wanted] >= 1000
    assert all(width < 400 for n, width in enumerate(widths) if n != wanted)
    assert sum(path.stat().st_size for path in folder.iterdir()) <= CASE
    lines = [
        crop_word(page, next(n for n, w in enumerate(page.words) if w.text == name))
        for page in request.pages
        for name in ("cabin1500", "cabin1900")
        if name in page.text.split()
    ]
    with Image.open(folder / f"m-{case.id}-word.png") as crop:
        assert crop.size == (max(line.width for line in lines), sum(line.height for line in lines) + GAP)


def case_words(count: int) -> list[str]:
    return [f"{('grain', 'cabin', 'quay', 'silt')[n % 4 if n % 100 else 1]}{n}" for n in range(count)]


UNDRAWN = ("국물", "\u0645\u0631\u062d\u0628\u0627", "\U0001f600")


@pytest.mark.parametrize("word", UNDRAWN)
def test_a_page_that_cannot_be_drawn_hides_no_verdict(word: str, tmp_path: Path) -> None:
    of = bundled("en")
    original, page = f"{of.params['original']} {word}", f"{of.reference} {word}"
    case = replace(of, reference=page, params={**of.params, "original": original})
    first, *lines = text_of(case, original, tmp_path).split("\n")
    assert first.startswith("rewrite_rate 1 > 0.25: ")
    assert "perturbed words rewritten to the original" in first
    assert lines[0].startswith("  word ")
    (told,) = (line for line in lines if "cannot be drawn" in line)
    assert told.startswith(f"  the page cannot be drawn: NotoSerif cannot draw {len(set(word))} of the text")
    assert f"U+{ord(sorted(word)[0]):04X}" in told
    assert "remove these characters" in told
    assert not list(tmp_path.rglob("*.png"))


@pytest.mark.parametrize("breaks", ["laying out", "drawing", "explaining"])
def test_whatever_drawing_raises_the_verdict_stands_first(
    breaks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise ValueError("no\nsuch thing")

    case = bundled("en")
    request = REWRITING.request(case, SPEC)
    page = request.page
    if breaks == "explaining":
        monkeypatch.setattr(REWRITING, "explain", broken)
    elif breaks == "drawing":
        request = replace(request, lay_out=lambda: (replace(page, draw=broken),))
    else:
        request = replace(request, lay_out=broken)
    transcript = Transcript(Reply(one_word_rewritten(case)[0]), "complete", 0.0, False)
    metrics = REWRITING.score(case, transcript, request)
    asked = Asked(case, f"m-{case.id}")
    text = failure_text(REWRITING, asked, "wer 1 > 0", transcript, metrics, request, tmp_path, tmp_path)
    first, *lines = text.split("\n")
    assert first.startswith("wer 1 > 0")
    assert (
        "no such thing" in first
        if breaks == "explaining"
        else any("the page cannot be drawn: no such" in x for x in lines)
    )
    assert lines[-1].startswith("  case: ")


def test_the_page_of_what_was_not_measured_is_drawn_on_request(tmp_path: Path) -> None:
    case = bundled("en")
    more: dict[str, Any] = {"verdict": "not measured: down", "outcome": "infrastructure_error", "explain": False}
    first, page, place = text_of(case, "", tmp_path, **more).split("\n")
    assert (first, place.split(",")[0]) == ("not measured: down", f"  case: {case.id}")
    assert (tmp_path / page.removeprefix("  page: ")).is_file()
    undrawn = replace(case, reference=f"{case.reference} {UNDRAWN[0]}")
    first, line, place = text_of(undrawn, "", tmp_path, **more).split("\n")
    assert first == "not measured: down"
    assert line.startswith("  the page cannot be drawn: ")
