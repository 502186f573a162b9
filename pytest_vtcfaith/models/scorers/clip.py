"""CLIP similarity: how alike two pictures, or a picture and a text, are to CLIP's encoders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.models.checkpoint import folder_revision
from pytest_vtcfaith.models.protocols import NotInstalled
from pytest_vtcfaith.models.scorers.scorer import Unmeasured, check_pair, import_torch

if TYPE_CHECKING:
    from PIL import Image
    from torch import Tensor

NO_WEIGHTS = 'CLIP has no weights: name the folder of a CLIP checkpoint in [tool.vtcfaith.scorers]: clip = "PATH"'


def clip_scorer(weights: str | Path | None) -> Clip | Unmeasured:
    """The scorer whose checkpoint a user names; None names none, and nothing is measured then.

    `weights` is a folder as `save_pretrained` writes it, with the model, its tokenizer and its picture processor, such
    as a copy of openai/clip-vit-base-patch32. Nothing is downloaded, and no code of the checkpoint is run.
    Raises NotInstalled for what is not there, ValueError for a folder that is no CLIP.
    """
    if weights is None:
        return Unmeasured(NO_WEIGHTS)
    folder = Path(weights).expanduser()
    if not folder.is_dir():
        raise NotInstalled(
            f"weights {str(weights)!r}: there is no such folder: correct the path of the CLIP checkpoint"
        )
    import_torch()
    try:
        from transformers import CLIPModel

        from pytest_vtcfaith.models.processor import load_processor
    except ImportError as error:
        raise NotInstalled(f"transformers is not installed: pip install 'pytest-vtcfaith[edit]' ({error})") from error
    where = {"local_files_only": True, "trust_remote_code": False}
    try:
        model: Any = CLIPModel.from_pretrained(folder, local_files_only=True)
        processor = load_processor(str(folder), backend="pil", pictures={}, **where)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        told = " ".join(str(error).split())
        raise ValueError(f"weights {str(weights)!r}: no CLIP checkpoint could be loaded ({told})") from error
    return Clip(model.float().eval(), processor, folder_revision(folder))


class Clip:
    """A loaded CLIP, a `PictureScorer`."""

    reason = ""

    def __init__(self, model: Any, processor: Any, revision: str = "") -> None:
        self._model, self._processor = model, processor
        self.revision = revision

    def score(self, reference: Image.Image, output: Image.Image) -> float:
        """The cosine of the two pictures' encodings, 1 for identical ones.

        The values of VDE Bench's Table 2 (0.82 to 0.99) are of this kind. Raises ValueError for pictures of two sizes.
        Source: VDE Bench F.3.4, Eq. 23, with the reference's encoding in place of the text's.
        """
        check_pair(reference, output)
        return _cosine(self._picture(reference), self._picture(output))

    def text_score(self, output: Image.Image, text: str) -> tuple[float, bool]:
        """The cosine of the encodings of a picture and a text, and whether the text was cut.

        A text of more tokens than the encoder takes (77 with its two ends) is cut before the end token, which stays.
        Source: VDE Bench F.3.4, Eq. 23.
        """
        torch = import_torch()
        tokenizer, most = self._processor.tokenizer, self._model.config.text_config.max_position_embeddings
        cut = len(tokenizer(text)["input_ids"]) > most
        tokens = tokenizer(text, truncation=True, max_length=most, return_tensors="pt")
        with torch.inference_mode():
            encoded = _encoding(self._model.get_text_features(**tokens))
        return _cosine(self._picture(output), encoded), cut

    def _picture(self, image: Image.Image) -> Tensor:
        torch = import_torch()
        shown = self._processor.image_processor(image.convert("RGB"), return_tensors="pt")
        with torch.inference_mode():
            return _encoding(self._model.get_image_features(**shown))


def _encoding(found: Any) -> Tensor:
    """The projected encoding as one row: it comes by itself, or in newer versions of transformers inside an output."""
    encoded: Tensor = getattr(found, "pooler_output", found)
    return encoded[0]


def _cosine(one: Tensor, other: Tensor) -> float:
    torch = import_torch()
    cosine = float(torch.nn.functional.cosine_similarity(one.double(), other.double(), dim=0))
    return max(-1.0, min(1.0, cosine))
