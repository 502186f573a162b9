"""The fixtures that benchmark tests, and a user's own, are written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.run import Ask, run_of

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.pages.page import Page
    from pytest_vtcfaith.plugin.casecheck import CaseResult
    from pytest_vtcfaith.plugin.gates import Gate
    from pytest_vtcfaith.suites.base import Request
    from pytest_vtcfaith.suites.case import Case


_REQUEST = pytest.StashKey["Request"]()


def _ask(request: pytest.FixtureRequest) -> Ask:
    ask = request.node.callspec.params["vtc_case"]
    assert isinstance(ask, Ask)
    return ask


@pytest.fixture
def vtc_case(request: pytest.FixtureRequest) -> Case:
    """The benchmark case of this test."""
    return _ask(request).case


@pytest.fixture
def vtc_model(request: pytest.FixtureRequest, vtc_case: Case) -> object:
    """The loaded model of this test, loaded once per process."""
    ask = _ask(request)
    return run_of(request.config).model(ask.slug)


@pytest.fixture
def vtc_renderer() -> Callable[..., Page]:
    """`pytest_vtcfaith.pages.render`: draws a text as a page with word boxes."""
    from pytest_vtcfaith.pages import render

    return render


def _requested(request: pytest.FixtureRequest) -> Request:
    """What the model gets for this test's case. Skips the test when the case is inapplicable to the model, fails it
    when that cannot be told.
    """
    item: pytest.Item = request.node
    if _REQUEST in item.stash:
        return item.stash[_REQUEST]
    from pytest_vtcfaith.pages import UNDRAWABLE
    from pytest_vtcfaith.plugin.casecheck import book
    from pytest_vtcfaith.suites.base import Inapplicable
    from pytest_vtcfaith.texts.errors import TextsError

    ask = _ask(request)
    suite = run_of(request.config).suite(ask.case.suite)
    reason, lost = suite.inapplicable(ask.case, ask.spec), ""
    if not reason and (unmet := run_of(request.config).blocked(ask)) is not None:
        reason, lost = (unmet.reason, "") if unmet.measured else ("", unmet.reason)
    if not (reason or lost):
        try:
            item.stash[_REQUEST] = suite.request(ask.case, ask.spec)
            return item.stash[_REQUEST]
        except Inapplicable as problem:
            reason = str(problem)
        except (TextsError, *UNDRAWABLE) as problem:
            lost = f"{type(problem).__name__}: {problem}"
    if lost:
        book(item, ask, "infrastructure_error", {}, lost, None)
        pytest.fail(f"not measured: {lost}", pytrace=False)
    book(item, ask, "", {}, reason, None)
    pytest.skip(f"inapplicable: {reason}")


@pytest.fixture
def vtc_page(request: pytest.FixtureRequest, vtc_case: Case) -> Page:
    """The page of this case; its picture is drawn when `Page.image` is first read."""
    return _requested(request).page


@pytest.fixture
def vtc_response(request: pytest.FixtureRequest, vtc_case: Case) -> Transcript:
    """What the model returned for the page, with its outcome."""
    return run_of(request.config).respond(_ask(request), _requested(request))


@pytest.fixture
def vtc_score(request: pytest.FixtureRequest, vtc_case: Case, vtc_response: Transcript) -> CaseResult:
    """The metrics of this case by name, its outcome and text; `check()` holds them against the thresholds file."""
    from pytest_vtcfaith.plugin.casecheck import CaseResult, book

    run, ask, asked = run_of(request.config), _ask(request), _requested(request)
    transcript, metrics = run.measuring.score(run.suite(vtc_case.suite), vtc_case, vtc_response, asked)
    reason = transcript.reply.error or "" if transcript.outcome == "infrastructure_error" else ""
    read = run.measuring.read_back(run.suite(vtc_case.suite), vtc_case, transcript)
    book(request.node, ask, transcript.outcome, metrics, reason, transcript, read)
    if run.options.noise is not None:
        from pytest_vtcfaith.plugin.noise import noise_of

        noise_of(request.config).ask_here(ask, asked, transcript)
    return CaseResult(run, ask, transcript, metrics, asked)


@pytest.fixture
def vtc_gate(request: pytest.FixtureRequest) -> Gate:
    """The gate of this test; `check()` judges it."""
    from pytest_vtcfaith.plugin.gates import Gate
    from pytest_vtcfaith.plugin.session import session_of

    session = session_of(request.config)
    return Gate(request.param, session.run, session.ledger, session.verdicts)


@pytest.fixture
def vtc_baseline(request: pytest.FixtureRequest) -> Any:
    """In a gate the session's snapshot, to be bound to the tier's file; in a case its entry there, or None."""
    if "vtc_gate" in request.fixturenames:
        return request.getfixturevalue("snapshot")
    from pytest_vtcfaith.plugin.compare import case_baseline

    found: Mapping[str, Any] | None = case_baseline(run_of(request.config), _ask(request))
    return found
