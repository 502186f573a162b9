"""Editors and illustrators through diffusers: a pipeline that turns a picture and an instruction, or a prompt, into a
picture.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_vtcfaith.metrics.outcomes import Reply
from pytest_vtcfaith.models.checkpoint import folder_revision, hub_cache, hub_revision
from pytest_vtcfaith.models.protocols import NotInstalled
from pytest_vtcfaith.models.spec import ModelSpec, check_options, shown, table
from pytest_vtcfaith.models.vlm_spec import VALUES, Values, checkpoint_folder, package_version

if TYPE_CHECKING:
    from PIL import Image

VERSION = 1  # a new number where the same checkpoint would be asked another thing
INDEX = "model_index.json"
EDITING = frozenset(
    {
        "BriaFiboEditPipeline",
        "FluxKontextPipeline",
        "JoyImageEditPipeline",
        "JoyImageEditPlusPipeline",
        "LongCatImageEditPipeline",
        "QwenImageEditPipeline",
        "QwenImageEditPlusPipeline",
        "StableDiffusionInstructPix2PixPipeline",
        "StableDiffusionXLInstructPix2PixPipeline",
    }
)
"""Pipelines that do to a picture what an instruction asks."""
BOTH = frozenset({"Flux2KleinPipeline", "Flux2Pipeline", "GlmImagePipeline"})
"""Pipelines that edit when they are given a picture, and draw when they are not."""
TASKS = ("edit", "draw")
MULTIPLE = 16  # what latents of the known networks, packed by two, need of a side in pixels
REFUSAL = "the pipeline's safety checker took the picture out (nsfw_content_detected)"


class Option(NamedTuple):
    """An option: its default, what it may be, what it is for, and the argument of the pipeline's call that it sets."""

    default: Any
    values: Values
    meaning: str
    argument: str | None = None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1000


