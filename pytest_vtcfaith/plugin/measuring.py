"""What reads and judges pictures in this process: `--vtc-ocr` and `--vtc-judge`, loaded when first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_vtcfaith.engine.failures import kept_alive, shortened
from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.plugin.options import Options
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, InstrumentFailed, Instruments

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.models.page_reading import Reader
    from pytest_vtcfaith.models.protocols import Judge
    from pytest_vtcfaith.models.scorers import PictureScorer
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.suites.base import Request, Suite
    from pytest_vtcfaith.suites.case import Case

Found = TypeVar("Found")


class Measuring:
    """The instruments of this process as the options choose them."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._loaded: dict[str, object] = {}

    @cached_property
    def instruments(self) -> Instruments:
        """As suites get them."""
        ocr, judge = self._options.ocr, self._options.judge
        return Instruments(
            reader=lambda: self._reader(ocr[0]),
            second=lambda: self._reader(ocr[1]) if len(ocr) > 1 else None,
            judge=lambda: None if judge is None else self._judge(judge),
            scorers=lambda: self._once("[tool.vtcfaith.scorers]", self._scorers),
            ocr=f"the OCR {ocr[0]}",
        )

    @property
    def at_hand(self) -> Instruments:
        """What the report may use: the reader where this process has loaded it, and nothing that would be loaded, or
        a judge model asked again, for the report alone. With workers the process that writes it has read nothing.
        """
        read = not isinstance(self._loaded.get(f"--vtc-ocr {self._options.ocr[0]}"), InstrumentFailed | None)
        if read and self._options.judge is None:
            return replace(NO_INSTRUMENTS, reader=self.instruments.reader, ocr=self.instruments.ocr)
        return replace(NO_INSTRUMENTS, ocr=self.instruments.ocr)

    @cached_property
    def used(self) -> str:
        """Names and revisions of the instruments. Raises as `registry.resolve`."""
        names = [*self._options.ocr, *(() if self._options.judge is None else (self._options.judge,))]
        found = [" ".join(part for part in (name, self._spec(name).revision) if part) for name in names]
        scorers = self._options.scorers
        return ", ".join([*found, *(f"{name}={scorers[name]}" for name in ("lpips", "clip") if name in scorers)])

    def check(self, models: Mapping[str, ModelSpec]) -> None:
        """Raises pytest.UsageError for an instrument that does not exist, and for a judge where no model draws."""
        from pytest_vtcfaith.models.registry import UnknownModel, known_readers, unknown

        for option, names in (("--vtc-ocr", self._options.ocr), ("--vtc-judge", (self._options.judge,))):
            for name in names:
                if name is not None:
                    try:
                        self._spec(name)
                    except ValueError as problem:
                        said: ValueError = problem
                        if isinstance(problem, UnknownModel) and option == "--vtc-ocr":
                            said = unknown(name, known_readers(self._options.configured))
                        raise pytest.UsageError(f"{option} {said}") from problem
        if self._options.judge is not None and models and not any("draw" in spec.tasks for spec in models.values()):
            raise pytest.UsageError("--vtc-judge: none of the models draws: leave the option out")

    def score(
        self, suite: Suite, case: Case, transcript: Transcript, request: Request
    ) -> tuple[Transcript, dict[str, float | int | None]]:
        """The metrics of a case. Where an instrument fails, the case's files have changed meanwhile, or a page that the
        metrics take in cannot be drawn, the case was not measured, and the transcript says why.
        """
        from pytest_vtcfaith.models.judges.questions import JudgeFailed
        from pytest_vtcfaith.models.protocols import NotInstalled
        from pytest_vtcfaith.pages import UNDRAWABLE
        from pytest_vtcfaith.texts.errors import TextsError

        try:
            return transcript, suite.score(case, transcript, request, self.instruments)
        except (InstrumentFailed, NotInstalled, JudgeFailed, TextsError, *UNDRAWABLE) as problem:
            reply = replace(transcript.reply, error=shortened(mask_secrets(str(problem))))
            return replace(transcript, reply=reply, outcome="infrastructure_error"), {}

    def read_back(self, suite: Suite, case: Case, transcript: Transcript) -> dict[str, str]:
        """What was read in the picture of a case that was scored: every picture is read once."""
        from pytest_vtcfaith.models.protocols import NotInstalled
        from pytest_vtcfaith.suites.readback import ReadsPictures

        if not isinstance(suite, ReadsPictures):
            return {}
        try:
            return suite.read_back(case, transcript, self.instruments)
        except (InstrumentFailed, NotInstalled):  # the score is there without it
            return {}

    def _spec(self, name: str) -> ModelSpec:
        from pytest_vtcfaith.models.registry import resolve

        return resolve(name, self._options.configured)

    def _reader(self, name: str) -> Reader:
        from pytest_vtcfaith.models.page_reading import RememberingReader, reader_named

        def load() -> Reader:
            return RememberingReader(_Guarded(reader_named(name, self._options.configured), f"--vtc-ocr {name}"))

        return self._once(f"--vtc-ocr {name}", load)

    def _judge(self, name: str) -> Judge:
        def load() -> Judge:
            from pytest_vtcfaith.models.protocols import Answerer, Judge

            found = self._spec(name).load()
            if not isinstance(found, Judge):
                raise TypeError("has no method judge(): choose a model that judges, as openai:NAME@URL")
            guarded = _GuardedAnswerer if isinstance(found, Answerer) else _Guarded
            return guarded(found, f"--vtc-judge {name}")

        return self._once(f"--vtc-judge {name}", load)

    def _scorers(self) -> Mapping[str, PictureScorer]:
        from pytest_vtcfaith.models.scorers import clip_scorer, lpips_scorer

        makers = {"lpips": lpips_scorer, "clip": clip_scorer}
        return {
            name: make(self._options.scorers[name]) for name, make in makers.items() if name in self._options.scorers
        }

    def _once(self, what: str, load: Callable[[], Found]) -> Found:
        if what not in self._loaded:
            try:
                with kept_alive():
                    self._loaded[what] = load()
            except Exception as problem:
                self._loaded[what] = _failed(what, problem)
        found = self._loaded[what]
        if isinstance(found, InstrumentFailed):
            raise found.with_traceback(None)
        return found  # type: ignore[return-value]


class _Guarded:
    """An instrument whose errors are told apart from those of scoring."""

    def __init__(self, instrument: Any, what: str) -> None:
        self._instrument = instrument
        self._what = what

    def read(self, images: Any) -> Any:
        """As a `Reader`."""
        return self._call(self._instrument.read, images)

    def judge(self, questions: Any) -> Any:
        """As a `Judge`."""
        return self._call(self._instrument.judge, questions)

    def _call(self, method: Callable[..., Any], *given: Any) -> Any:
        try:
            with kept_alive():
                return method(*given)
        except Exception as problem:
            raise _failed(self._what, problem) from problem


class _GuardedAnswerer(_Guarded):
    """A judge that also looks at pictures."""

    def answer(self, images: Any, questions: Any) -> Any:
        """As an `Answerer`."""
        return self._call(self._instrument.answer, images, questions)


def _failed(what: str, problem: Exception) -> InstrumentFailed:
    from pytest_vtcfaith.engine.run import error_reply

    return InstrumentFailed(f"{what}: {error_reply(problem).error}")
