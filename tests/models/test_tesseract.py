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

from pytest_vtcfaith.models import resolve
from pytest_vtcfaith.models.protocols import NotInstalled, Prompt, Transcriber
from pytest_vtcfaith.models.tesseract import SYSTEM_FOLDERS, Tesseract, revision

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


def test_missing_language_data_name_the_debian_package(tmp_path, monkeypatch):
    shutil.copy(DATA / "eng.traineddata", tmp_path)
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    engine = Tesseract()
    assert read(engine, page(LINES["en"][:2])) == "\n".join(LINES["en"][:2])
    for lang, package in (("zh", "tesseract-ocr-chi-sim"), ("ko", "tesseract-ocr-kor")):
        with pytest.raises(NotInstalled, match=f"install the Debian package {package}") as caught:
            read(engine, page(LINES["en"][:1]), lang)
        assert str(tmp_path) in str(caught.value)


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
