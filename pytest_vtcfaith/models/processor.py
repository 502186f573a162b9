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
    Raises what transformers raises for a checkpoint without a processor.
    """
    from transformers import AutoConfig, AutoProcessor
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    config = AutoConfig.from_pretrained(source, **where)
    family: Any = PROCESSOR_MAPPING.get(type(config), None)
    parts = [] if family is None else family.get_attributes()
    if parts == ["image_processor", "tokenizer", "video_processor"]:
        processor = without_video(family).from_pretrained(source, backend=backend, **where)
    else:
        automatic: Any = AutoProcessor
        processor = automatic.from_pretrained(
            source, **({} if "video_processor" in parts else {"backend": backend}), **where
        )
    if pictures:
        limit_pixels(processor.image_processor, pictures)
    return processor


def limit_pixels(image_processor: Any, pictures: Mapping[str, int]) -> None:
    """Sets `min_pixels` and `max_pixels` of a picture processor; some keep them as the edges of their size.

    Raises ValueError for a processor that knows no such limits.
    """
    size = getattr(image_processor, "size", None)
    edges = {"min_pixels": "shortest_edge", "max_pixels": "longest_edge"}
    for key, value in pictures.items():
        if size is not None and all(size.get(edge) is not None for edge in edges.values()):
            image_processor.size[edges[key]] = value
        elif getattr(image_processor, key, None) is None:
            raise ValueError(f"{key} = {value}: {type(image_processor).__name__} has no such limit; leave {key} away")
        if getattr(image_processor, key, None) is not None:
            setattr(image_processor, key, value)


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
