"""How a test gets the answer of a model that lives in a host process."""

from __future__ import annotations

from pytest_vtcfaith.engine.joined import join
from pytest_vtcfaith.engine.run import Question, look_up
from pytest_vtcfaith.engine.transcript import Transcript
from pytest_vtcfaith.plugin.run import Ask, Run
from pytest_vtcfaith.suites.base import Request


def questions(ask: Ask, request: Request) -> list[Question]:
    """What the host's engine asks for a case: a question for each page, or one for a drawing."""
    case, task = ask.case, run_task(ask)
    if task == "draw":
        return [Question(case.id, None, request.prompt, case.reference, case.lang, task=task)]
    return [
        Question(
            part.id,
            lambda page=shown.page: page.image,  # type: ignore[misc]
            shown.prompt,
            part.case.reference,
            part.case.lang,
            shown.budget_tokens,
            shown.page.fingerprint,
            task,
        )
        for part, shown in ask.parts(request)
    ]


def run_task(ask: Ask) -> str:
    """What the model is asked to do with the case."""
    from pytest_vtcfaith.suites import load_suite

    return load_suite(ask.case.suite).task


def answer(run: Run, ask: Ask, request: Request) -> Transcript:
    """Waits for the host's answer. As long as no host runs the store is asked first: a full one needs no host."""
    answers = run.answers(ask.slug)
    if not answers.begun:
        stored = _stored(run, ask, request)
        if stored is not None:
            return stored
    return answers.wait(ask.id)


def is_stored(run: Run, ask: Ask) -> bool:
    """Whether a host would find the replies in the store. A case that has no page needs no host either."""
    try:
        return _stored(run, ask, run.suite(ask.case.suite).request(ask.case, ask.spec)) is not None
    except Exception:  # whatever laying it out raises, the test says it
        return True


def _stored(run: Run, ask: Ask, request: Request) -> Transcript | None:
    store = run.store_of(ask.spec)
    if store is None:
        return None
    found: list[Transcript] = []
    for question in questions(ask, request):
        transcript = look_up(ask.spec, question, store).transcript
        if transcript is None:
            return None
        found.append(transcript)
    return join(found) if len(found) > 1 else found[0]
