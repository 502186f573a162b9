"""The transformers adapter on tiny models with random weights, whose every token is one printable character."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import tiny_vlm
from PIL import Image

from pytest_vtcfaith.metrics.outcomes import Reply, outcome
from pytest_vtcfaith.models import NotInstalled, Prompt, resolve
from pytest_vtcfaith.models.vlm import Question
from pytest_vtcfaith.pages import fit_budget, render

pytest.importorskip("torch", reason="the extra 'torch' is not installed")
pytest.importorskip("transformers", reason="the extra 'torch' is not installed")

PLAIN = Prompt("Read the page.", "en")
TEXT = "The harbour wall was mended in the spring, and the pier stood open again by the first week of May. " * 8


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    import torch

    torch.set_num_threads(1)  # such small products only wait for each other, and other workers want the cores


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: tiny_vlm.save_tiny_vlm(kind, tmp_path_factory.mktemp(kind)) for kind in tiny_vlm.KINDS}


def loaded(folder: Path, **options: Any) -> Any:
    table = {"adapter": "transformers", "model": str(folder), "max_new_tokens": 12, "device": "cpu", **options}
    return resolve("m", {"m": table}).load()


def pages(family: str, *ratios: float) -> tuple[list[Image.Image], list[int]]:
    """Pages of different sizes, each of a size that costs the family exactly so many tokens."""
    fits = [fit_budget(2000, ratio, family=family, page_width=595, page_height=842) for ratio in ratios]
    return [render(TEXT, size=(fit.width, fit.height)).image for fit in fits], [fit.tokens for fit in fits]


@pytest.mark.parametrize("kind", tiny_vlm.KINDS)
def test_a_batch_reads_as_four_singles_do(folders: dict[str, Path], kind: str) -> None:
    model = loaded(folders[kind])
    images, tokens = pages(kind, 12, 16, 20, 28)
    together = model.transcribe(images, PLAIN)
    alone = [model.transcribe([image], PLAIN)[0] for image in images]
    assert together == alone
    assert len({reply.text for reply in together}) == 4, "pages of no influence prove nothing"
    assert [reply.image_tokens for reply in together] == tokens  # the processor did not resize again


@pytest.mark.parametrize("kind", tiny_vlm.KINDS)
def test_generation_is_the_plain_argmax(folders: dict[str, Path], kind: str) -> None:
    """Against one forward pass a token, without cache; the checkpoint itself asks for sampling and a penalty."""
    import torch

    model = loaded(folders[kind], max_new_tokens=6)
    (image,), _ = pages(kind, 20)
    (reply,) = model.transcribe([image], PLAIN)
    inputs = model._inputs([Question(image, PLAIN.text)], [model.rendered(Question(image, _asked(kind)))])
    written: list[int] = []
    for _ in range(6):
        with torch.inference_mode():
            token = int(model._model(**inputs).logits[0, -1].argmax())
        written.append(token)
        for key, value in (("input_ids", token), ("attention_mask", 1), ("mm_token_type_ids", 0)):
            inputs[key] = torch.cat([inputs[key], torch.tensor([[value]])], dim=1)
    assert reply.text == model._tokenizer.decode(written, skip_special_tokens=True)
    assert (reply.finish_reason, reply.completion_tokens, reply.max_tokens) == ("length", 6, 6)
    assert outcome(TEXT, reply, lang="en") in ("truncated", "empty")


def _asked(kind: str) -> str:
    from pytest_vtcfaith.models.presets.table import PRESETS

    return PRESETS["qwen3-vl" if kind == "qwen3-vl" else "qwen2.5-vl"].prompt or PLAIN.text


def test_the_end_token_ends_a_page_and_not_its_neighbours(folders: dict[str, Path], tmp_path: Path) -> None:
    images, _ = pages("qwen2-vl", 14, 20)
    model = loaded(folders["qwen2-vl"])
    first, second = (reply.text for reply in model.transcribe(images, PLAIN))
    at = next(i for i, letter in enumerate(first) if i > 2 and letter not in first[:i] and letter not in second)
    folder = tmp_path / "ending"
    shutil.copytree(folders["qwen2-vl"], folder)
    settings = json.loads((folder / "generation_config.json").read_text(encoding="utf-8"))
    end = model._tokenizer.convert_tokens_to_ids(first[at])
    settings["eos_token_id"] = [settings["eos_token_id"], end]
    (folder / "generation_config.json").write_text(json.dumps(settings), encoding="utf-8")
    ended, unended = loaded(folder).transcribe(images, PLAIN)
    assert (ended.text, ended.finish_reason, ended.completion_tokens) == (first[:at], "stop", at)
    assert (unended.text, unended.finish_reason) == (second, "length")


def test_a_page_beyond_the_context_fails_alone(folders: dict[str, Path]) -> None:
    model = loaded(folders["qwen2-vl"])
    images, _ = pages("qwen2-vl", 20, 24)
    huge = Image.new("RGB", (28 * 50, 28 * 45), "white")
    good = model.transcribe(images, PLAIN)
    first, failed, last = model.transcribe([images[0], huge, images[1]], PLAIN)
    assert [first, last] == good
    assert failed.text is None
    asked = len(_asked("qwen2-vl")) + len("user\n\nassistant\n") + 5
    assert f"are {50 * 45 + asked} tokens" in failed.error
    assert f"context is {tiny_vlm.MAX_POSITIONS};" in failed.error
    (only,) = model.transcribe([huge], PLAIN)
    assert only == failed


def test_a_page_near_the_context_is_cut_off_there(tmp_path: Path) -> None:
    folder = tiny_vlm.save_tiny_vlm("qwen2-vl", tmp_path, sizes={"positions": 300})
    near, far = Image.new("RGB", (28 * 12, 28 * 12), "white"), Image.new("RGB", (28 * 4, 28 * 4), "grey")
    model = loaded(folder, max_new_tokens=64)
    replies = model.transcribe([near, far], PLAIN)
    left = 300 - (144 + len(_asked("qwen2-vl")) + len("user\n\nassistant\n") + 5)
    assert 0 < left < 64
    assert [reply.max_tokens for reply in replies] == [left, 64]
    assert [reply.completion_tokens for reply in replies] == [left, 64]
    assert replies == [model.transcribe([image], PLAIN)[0] for image in (near, far)]


def test_pixel_settings_reach_the_processor(folders: dict[str, Path]) -> None:
    images, tokens = pages("qwen2-vl", 10)
    (reply,) = loaded(folders["qwen2-vl"], max_pixels=28 * 28 * 50).transcribe(images, PLAIN)
    assert reply.image_tokens is not None
    assert 30 < reply.image_tokens <= 50 < tokens[0]
    (reply,) = loaded(folders["qwen2-vl"], min_pixels=28 * 28 * 400).transcribe(images, PLAIN)
    assert reply.image_tokens is not None
    assert reply.image_tokens >= 400
    over = Reply(text=reply.text, image_tokens=reply.image_tokens, budget_tokens=tokens[0])
    assert outcome(TEXT, over, lang="en") == "budget_not_applied"


def test_without_a_chat_template_the_preset_says_how_to_ask(folders: dict[str, Path], tmp_path: Path) -> None:
    bare = tiny_vlm.save_tiny_vlm("qwen2-vl", tmp_path / "bare", template=False)
    images, _ = pages("qwen2-vl", 20)
    assert loaded(bare).transcribe(images, PLAIN) == loaded(folders["qwen2-vl"]).transcribe(images, PLAIN)
    with pytest.raises(ValueError, match=r"no chat template, and the preset 'none' no literal.*chat_template\.jinja"):
        loaded(bare, preset="none").transcribe(images, PLAIN)


def test_the_prompt_and_the_preset_reach_the_model(folders: dict[str, Path]) -> None:
    model = loaded(folders["qwen3-vl"], preset="hunyuan-ocr")
    rendered = model.rendered(Question(Image.new("RGB", (64, 64)), "OCR the document.", ""))
    assert rendered == (
        "<|im_start|>system\n<|im_end|>\n<|im_start|>user\n<|vision_start|><|image_pad|><|vision_end|>"
        "OCR the document.<|im_end|>\n<|im_start|>assistant\n"
    )
    images, _ = pages("qwen3-vl", 20)
    plain = loaded(folders["qwen3-vl"])
    (one,), (other,) = (plain.transcribe(images, Prompt(text, "en")) for text in ("Read.", "Spell every word."))
    assert one.text != other.text
    (fixed,) = loaded(folders["qwen3-vl"], prompt="Read.").transcribe(images, Prompt("Spell every word.", "en"))
    assert fixed == one


def test_padding_on_the_right_is_refused(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    model = loaded(folders["qwen2-vl"])
    images, _ = pages("qwen2-vl", 10, 20)
    stubborn = type(model._processor).__call__
    padding = {"padding_side": "right"}
    monkeypatch.setattr(type(model._processor), "__call__", lambda self, **given: stubborn(self, **given | padding))
    with pytest.raises(RuntimeError, match="padded on the right"):
        model.transcribe(images, PLAIN)


def test_a_model_that_names_no_image_token_reports_none(folders: dict[str, Path]) -> None:
    model = loaded(folders["qwen2-vl"])
    images, _ = pages("qwen2-vl", 20)
    (known,) = model.transcribe(images, PLAIN)
    model._image_token = None
    (unknown,) = model.transcribe(images, PLAIN)
    assert (unknown.image_tokens, unknown.text) == (None, known.text)


def test_questions_in_words_alone_and_about_pictures(folders: dict[str, Path]) -> None:
    model = loaded(folders["qwen3-vl"], batch_size=2)
    asked = ["Is 12 + 7 = 19?", "Is it right that all of this follows?", "Why?"]
    together = model.judge(asked)
    assert together == [model.judge([question])[0] for question in asked]
    assert len({reply.text for reply in together}) == 3, "questions of no influence prove nothing"
    assert {reply.image_tokens for reply in together} == {0}
    assert all(reply.finish_reason == "length" for reply in together)
    images, tokens = pages("qwen3-vl", 20, 28)
    answers = model.answer(images, asked[:2])
    assert [reply.image_tokens for reply in answers] == tokens
    assert answers == [model.answer([image], [question])[0] for image, question in zip(images, asked, strict=False)]
    assert model.judge([]) == []


def test_without_a_chat_template_nothing_can_be_judged(tmp_path: Path) -> None:
    model = loaded(tiny_vlm.save_tiny_vlm("qwen3-vl", tmp_path, template=False))
    with pytest.raises(ValueError, match="has no chat template: it cannot be asked without a picture"):
        model.judge(["Is it?"])


def test_no_pages_no_replies(folders: dict[str, Path]) -> None:
    assert loaded(folders["qwen2-vl"]).transcribe([], PLAIN) == []


def test_settings_change_the_identity_and_nothing_else_does(folders: dict[str, Path], tmp_path: Path) -> None:
    def identity(folder: Path, **options: Any) -> dict[str, Any]:
        return resolve("m", {"m": {"adapter": "transformers", "model": str(folder), **options}}).identity

    base = identity(folders["qwen2-vl"])
    copy = tmp_path / "elsewhere"
    shutil.copytree(folders["qwen2-vl"], copy)
    assert identity(copy) == base
    (copy / "README.md").write_text("a card", encoding="utf-8")
    assert identity(copy) == base
    changed: Sequence[dict[str, Any]] = [
        identity(copy, **{key: value})
        for key, value in {
            "dtype": "bfloat16", "max_new_tokens": 5, "prompt": "Read.", "preset": "none", "max_pixels": 99,
            "attention": "eager", "batch_size": 3, "image_backend": "torchvision",
        }.items()
    ]  # fmt: skip
    other = tiny_vlm.save_tiny_vlm("qwen2-vl", tmp_path / "other", seed=1)
    changed = [base, *changed, identity(other)]
    assert len({json.dumps(each, sort_keys=True) for each in changed}) == len(changed)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_new_tokens": 0}, "max_new_tokens = 0 must be a whole number over 0"),
        ({"max_new_tokens": True}, "max_new_tokens = True must be a whole number over 0"),
        ({"dtype": "fp16"}, "dtype = 'fp16' must be one of auto, bfloat16"),
        ({"trust_remote_code": "yes"}, "trust_remote_code = 'yes' must be true or false"),
        ({"image_backend": "cv2"}, "image_backend = 'cv2' must be one of pil, torchvision"),
        ({"languages": "en"}, "languages = 'en' must be a list"),
        ({"prompt": 3}, "prompt = 3 must be text"),
        ({"temperature": 0.5}, "unknown option 'temperature'; known options: preset"),
        ({"revision": "main"}, "revision = 'main' is for hub names"),
        ({"preset": "mineru2.5", "prompt": "x"}, "mineru2.5 asks in two steps of its own"),
        ({"visual_tokens": "qwen"}, "unknown visual-token family 'qwen'"),
    ],
)
def test_wrong_options_are_named(folders: dict[str, Path], options: dict[str, Any], said: str) -> None:
    table = {"adapter": "transformers", "model": str(folders["qwen2-vl"]), **options}
    with pytest.raises(ValueError, match="model 'm'") as caught:
        resolve("m", {"m": table})
    assert said in str(caught.value)


@pytest.mark.parametrize("identifier", ["./no-such-folder", "/no/such/folder", "a/b/c"])
def test_a_missing_folder_is_named(identifier: str) -> None:
    with pytest.raises(ValueError, match=r"no folder .*give a folder or a hub name"):
        resolve(f"transformers:{identifier}")


def test_trusting_remote_code_is_off_by_default(folders: dict[str, Path]) -> None:
    assert resolve(f"transformers:{folders['qwen2-vl']}").options["trust_remote_code"] is False


def test_what_is_missing_is_said(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = resolve(f"transformers:{folders['qwen2-vl']}")
    monkeypatch.setitem(__import__("sys").modules, "transformers", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[torch\]'"):
        spec.load()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"device": "cuda:99"}, r"device = 'cuda:99': .*give auto or cpu"),
        ({"device": "xpu:99"}, r"device = 'xpu:99': .*give auto or cpu"),
        ({"attention": "flash_attention_2"}, r"attention = 'flash_attention_2': .*leave it out"),
    ],
)
def test_what_this_machine_lacks_names_table_option_value_and_mend(
    folders: dict[str, Path], options: dict[str, Any], said: str
) -> None:
    import torch

    if torch.cuda.is_available() and "attention" in options:
        pytest.skip("there is a GPU")
    with pytest.raises(NotInstalled, match=rf"^\[tool\.vtcfaith\.models\.m\]: {said}"):
        loaded(folders["qwen2-vl"], **options)
