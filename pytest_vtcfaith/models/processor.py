"""Loads the processor of a vision-language checkpoint: tokenizer, chat template and picture processor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def load_processor(source: str, *, backend: str, pictures: Mapping[str, int], **where: Any) -> Any:
    """The processor of a folder or hub name, for pages only.

    `backend` is `pil` or `torchvision`, what the picture processor computes with. `pictures` are settings of the
    picture processor (`min_pixels`, `max_pixels`). `where` goes to `from_pretrained` (`revision`, `trust_remote_code`).
    The video half that many processors have is left out: pages have no frames, and transformers demands torchvision for
    it, whatever the backend. Where it cannot be left out (a processor for sound too), transformers chooses the backend.
    Raises ValueError for a checkpoint whose processor takes no pictures, or whose tokenizer lacks what its processor
    asks of it, and what transformers raises for other ones without a processor.
    """
    from transformers import AutoConfig, AutoProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    config = AutoConfig.from_pretrained(source, **where)
    family: Any = PROCESSOR_MAPPING.get(type(config), None)
    parts = [] if family is None else family.get_attributes()
    try:
        if parts == ["image_processor", "tokenizer", "video_processor"]:
            processor = without_video(family).from_pretrained(source, backend=backend, **where)
        else:
            automatic: Any = AutoProcessor
            processor = automatic.from_pretrained(
                source, **({} if "video_processor" in parts else {"backend": backend}), **where
            )
    except AttributeError as error:
        raise ValueError(
            f"{source}: tokenizer_config.json lacks what the processor of {type(config).__name__} needs ({error}): "
            "save the whole processor that came with the model beside it (processor.save_pretrained)"
        ) from error
    if getattr(processor, "image_processor", None) is None:
        raise ValueError(
            f"{source}: its processor, {type(processor).__name__}, takes no pictures: save the processor that came "
            "with the model beside it (processor_config.json, preprocessor_config.json)"
        )
    if pictures:
        limit_pixels(processor.image_processor, pictures)
    return processor


def check_kind(source: str, **where: Any) -> None:
    """Raises ValueError for a checkpoint of no model that writes about a picture, and that brings no code for it.

    `source` and `where` as for `load_processor`.
    """
    from transformers import AutoConfig, AutoModelForImageTextToText

    config = AutoConfig.from_pretrained(source, **where)
    name = AutoModelForImageTextToText.__name__
    known: Any = getattr(AutoModelForImageTextToText, "_model_mapping")  # noqa: B009, mypy knows no such attribute
    if type(config) not in known and name not in (getattr(config, "auto_map", None) or {}):
        raise ValueError(
            f"{source}: config.json: model_type = {config.model_type!r} is none that reads pictures ({name}): give a "
            "vision-language model"
        )


def limit_pixels(image_processor: Any, pictures: Mapping[str, int]) -> None:
    """Sets `min_pixels` and `max_pixels` of a picture processor; some keep them as the edges of their size.

    Raises ValueError for a processor that knows no such limits, and where its own other limit leaves nothing between.
    """
    size = getattr(image_processor, "size", None)
    edges = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}
    as_edges = size is not None and all(size.get(edge) is not None for edge in edges.values())
    for key, value in pictures.items():
        if as_edges:
            image_processor.size[edges[key]] = value
        elif getattr(image_processor, key, None) is None:
            raise ValueError(f"{type(image_processor).__name__} has no {key}")
        if getattr(image_processor, key, None) is not None:
            setattr(image_processor, key, value)
    least, most = (
        image_processor.size[edge] if as_edges else getattr(image_processor, key, None) for key, edge in edges.items()
    )
    if least is not None and most is not None and least > most:
        given, other = ("max_pixels", "min_pixels") if "max_pixels" in pictures else ("min_pixels", "max_pixels")
        bound = f"at least {least}" if given == "max_pixels" else f"at most {most}"
        raise ValueError(f"{other} of the model's {type(image_processor).__name__} asks for {given} of {bound}")


def without_video(family: Any) -> Any:
    """The processor class without its video half.

    transformers reads a processor's parts off the names of its constructor's arguments, so a constructor without
    `video_processor` is one that loads, saves and demands none.
    """

    def construct(
        self: Any, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **others: Any
    ) -> None:
        family.__init__(self, image_processor, tokenizer, chat_template=chat_template, **others)

    return type(family.__name__, (family,), {"__init__": construct, "__module__": family.__module__})
