"""The diffusers adapter on tiny pipelines with random weights."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny_diffusion
from PIL import Image

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models import NotInstalled, resolve
from pytest_vtcfaith.models.diffusers import DiffusersModel, fitting, pipeline_class, pipeline_revision
from pytest_vtcfaith.models.protocols import Editor, Illustrator

pytest.importorskip("diffusers", reason="the extra 'edit' is not installed")
torch: Any = pytest.importorskip("torch", reason="the extra 'edit' is not installed")


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_diffusion.save_pipeline(tmp_path_factory.mktemp("editor"), edits=True)


@pytest.fixture(scope="module")
def illustrator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_diffusion.save_pipeline(tmp_path_factory.mktemp("illustrator"), edits=False)


def spec(folder: Path | str, **options: Any) -> Any:
    return resolve("m", {"m": {"adapter": "diffusers", "model": str(folder), **options}})


def loaded(folder: Path, **options: Any) -> DiffusersModel:
    model: DiffusersModel = spec(folder, **{"steps": 2, "device": "cpu", **options}).load()
    return model


def page(width: int = 64, height: int = 48, shade: int = 230) -> Image.Image:
    image = Image.new("RGB", (width, height), (shade, shade, 250))
    image.paste((10, 10, 60), (8, 8, width - 20, 20))
    return image


def pictures(made: list[Image.Image | Reply]) -> list[bytes]:
    assert all(isinstance(image, Image.Image) for image in made), made
    return [image.tobytes() for image in made if isinstance(image, Image.Image)]


def test_it_edits(editor: Path) -> None:
    model = loaded(editor)
    assert isinstance(model, Editor)
    images = [page(), page(96, 64), page(50, 41)]
    words = ["make the bar red", "remove the bar", "remove the bar"]
    made = model.edit(images, words)
    assert [image.size for image in made if isinstance(image, Image.Image)] == [(64, 48), (96, 64), (48, 48)]
    alone = [model.edit([image], [text])[0] for image, text in zip(images, words, strict=True)]
    assert pictures(made) == pictures(alone)  # each from the same seed, whatever came before
    assert model.settings == {
        "pipeline": "StableDiffusionInstructPix2PixPipeline",
        "dtype": "float32",
        "device": "cpu",
    }


def test_picture_and_instruction_and_seed_count(editor: Path) -> None:
    model = loaded(editor)
    first = pictures(model.edit([page()], ["make the bar red"]))
    assert first != pictures(model.edit([page()], ["remove"]))
    assert first != pictures(model.edit([page(shade=20)], ["make the bar red"]))
    assert first != pictures(loaded(editor, seed=1).edit([page()], ["make the bar red"]))
    assert first != pictures(loaded(editor, steps=3).edit([page()], ["make the bar red"]))
    assert first == pictures(loaded(editor).edit([page()], ["make the bar red"]))


def test_it_is_the_pipeline_itself(editor: Path) -> None:
    """Against a call of diffusers by hand, with the arguments that the options stand for."""
    import diffusers

    pipeline = diffusers.StableDiffusionInstructPix2PixPipeline.from_pretrained(editor)
    expected = pipeline(
        "make the bar red",
        page(),
        num_inference_steps=2,
        guidance_scale=3.0,
        image_guidance_scale=2.0,
        negative_prompt="blur",
        generator=torch.Generator().manual_seed(7),
    ).images[0]
    model = loaded(editor, guidance=3.0, image_guidance=2.0, seed=7, call={"negative_prompt": "blur"})
    assert pictures(model.edit([page()], ["make the bar red"])) == [expected.tobytes()]


def test_it_draws(illustrator: Path) -> None:
    model = loaded(illustrator, width=64, height=32)
    assert isinstance(model, Illustrator)
    made = model.draw(["a page that says fog", "a page that says bell"])
    assert [image.size for image in made if isinstance(image, Image.Image)] == [(64, 32), (64, 32)]
    first, second = pictures(made)
    assert first != second
    assert pictures(model.draw(["a page that says fog"])) == [first]


def test_tasks_are_read_from_the_index(editor: Path, illustrator: Path, tmp_path: Path) -> None:
    assert spec(editor).tasks == {"edit"}
    assert spec(illustrator).tasks == {"draw"}
    assert resolve(f"diffusers:{editor}").tasks == {"edit"}
    for kind, tasks in (
        ("QwenImageEditPipeline", {"edit"}),
        ("FluxKontextPipeline", {"edit"}),
        ("Flux2Pipeline", {"edit", "draw"}),
        ("QwenImagePipeline", {"draw"}),
        ("StableDiffusionXLImg2ImgPipeline", {"edit"}),
    ):
        (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": kind}), encoding="utf-8")
        assert spec(tmp_path).tasks == tasks


def test_an_illustrator_is_made_an_editor_by_the_task(illustrator: Path) -> None:
    model = loaded(illustrator, task="edit", call={"strength": 0.9})
    assert spec(illustrator, task="edit").tasks == {"edit"}
    assert model.settings["pipeline"] == "StableDiffusionImg2ImgPipeline"
    assert len(pictures(model.edit([page()], ["a page that says fog"]))) == 1


def test_what_the_safety_checker_takes_out_is_refused(tmp_path: Path) -> None:
    model = loaded(tiny_diffusion.save_pipeline(tmp_path, edits=True, checked=True))
    (reply,) = model.edit([page()], ["make the bar red"])
    assert isinstance(reply, Reply)
    assert "nsfw_content_detected" in (reply.refusal or "")


@pytest.mark.parametrize(
    ("size", "most", "expected"),
    [
        ((64, 48), 2**20, (64, 48)),
        ((595, 842), 2**20, (592, 848)),
        ((2000, 2000), 2**20, (1024, 1024)),
        ((3, 400), 2**20, (16, 400)),
        ((1, 1), 1, (16, 16)),
    ],
)
def test_sizes(size: tuple[int, int], most: int, expected: tuple[int, int]) -> None:
    assert fitting(Image.new("RGB", size), most).size == expected


def test_the_revision_is_of_all_files(editor: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(editor, copy)
    assert pipeline_revision(copy) == pipeline_revision(editor)
    assert spec(copy).revision.startswith(f"{pipeline_revision(editor)}; adapter diffusers 1; diffusers ")
    with (copy / "unet" / "diffusion_pytorch_model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        file.write(b"\x77")
    assert pipeline_revision(copy) != pipeline_revision(editor)


def test_identity_has_what_shapes_a_picture(editor: Path) -> None:
    plain = json.dumps(spec(editor).identity, sort_keys=True)
    for change in ({"seed": 1}, {"steps": 9}, {"max_pixels": 5000}, {"call": {"eta": 0.5}}, {"dtype": "bfloat16"}):
        assert json.dumps(spec(editor, **change).identity, sort_keys=True) != plain
    for same in ({"languages": ["en"]}, {"download": True}):
        assert json.dumps(spec(editor, **same).identity, sort_keys=True) == plain
    assert spec(editor).lives == "host"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"step": 3}, "unknown option 'step'; known options: task"),
        ({"steps": 0}, "steps = 0 must be a whole number over 0"),
        ({"guidance": -1}, "guidance = -1 must be a number from 0"),
        ({"width": 100}, "width = 100 must be a multiple of 16"),
        ({"task": "transcribe"}, "task = 'transcribe' must be 'edit' or 'draw'"),
        ({"dtype": "int8"}, "dtype = 'int8' must be one of auto"),
        ({"call": {"generator": 1}}, r"call\.generator is set by the adapter"),
        ({"call": {"guidance_scale": 1}}, r"call\.guidance_scale is set by the adapter or by an option"),
        ({"revision": "main"}, "is for hub names"),
        ({"trust_remote_code": True}, "unknown option 'trust_remote_code'"),
    ],
)
def test_wrong_options(editor: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        spec(editor, **options)


def test_an_option_that_the_pipeline_does_not_know(editor: Path, illustrator: Path) -> None:
    with pytest.raises(ValueError, match=r"models\.m\]: image_guidance: StableDiffusionPipeline does not know it"):
        loaded(illustrator, image_guidance=2)
    with pytest.raises(ValueError, match=r"models\.m\]: width: StableDiffusionInstructPix2PixPipeline does not"):
        loaded(editor, width=64)
    with pytest.raises(ValueError, match=r"call\.true_cfg_scale: StableDiffusion\w+ does not know it"):
        loaded(editor, call={"true_cfg_scale": 4})


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (None, "cannot be read .*give a pipeline's folder"),
        ("[", "cannot be read"),
        ("[]", "_class_name = None names no pipeline"),
        ('{"_class_name": ["my_pipeline", "Mine"]}', "is code of the checkpoint, which is not run"),
    ],
)
def test_folders_that_are_no_pipeline(tmp_path: Path, index: str | None, told: str) -> None:
    if index is not None:
        (tmp_path / "model_index.json").write_text(index, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        spec(tmp_path)


def test_the_code_of_a_checkpoint_is_not_run(illustrator: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(illustrator, copy)
    proof = tmp_path / "it-ran"
    for file in (copy / "pipeline.py", copy / "unet" / "my_unet.py"):
        file.write_text(f"open({str(proof)!r}, 'w')\nclass Mine: pass\n", encoding="utf-8")
    index = json.loads((copy / "model_index.json").read_text(encoding="utf-8"))
    index["unet"] = ["my_unet", "Mine"]
    (copy / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    assert pipeline_class(copy, "m") == "StableDiffusionPipeline"
    with pytest.raises(Exception, match=r"my_unet|trust_remote_code"):
        loaded(copy)
    assert not proof.exists()


def test_hub_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    name = "harbour/pix2pix"
    with pytest.raises(ValueError, match=r"harbour/pix2pix is not on this machine: give task = 'edit' or 'draw'"):
        spec(name)
    assert spec(name, task="edit").revision == ""
    with pytest.raises(
        NotInstalled, match=r"harbour/pix2pix is not on this machine: give a folder, or download = true"
    ):
        spec(name, task="edit").load()
    commit = "a" * 40
    (tmp_path / "models--harbour--pix2pix" / "refs").mkdir(parents=True)
    (tmp_path / "models--harbour--pix2pix" / "refs" / "main").write_text(commit, encoding="utf-8")
    snapshot = tmp_path / "models--harbour--pix2pix" / "snapshots" / commit
    snapshot.mkdir(parents=True)
    (snapshot / "model_index.json").write_text('{"_class_name": "QwenImageEditPipeline"}', encoding="utf-8")
    assert spec(name).tasks == {"edit"}
    assert spec(name).revision.startswith(f"{name}@{commit}; adapter diffusers")


def test_what_is_missing(editor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not torch.cuda.is_available():
        with pytest.raises(NotInstalled, match=r"models\.m\]: device = 'cuda': torch finds no CUDA device"):
            loaded(editor, device="cuda")
    monkeypatch.setitem(sys.modules, "diffusers", None)
    with pytest.raises(NotInstalled, match=r"pip install 'pytest-vtcfaith\[edit\]'"):
        loaded(editor)
    with pytest.raises(ValueError, match="no checkpoint; write diffusers:PATH"):
        resolve("m", {"m": {"adapter": "diffusers"}})
