"""The real RapidOCR on small pages."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from PIL import Image
from printed import LINES, font, page

from pytest_vtcfaith.models.protocols import NotInstalled, Prompt, Transcriber
from pytest_vtcfaith.models.rapidocr import RapidOcr, TextBox, group_lines


@pytest.fixture(scope="module")
def engine() -> RapidOcr:
    return RapidOcr()


def read(engine: RapidOcr, image: Image.Image, lang: str = "en") -> str:
    (reply,) = engine.transcribe([image], Prompt("", lang))
    return reply.text


def test_is_a_transcriber_and_reads_a_batch_in_order(engine):
    assert isinstance(engine, Transcriber)
    images = [page(LINES["en"][:2]), Image.new("RGB", (200, 100), "white"), page(LINES["en"][2:])]
    texts = [reply.text for reply in engine.transcribe(images, Prompt("", "en"))]
    assert texts == ["\n".join(LINES["en"][:2]), "", "\n".join(LINES["en"][2:])]


def test_reads_misspelt_words_as_printed(engine):
    lines = ["The habruor matser cnouted lantrens on the", "nrothern peir bfeore teh fog roleld in."]
    assert read(engine, page(lines)) == "\n".join(lines)


def test_reads_chinese_without_spaces_of_its_own(engine):
    text = read(engine, page(LINES["zh"], "zh", size=28, pitch=36), "zh")
    assert text == "\n".join(LINES["zh"])


def test_tiny_text_is_found_and_the_next_page_is_read_as_before(engine):
    normal = page(LINES["en"])
    before = read(engine, normal)
    tiny = read(engine, page(LINES["en"] * 5, scale=0.4))
    words, printed = set(tiny.split()), set(" ".join(LINES["en"]).split())
    assert len(words & printed) >= 0.8 * len(printed)
    assert read(engine, normal) == before


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (400, 3), (600, 800)])
@pytest.mark.parametrize("colour", ["white", "black"])
def test_blank_pages_give_no_text(engine, size, colour):
    assert read(engine, Image.new("RGB", size, colour)) == ""


def test_boxes_lie_on_their_text(engine):
    image = page(["harbour", "", "lantern"], size=30, pitch=40)
    boxes = engine.read_boxes(image)
    assert [box.text for box in boxes] == ["harbour", "lantern"]
    for box, top in zip(boxes, (30, 110), strict=True):
        left, upper, right, lower = box.box
        assert left <= 34
        assert right >= 25 + font("en", 30).getlength(box.text)
        assert top - 10 <= upper <= top + 15
        assert top + 25 <= lower <= top + 55
        assert 0.5 <= box.score <= 1.0


def boxed(text: str, left: float, top: float, width: float = 40, height: float = 20) -> TextBox:
    return TextBox((left, top, left + width, top + height), text, 1.0)


def test_reading_order_survives_uneven_boxes():
    lines = [
        [boxed("a", 0, 0), boxed("b", 50, 4, height=16), boxed("c", 100, -5, height=24)],
        [boxed("d", 3, 23), boxed("e", 60, 28)],
        [boxed("f", 1, 46)],
    ]
    boxes = [box for line in lines for box in line]
    for seed in range(20):
        shuffled = random.Random(seed).sample(boxes, len(boxes))
        assert [[box.text for box in line] for line in group_lines(shuffled)] == [["a", "b", "c"], ["d", "e"], ["f"]]


def test_no_boxes_no_lines():
    assert group_lines([]) == []


def said_on_loading(folder: Path, **packages: str) -> str:
    """What loading says, in a fresh process, when these packages stand before the installed ones."""
    for package, body in packages.items():
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(body, encoding="utf-8")
    code = """
    from pytest_vtcfaith.models import NotInstalled, resolve
    try:
        resolve('rapidocr').load()
    except NotInstalled as error:
        print(error)
    """
    environment = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_missing_system_libraries_name_the_debian_packages(tmp_path):
    said = said_on_loading(tmp_path, cv2="raise ImportError('libGL.so.1: cannot open shared object file')")
    assert "apt-get install libgl1 libglib2.0-0" in said
    assert "libGL.so.1" in said


def test_missing_rapidocr_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[rapidocr\]'"):
        RapidOcr()


def test_a_missing_runtime_names_the_extra(tmp_path):
    said = said_on_loading(tmp_path, onnxruntime="raise ModuleNotFoundError(\"No module named 'onnxruntime'\")")
    assert "RapidOCR's runtime onnxruntime is not installed" in said
    assert "pip install 'pytest-vtcfaith[rapidocr]'" in said


def test_missing_networks_are_named_and_never_downloaded(tmp_path):
    said = said_on_loading(tmp_path, rapidocr="")
    assert "PP-OCRv6_det_small.onnx is missing" in said


def test_loading_and_reading_open_no_connection_and_print_nothing():
    code = """
    import socket
    def refuse(*args, **kwargs): raise AssertionError('network')
    socket.socket.connect = refuse
    socket.getaddrinfo = refuse
    from PIL import Image
    from pytest_vtcfaith.models import Prompt, resolve
    model = resolve('rapidocr').load()
    model.transcribe([Image.new('RGB', (80, 60), 'white')], Prompt('', 'en'))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
