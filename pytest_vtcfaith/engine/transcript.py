"""What came of asking a model for one page."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_vtcfaith.metrics.outcomes import Reply


@dataclass(frozen=True, slots=True)
class Transcript:
    """A reply with its outcome (definitions §4), the seconds the model took now (0 for a stored reply), and whether the
    reply came from the store.
    """

    reply: Reply
    outcome: str
    seconds: float
    cached: bool

    @property
    def text(self) -> str:
        """The reply's text, empty where there was none."""
        return self.reply.text or ""
