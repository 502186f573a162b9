"""Source texts: scripts, look-alikes, perturbations, uniform texts, and the manifests that hold them."""

from pytest_vtcfaith.texts.errors import MissingExtra, TextsError
from pytest_vtcfaith.texts.lookalikes import lookalikes
from pytest_vtcfaith.texts.manifest import Manifest, ManifestError, read_manifest, write_manifest
from pytest_vtcfaith.texts.perturb import perturb

__all__ = [
    "Manifest",
    "ManifestError",
    "MissingExtra",
    "TextsError",
    "lookalikes",
    "perturb",
    "read_manifest",
    "write_manifest",
]
