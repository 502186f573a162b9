"""docTR: words joined in reading order; what is missing is said."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from PIL import Image

from pytest_vtcfaith.models import NotInstalled, Prompt, resolve
from pytest_vtcfaith.models.doctr import Doctr, page_text, page_words
from pytest_vtcfaith.models.page_reading import BoxFinder, BoxReader
from pytest_vtcfaith.models.rapidocr import TextBox

PLAIN = Prompt("", "en")


def page(*blocks: tuple[str, ...]) -> Any:
    """A page in docTR's shape, from the texts of its lines."""
    return SimpleNamespace(
        blocks=[
            SimpleNamespace(
                lines=[SimpleNamespace(words=[SimpleNamespace(value=word) for word in line.split()]) for line in lines]
            )
            for lines in blocks
        ]
    )


def test_reading_order() -> None:
    assert page_text(page(("Harbour news",), ("All is well", "today."))) == "Harbour news\n\nAll is well\ntoday."
    assert page_text(page((), ("All",))) == "All"
    assert page_text(page()) == ""


def test_all_pages_in_one_call() -> None:
    seen: list[Any] = []

    def predictor(arrays: list[Any]) -> Any:
        seen.append([array.shape for array in arrays])
        return SimpleNamespace(pages=[page(("one",)), page()])

    replies = Doctr(predictor).transcribe([Image.new("RGB", (30, 20)), Image.new("RGB", (10, 40))], PLAIN)
    assert [(reply.text, reply.finish_reason) for reply in replies] == [("one", "stop"), ("", "stop")]
    assert seen == [[(20, 30, 3), (40, 10, 3)]]


def placed(*words: tuple[str, tuple[tuple[float, float], ...]]) -> Any:
    """A page in docTR's shape: one line of words with their corners, as shares of the page."""
    made = [SimpleNamespace(value=value, geometry=corners, confidence=0.875) for value, corners in words]
    return SimpleNamespace(blocks=[SimpleNamespace(lines=[SimpleNamespace(words=made)])])


def test_boxes_are_in_pixels() -> None:
    straight = ("fog", ((0.25, 0.5), (0.5, 0.75)))
    turned = ("bell", ((0.5, 0.25), (0.75, 0.5), (0.5, 0.75), (0.25, 0.5)))
    assert page_words(placed(straight, turned), (400, 200)) == [
        TextBox((100, 100, 200, 150), "fog", 0.875),
        TextBox((100, 50, 300, 150), "bell", 0.875),
    ]
    assert page_words(page(), (400, 200)) == []


def test_its_words_become_blocks() -> None:
    words = [("The", ((0.1, 0.1), (0.2, 0.2))), ("bell", ((0.22, 0.1), (0.4, 0.2))), ("far", ((0.8, 0.1), (0.9, 0.2)))]
    engine = Doctr(lambda arrays: SimpleNamespace(pages=[placed(*words)]))
    assert isinstance(engine, BoxFinder)
    (blocks,) = BoxReader(engine).read([Image.new("RGB", (400, 200), "white")])
    assert [(block.text, tuple(map(round, block.box))) for block in blocks] == [
        ("The bell", (40, 20, 160, 40)),
        ("far", (320, 20, 360, 40)),
    ]


def test_spec() -> None:
    found = resolve("doctr")
    assert (found.lives, found.prompts, found.languages) == ("worker", False, {"en"})
    chosen = resolve("m", {"m": {"adapter": "doctr", "recognition": "parseq", "device": "cuda", "languages": ["en"]}})
    assert (chosen.lives, chosen.languages) == ("host", {"en"})
    assert "parseq" in chosen.revision
    assert chosen.identity != found.identity
    with pytest.raises(ValueError, match="'doctr' takes no model, got 'fast_base'"):
        resolve("doctr:fast_base")
    with pytest.raises(ValueError, match="model 'm': detection = 3 must be text"):
        resolve("m", {"m": {"adapter": "doctr", "detection": 3}})
    with pytest.raises(ValueError, match="unknown option 'threshold'"):
        resolve("m", {"m": {"adapter": "doctr", "threshold": 1}})
    for languages in ("en", 3, [["a"]], []):
        with pytest.raises(ValueError, match="model 'm': languages must be a collection"):
            resolve("m", {"m": {"adapter": "doctr", "languages": languages}})
    for device in ("nonsense", "cuda:", "cuda:x", ""):
        with pytest.raises(ValueError, match="model 'm': device"):
            resolve("m", {"m": {"adapter": "doctr", "device": device}})


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "doctr", None)
    monkeypatch.setitem(sys.modules, "doctr.models", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[doctr\]'"):
        resolve("doctr").load()


def test_weights_that_cannot_be_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def ocr_predictor(*architectures: str, pretrained: bool) -> Any:
        from urllib.error import URLError

        raise URLError("no network")

    monkeypatch.setitem(sys.modules, "doctr", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "doctr.models", SimpleNamespace(ocr_predictor=ocr_predictor))
    with pytest.raises(NotInstalled, match=r"weights of docTR's fast_base and crnn_vgg16_bn.*no network"):
        resolve("doctr").load()


@pytest.mark.skipif(find_spec("doctr") is None, reason="the extra 'doctr' is not installed")
def test_the_real_predictor_takes_our_pictures() -> None:
    """Small architectures with random weights: whatever they read, the shape of docTR's answer is what we expect."""
    from importlib import import_module

    predictor = import_module("doctr.models").ocr_predictor(
        "db_mobilenet_v3_large", "crnn_mobilenet_v3_small", pretrained=False, pretrained_backbone=False
    )
    replies = Doctr(predictor).transcribe([Image.effect_noise((256, 256), 90).convert("RGB")] * 2, PLAIN)
    assert len(replies) == 2
    assert all(isinstance(reply.text, str) for reply in replies)
    boxes = Doctr(predictor).read_boxes(Image.effect_noise((256, 256), 90).convert("RGB"))
    assert all(0 <= left <= right <= 256 and 0 <= top <= bottom <= 256 for (left, top, right, bottom), _, _ in boxes)


def test_other_scripts_and_devices_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"^\[tool\.vtcfaith\.models\.m\].*languages = \['zh'\].* Latin"):
        resolve("m", {"m": {"adapter": "doctr", "languages": ["zh"]}})
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    monkeypatch.setitem(sys.modules, "doctr", SimpleNamespace())
    monkeypatch.setitem(sys.modules, "doctr.models", SimpleNamespace())
    with pytest.raises(NotInstalled, match=r"models\.m\]: device = 'cuda:3': torch finds no CUDA device .*give cpu"):
        resolve("m", {"m": {"adapter": "doctr", "device": "cuda:3"}}).load()