def _is_side(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= 16384 and value % MULTIPLE == 0


_NUMBER = Values(_is_number, "a number from 0 to 1000")
_SIDE = Values(_is_side, f"a multiple of {MULTIPLE} over 0, up to 16384")
OPTIONS: Mapping[str, Option] = {
    "task": Option(
        None,
        Values(lambda value: value in TASKS, "'edit' or 'draw'"),
        "what it is asked to do (default: by the class in the checkpoint's model_index.json)",
    ),
    "steps": Option(None, VALUES["batch_size"], "denoising steps (default: the pipeline's)", "num_inference_steps"),
    "guidance": Option(None, _NUMBER, "guidance scale (default: the pipeline's)", "guidance_scale"),
    "image_guidance": Option(None, _NUMBER, "weight of the given picture, in InstructPix2Pix", "image_guidance_scale"),
    "call": Option({}, VALUES["engine_args"], "more arguments of the pipeline's call, e.g. { true_cfg_scale = 4.0 }"),
    "seed": Option(0, VALUES["seed"], "seed of every picture"),
    "max_pixels": Option(2**20, VALUES["max_pixels"], "a larger picture is shown smaller"),
    "width": Option(None, _SIDE, "width of a drawn picture (default: the pipeline's)", "width"),
    "height": Option(None, _SIDE, "height of a drawn picture (default: the pipeline's)", "height"),
    "dtype": Option("auto", VALUES["dtype"], "number format: auto (bfloat16 on a GPU, else float32), bfloat16, …"),
    "device": Option("auto", VALUES["device"], "where it runs: auto (a GPU where there is one), cpu, mps, cuda, …"),
    "languages": Option(None, VALUES["languages"], "list of languages it writes"),
    "revision": Option(None, VALUES["revision"], "commit, branch or tag of a hub name"),
    "download": Option(False, VALUES["trust_remote_code"], "fetch a hub name that is not on this machine"),
}
ASIDE = ("languages", "revision", "download")  # options that do not shape a picture


@dataclass(frozen=True, slots=True)
class Settings:
    """What a pipeline is loaded and called with; `source` is a folder or a hub name, `commit` what of it, `own` the
    tasks of the class in its index, `options` all options with their defaults.
    """

    name: str
    source: str
    commit: str | None
    own: frozenset[str]
    options: Mapping[str, Any]

    def place(self, option: str) -> str:
        """Where an option stands, with its value, for a message."""
        return f"{table(self.name)}: {option} = {shown(self.options[option])}"


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `diffusers:PATH_OR_ID`; `OPTIONS` lists the options.

    Its tasks are those of the class that its model_index.json names, or the option `task`. Raises ValueError, naming
    the model, for wrong options, a folder that is no pipeline, one that brings code of its own, and a hub name that is
    not on this machine and whose task is not given.
    """
    if not identifier:
        raise ValueError(f"model {name!r}: no checkpoint; write diffusers:PATH or diffusers:ORGANISATION/NAME")
    check_options(options, {key: option.meaning for key, option in OPTIONS.items()}, name)
    for key, value in options.items():
        if not OPTIONS[key].values.holds(value):
            raise ValueError(f"model {name!r}: {key} = {shown(value)} must be {OPTIONS[key].values.wanted}")
    chosen = {key: options.get(key, option.default) for key, option in OPTIONS.items()}
    if taken := sorted({"prompt", "image", "generator", "output_type", *_arguments()} & chosen["call"].keys()):
        raise ValueError(f"model {name!r}: call.{taken[0]} is set by the adapter or by an option of its own")
    source, commit, checkpoint, folder = _found(identifier, chosen["revision"], name)
    own = frozenset[str]() if folder is None else _tasks(pipeline_class(folder, name))
    if not own and chosen["task"] is None:
        raise ValueError(f"model {name!r}: {identifier} is not on this machine: give task = 'edit' or 'draw'")
    versions = "".join(map(package_version, ("diffusers", "transformers", "torch")))
    return ModelSpec(
        name=name,
        load=partial(load, Settings(name, source, commit, own, chosen)),
        languages=None if chosen["languages"] is None else frozenset(chosen["languages"]),
        lives="host",
        revision=f"{checkpoint}; adapter diffusers {VERSION}{versions}" if checkpoint else "",
        adapter="diffusers",
        options={key: value for key, value in chosen.items() if key not in ASIDE},
        tasks=own if chosen["task"] is None else frozenset({chosen["task"]}),
    )


def pipeline_class(folder: Path, name: str) -> str:
    """The class that a checkpoint's model_index.json names. Raises ValueError, naming the model, without one, and for
    a class from a file of the checkpoint: its code is not run.
    """
    file = folder / INDEX
    try:
        index = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(
            f"model {name!r}: {file} cannot be read ({error}); give a pipeline's folder as save_pretrained writes it"
        ) from error
    found = index.get("_class_name") if isinstance(index, dict) else None
    if isinstance(found, list):
        raise ValueError(f"model {name!r}: {file}: the class {found!r} is code of the checkpoint, which is not run")
    if not isinstance(found, str) or not found:
        raise ValueError(f"model {name!r}: {file}: _class_name = {shown(found)} names no pipeline of diffusers")
    return found


def pipeline_revision(folder: Path) -> str:
    """`sha256:` over the files of a pipeline's folder and of those in it, as `folder_revision` reads them."""
    digest = hashlib.sha256(folder_revision(folder).encode("ascii"))
    for part in sorted(folder.iterdir(), key=lambda part: part.name):
        if part.is_dir() and not part.name.startswith("."):
            digest.update(json.dumps([part.name, folder_revision(part)]).encode("ascii") + b"\n")
    return f"sha256:{digest.hexdigest()}"


def load(settings: Settings) -> DiffusersModel:
    """The loaded pipeline; one that is asked for a task which its own class does not do is loaded as the class that
    diffusers knows for it (AutoPipelineForImage2Image, AutoPipelineForText2Image).

    Raises NotInstalled without diffusers, the device or the files, ValueError for an option that the pipeline does not
    know, and what `from_pretrained` raises.
    """
    try:
        import diffusers
        import torch
        import transformers
    except ImportError as error:
        raise NotInstalled(
            f"diffusers, torch or transformers is not installed: pip install 'pytest-vtcfaith[edit]' ({error})"
        ) from error
    from pytest_vtcfaith.models.accelerators import device_lacks

    options = settings.options
    if lacking := device_lacks(options["device"]):
        raise NotInstalled(f"{settings.place('device')}: {lacking}: give auto or cpu")
    device = options["device"]
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    number = options["dtype"]
    if number == "auto":
        number = "float32" if device == "cpu" else "bfloat16"
    auto = {"edit": diffusers.AutoPipelineForImage2Image, "draw": diffusers.AutoPipelineForText2Image}
    task = options["task"]
    family: Any = diffusers.DiffusionPipeline if task is None or task in settings.own else auto[task]
    local = not options["download"]
    for library in (diffusers, transformers):
        library.utils.logging.disable_progress_bar()  # its bars would run into our own line of progress
    try:
        pipeline = family.from_pretrained(
            settings.source, revision=settings.commit, dtype=getattr(torch, number), local_files_only=local
        )
    except OSError as error:
        if not local or Path(settings.source).is_dir():
            raise
        raise NotInstalled(
            f"{table(settings.name)}: {settings.source} is not on this machine: give a folder, or download = true"
        ) from error
    pipeline.set_progress_bar_config(disable=True)
    return DiffusersModel(pipeline.to(device), settings)


class DiffusersModel:
    """A loaded pipeline, an `Editor` and an `Illustrator`. Raises ValueError for an option that it does not know."""

    def __init__(self, pipeline: Any, settings: Settings) -> None:
        self._pipeline, self._settings = pipeline, settings
        known = inspect.signature(pipeline.__call__).parameters
        given = {option.argument: settings.options[key] for key, option in OPTIONS.items() if option.argument}
        given |= settings.options["call"]
        self._arguments = {name: value for name, value in given.items() if value is not None}
        self._sized = {"width", "height"} <= known.keys()
        kind = type(pipeline).__name__
        for name in self._arguments:
            if name not in known:
                option = next((key for key, option in OPTIONS.items() if option.argument == name), f"call.{name}")
                raise ValueError(f"{table(settings.name)}: {option}: {kind} does not know it ({name}): leave it out")

    @property
    def settings(self) -> dict[str, str]:
        """The class, number format and device as loaded."""
        pipeline = self._pipeline
        dtype = str(pipeline.dtype).removeprefix("torch.")
        return {"pipeline": type(pipeline).__name__, "dtype": dtype, "device": str(pipeline.device)}

    def edit(self, images: Sequence[Image.Image], instructions: Sequence[str]) -> list[Image.Image | Reply]:
        """One picture for each, of the size of `fitting`; one after the other, each from the same seed.

        Raises what the pipeline raises, for the whole call.
        """
        found = []
        for image, instruction in zip(images, instructions, strict=True):
            picture = fitting(image, self._settings.options["max_pixels"])
            size = {"width": picture.width, "height": picture.height} if self._sized else {}
            found.append(self._make({**self._arguments, **size, "image": picture, "prompt": instruction}))
        return found

    def draw(self, prompts: Sequence[str]) -> list[Image.Image | Reply]:
        """One picture for each prompt, one after the other, each from the same seed. Raises as `edit`."""
        return [self._make({**self._arguments, "prompt": prompt}) for prompt in prompts]

    def _make(self, arguments: Mapping[str, Any]) -> Image.Image | Reply:
        import torch

        generator = torch.Generator("cpu").manual_seed(self._settings.options["seed"])  # the same on every device
        with torch.inference_mode():
            made = self._pipeline(**arguments, generator=generator, output_type="pil")
        if any(getattr(made, "nsfw_content_detected", None) or ()):
            return Reply(text=None, refusal=REFUSAL)  # its picture is black
        picture: Image.Image = made.images[0]
        return picture


def fitting(image: Image.Image, most: int) -> Image.Image:
    """The picture in the nearest size whose sides are multiples of 16, scaled to at most `most` pixels before."""
    from PIL import Image

    scale = min(1.0, (most / (image.width * image.height)) ** 0.5)
    size = tuple(max(MULTIPLE, round(side * scale / MULTIPLE) * MULTIPLE) for side in image.size)
    return image if size == image.size else image.resize((size[0], size[1]), Image.Resampling.LANCZOS)


def _found(identifier: str, revision: str | None, name: str) -> tuple[str, str | None, str, Path | None]:
    """What is loaded, which commit of it, its revision (empty where it is not here yet), and where its index is."""
    folder = checkpoint_folder(identifier, name)
    if folder is not None:
        if revision is not None:
            raise ValueError(f"model {name!r}: revision = {revision!r} is for hub names; {folder} is a folder")
        return str(folder.resolve()), None, pipeline_revision(folder), folder
    commit = hub_revision(identifier, revision)
    if not commit:
        return identifier, revision, "", None
    snapshot = hub_cache() / f"models--{identifier.replace('/', '--')}" / "snapshots" / commit
    return identifier, commit, f"{identifier}@{commit}", snapshot if snapshot.is_dir() else None


def _tasks(kind: str) -> frozenset[str]:
    if kind in BOTH:
        return frozenset(TASKS)
    return frozenset({"edit" if kind in EDITING or "Img2Img" in kind else "draw"})


def _arguments() -> list[str]:
    return [option.argument for option in OPTIONS.values() if option.argument]
