"""The real Tesseract on small pages, and what it says when language data are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image
from printed import LINES, page
from rapidfuzz.distance import Levenshtein

from pytest_vtcfaith.metrics.block_scores import block_scores
from pytest_vtcfaith.metrics.table_html import Cell
from pytest_vtcfaith.models import resolve
from pytest_vtcfaith.models.page_reading import BoxReader, read_region
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt, Transcriber
from pytest_vtcfaith.models.tesseract import SYSTEM_FOLDERS, Tesseract, revision
from pytest_vtcfaith.pages.edits.design import Design, Table, Text
from pytest_vtcfaith.pages.edits.setting import set_page

DATA = next((Path(folder) for folder in SYSTEM_FOLDERS if Path(folder).is_dir()), None)
pytestmark = pytest.mark.skipif(DATA is None, reason="Tesseract's language data are not on this machine")


@pytest.fixture(scope="module")
def engine() -> Tesseract:
    return Tesseract()


def read(engine: Tesseract, image: Image.Image, lang: str = "en") -> str:
    (reply,) = engine.transcribe([image], Prompt("", lang))
    return reply.text


def test_is_a_transcriber_and_reads_a_batch_in_order(engine):
    assert isinstance(engine, Transcriber)
    images = [page(LINES["en"][:2]), Image.new("RGB", (200, 100), "white"), page(LINES["en"][2:])]
    texts = [reply.text for reply in engine.transcribe(images, Prompt("", "en"))]
    assert texts == ["\n".join(LINES["en"][:2]), "", "\n".join(LINES["en"][2:])]


@pytest.mark.parametrize("lang", ["zh", "ko"])
def test_reads_chinese_and_korean(engine, lang):
    text = "".join(read(engine, page(LINES[lang], lang, size=32, pitch=44), lang).split())
    printed = "".join("".join(LINES[lang]).split())
    assert Levenshtein.distance(text, printed) <= 0.1 * len(printed)


def test_tiny_text_is_enlarged_first(engine):
    tiny = page(LINES["en"] * 5, scale=0.34)
    printed = set(" ".join(LINES["en"]).split())
    found = len(set(read(engine, tiny).split()) & printed)
    engine._api("en").SetImage(tiny)
    unenlarged = len(set(engine._api("en").GetUTF8Text().split()) & printed)
    assert found >= 0.4 * len(printed)
    assert unenlarged <= 0.2 * len(printed)  # else enlarging would be for nothing


def test_a_page_reads_the_same_whatever_was_read_before(engine):
    first = page(LINES["en"])
    before = read(engine, first)
    read(engine, page(LINES["ko"], "ko", size=32, pitch=44), "ko")
    read(engine, page(LINES["en"][::-1], size=27, pitch=33))
    assert read(engine, first) == before == read(Tesseract(), first)


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (400, 3), (600, 800)])
@pytest.mark.parametrize("colour", ["white", "black"])
def test_blank_pages_give_no_text(engine, size, colour):
    assert read(engine, Image.new("RGB", size, colour)).strip() == ""
    assert engine.read_boxes(Image.new("RGB", size, colour)) == []


@pytest.mark.parametrize("scale", [1.0, 0.34])
def test_each_line_has_its_box(engine, scale):
    boxes = engine.read_boxes(page(LINES["en"], scale=scale))
    for number, box in enumerate(boxes):
        left, top, right, bottom = box.box
        assert abs(left - 30 * scale) <= 3
        assert abs((top + bottom) / 2 - (43 + 23 * number) * scale) <= 8 * scale
        assert bottom - top > 14 * scale
        assert right > 300 * scale
    assert len(boxes) == len(LINES["en"])
    if scale == 1.0:
        assert [box.text for box in boxes] == LINES["en"]
        assert all(0.5 < box.score <= 1 for box in boxes)


def ruled(lang):
    """A page with text and a ruled table, in English or Chinese."""
    words = {
        "en": ("Harbour boats", "Every boat has a bell.", "Boat", "Seats", "Crew", "Tern", "24 and 18"),
        "zh": ("码头的船", "每条船上都有一口钟。", "船名", "座位", "船员", "燕鸥", "二十四人"),
    }[lang]
    title, body, *cells = words
    rows = (tuple(map(Cell, cells[:3])), (Cell(cells[3]), Cell(cells[4], 2)))
    texts = {"title": Text(title, 40, 34, 440, 50, 30), "body": Text(body, 40, 110, 440, 40, 22)}
    return set_page(
        Design(560, 360, texts=texts, tables={"table": Table(rows, 40, 200, (120, 130, 140), 48, 22)}), lang
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pages_with_tables_are_read_into_blocks(engine, lang):
    made = ruled(lang)
    (blocks,) = BoxReader(engine).read([made.draw()])
    scores = block_scores(made.blocks(), blocks, lang=lang)
    assert scores["cdm"] > 0.95  # it loses a space before "and", and one character of the Chinese table
    assert scores["teds"] > 0.9
    assert scores["spurious"] == 0
    assert scores["iou"] > 0.7


@pytest.mark.parametrize(
    ("text", "lang"),
    [("46", "en"), ("35.75", "en"), ("5,527", "en"), ("Dunholt", "en"), ("北区六十二", "zh"), ("Genoa 馆", "mixed")],
)
def test_small_regions_are_read(engine, text, lang):
    made = set_page(Design(400, 200, texts={"t": Text(text, 100, 80, 280, 40, 22)}), lang)
    left, top, right, bottom = made.texts[0].box
    region = int(left) - 6, int(top) - 6, int(right) + 6, int(bottom) + 6
    (block,) = read_region(BoxReader(engine), made.draw(), region)
    assert block.text == text


def test_missing_language_data_name_the_debian_package(tmp_path, monkeypatch):
    shutil.copy(DATA / "eng.traineddata", tmp_path)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    engine = Tesseract()
    assert read(engine, page(LINES["en"][:2])) == "\n".join(LINES["en"][:2])
    for lang, package in (("zh", "tesseract-ocr-chi-sim"), ("ko", "tesseract-ocr-kor")):
        with pytest.raises(NotInstalled, match=f"install the Debian package {package}") as caught:
            read(engine, page(LINES["en"][:1]), lang)
        assert str(tmp_path) in str(caught.value)
    assert [box.text for box in engine.read_boxes(page(LINES["en"][:2]))] == LINES["en"][:2]
    (tmp_path / "eng.traineddata").unlink()
    with pytest.raises(NotInstalled, match="install the Debian package tesseract-ocr-eng"):
        Tesseract().read_boxes(page(LINES["en"][:1]))


def test_a_prefix_that_is_the_parent_folder_works(tmp_path, monkeypatch):
    (tmp_path / "tessdata").mkdir()
    shutil.copy(DATA / "eng.traineddata", tmp_path / "tessdata")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    assert read(Tesseract(), page(LINES["en"][:1])) == LINES["en"][0]


def test_other_language_data_are_another_model(tmp_path, monkeypatch):
    before = revision()
    assert "eng " in before
    shutil.copy(DATA / "eng.traineddata", tmp_path)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    only_english = revision()
    with (tmp_path / "eng.traineddata").open("ab") as file:
        file.write(b"\0")
    assert len({before, only_english, revision()}) == 3


def test_a_language_it_is_not_set_up_for(engine):
    with pytest.raises(ValueError, match="reads en, zh, ko, not 'fr'"):
        read(engine, page(["x"]), "fr")


def test_psm_is_passed_on():
    assert resolve("m", {"m": {"adapter": "tesseract", "psm": 7}}).load()._api("en").GetPageSegMode() == 7


def test_missing_tesserocr_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "tesserocr", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[tesseract\]'"):
        Tesseract()


@pytest.mark.parametrize(("given", "kept"), [(None, "1"), ("3", "3")])
def test_one_thread_unless_the_user_chose(given, kept):
    environment = {name: value for name, value in os.environ.items() if name != "OMP_THREAD_LIMIT"}
    if given:
        environment["OMP_THREAD_LIMIT"] = given
    code = (
        "import os; from pytest_vtcfaith.models import resolve; spec = resolve('tesseract');"
        "before = 'OMP_THREAD_LIMIT' in os.environ; spec.load(); print(before, os.environ['OMP_THREAD_LIMIT'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.split() == [str(given is not None), kept]


def test_nothing_is_printed_to_the_terminal():
    code = (
        "from PIL import Image; from pytest_vtcfaith.models import Prompt, resolve;"
        "resolve('tesseract').load().transcribe([Image.new('RGB', (300, 200), 'white')], Prompt('', 'en'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")
