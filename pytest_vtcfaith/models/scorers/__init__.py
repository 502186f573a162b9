"""Networks that score pictures: LPIPS, CLIP and FID (definitions §5). They need weights, and never download any.

Each is named by where its weights are; without them `score` gives None, which is `not_measured`, and `reason` says why.
"""

from pytest_vtcfaith.models.scorers.clip import clip_scorer
from pytest_vtcfaith.models.scorers.fid import fid, inception
from pytest_vtcfaith.models.scorers.lpips import lpips_scorer
from pytest_vtcfaith.models.scorers.scorer import PictureScorer, Unmeasured

__all__ = ["PictureScorer", "Unmeasured", "clip_scorer", "fid", "inception", "lpips_scorer"]
