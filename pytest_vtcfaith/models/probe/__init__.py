"""The layer probe: where inside a vision-language model a perturbed word becomes the expected one (FaithC4 §4.2).

`pages` draws the pages, `layers` records what the layers do, `patches` finds a word among the picture's tokens, `run`
asks the model, `results` makes the tables, `figure` draws them.
"""

from pytest_vtcfaith.models.probe.pages import ProbePage, ProbeWord, probe_words
from pytest_vtcfaith.models.probe.results import as_json, as_markdown
from pytest_vtcfaith.models.probe.run import PROMPT, Probed, probe, reading_class

__all__ = [
    "PROMPT",
    "ProbePage",
    "ProbeWord",
    "Probed",
    "as_json",
    "as_markdown",
    "probe",
    "probe_words",
    "reading_class",
]
