"""CLIP similarity (`models/scorers/clip.py`) on a tiny CLIP with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageFilter
from printed import LINES, page
from tiny_diffusion import save_tokenizer

from pytest_vtcfaith.models import NotInstalled
from pytest_vtcfaith.models.scorers import PictureScorer, Unmeasured, clip_scorer
from pytest_vtcfaith.models.scorers.clip import Clip

torch: Any = pytest.importorskip("torch", reason="the extra 'edit' is not installed")
transformers: Any = pytest.importorskip("transformers", reason="the extra 'edit' is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil

    made = tmp_path_factory.mktemp("clip")
    tokenizer = save_tokenizer(made)
    torch.manual_seed(0)
    small = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    config = transformers.CLIPConfig(
        text_config={**small, "vocab_size": len(tokenizer), "max_position_embeddings": 77, **ends},
        vision_config={**small, "image_size": 32, "patch_size": 8},
        projection_dim=12,
    )
    transformers.CLIPModel(config).save_pretrained(made)
    picture = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    transformers.CLIPProcessor(image_processor=picture, tokenizer=tokenizer).save_pretrained(made)
    return made


@pytest.fixture(scope="module")
def scorer(folder: Path) -> Clip:
    made = clip_scorer(folder)
    assert isinstance(made, Clip)
    return made


def picture() -> Image.Image:
    return page(LINES["en"])


def test_two_pictures(scorer: Clip) -> None:
    assert isinstance(scorer, PictureScorer)
    blurred = [picture().filter(ImageFilter.GaussianBlur(radius)) for radius in (2, 40)]
    assert scorer.score(picture(), picture()) == pytest.approx(1)
    near, far = (scorer.score(picture(), other) for other in blurred)
    assert -1 <= far < near < 1
    assert scorer.score(blurred[0], picture()) == pytest.approx(near, abs=1e-6)
    with pytest.raises(ValueError, match="differ: resize the output"):
        scorer.score(picture(), Image.new("RGB", (30, 30)))


def test_against_the_model_itself(scorer: Clip) -> None:
    """CLIP's own logits are the cosine times a learned scale."""
    text = "the harbour master counted"
    inputs = scorer._processor(text=[text], images=[picture()], return_tensors="pt")
    with torch.inference_mode():
        logits = scorer._model(**inputs).logits_per_image
        expected = float(logits[0, 0] / scorer._model.logit_scale.exp())
    cosine, cut = scorer.text_score(picture(), text)
    assert cosine == pytest.approx(expected, abs=1e-5)
    assert not cut


def test_a_long_text_is_cut_before_its_end_token(scorer: Clip) -> None:
    shown = picture()
    whole, cut = zip(*(scorer.text_score(shown, "x " * count) for count in (75, 76, 300)), strict=True)
    assert cut == (False, True, True)
    assert whole[1] == pytest.approx(whole[0], abs=1e-6)
    assert whole[2] == pytest.approx(whole[0], abs=1e-6)
    assert scorer.text_score(shown, "x " * 74)[0] != pytest.approx(whole[0], abs=1e-6)  # the 75th is not cut


def test_without_weights_nothing_is_measured(tmp_path: Path) -> None:
    nothing = clip_scorer(None)
    assert isinstance(nothing, Unmeasured)
    assert nothing.score(picture(), picture()) is None
    assert "[tool.vtcfaith.scorers]" in nothing.reason
    with pytest.raises(NotInstalled, match="there is no such folder"):
        clip_scorer("openai/clip-vit-base-patch32")
    with pytest.raises(ValueError, match="no CLIP checkpoint could be loaded"):
        clip_scorer(tmp_path)


def test_the_revision_is_of_the_files(folder: Path, scorer: Clip) -> None:
    assert scorer.revision.startswith("sha256:")
