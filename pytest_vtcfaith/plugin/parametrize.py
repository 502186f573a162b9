"""Cases and gates become parameters of ordinary test functions."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import pytest

from pytest_vtcfaith.plugin.run import Ask, Run, run_of

if TYPE_CHECKING:
    from pytest_vtcfaith.plugin.gates import GateSpec

MARKER = (
    "vtc(suite=None, lang=None): which cases of the faithfulness benchmark parametrise this test: a suite's name and a "
    "language, or lists of them; all chosen ones without it"
)


def _names(place: str, field: str, value: object, known: Collection[str]) -> list[str]:
    """The names a marker gives, each of them known."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)):
        raise pytest.UsageError(f"{place}: vtc marker: {field} = {value!r}: give a name or a list of names")
    from pytest_vtcfaith.gating.thresholds import nearest

    for name in names:
        if name not in known:
            raise pytest.UsageError(f"{place}: vtc marker: {field} {name!r}: {nearest(str(name), known)}")
    return list(names)


def _wanted(metafunc: pytest.Metafunc, run: Run) -> tuple[list[str], frozenset[str] | None]:
    """Suites and languages of the test's marker, those nearest to the test winning; None for every language."""
    found: dict[str, list[str]] = {}
    place = metafunc.definition.nodeid
    for mark in metafunc.definition.iter_markers("vtc"):
        if set(mark.kwargs) - {"suite", "lang"} or mark.args:
            raise pytest.UsageError(f"{place}: vtc marker takes suite= and lang= only")
        for field, known in (("suite", tuple(run.selection.everything)), ("lang", run.selection.known_langs)):
            if field not in found and mark.kwargs.get(field) is not None:
                found[field] = _names(place, field, mark.kwargs[field], known)
    suites = [name for name in run.suites if name in found.get("suite", run.suites)]
    return suites, frozenset(found["lang"]) if "lang" in found else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrises `vtc_case` with cases × models and `vtc_gate` with the gates of the thresholds file."""
    names = metafunc.fixturenames
    if "vtc_case" not in names and "vtc_gate" not in names:
        return
    run = run_of(metafunc.config)
    asks: list[Ask] = []
    gates: list[GateSpec] = []
    if run.active:
        suites, langs = _wanted(metafunc, run)
        # The controller of an xdist run collects gates only; parametrising every case again would cost it seconds.
        if "vtc_case" in names and not metafunc.config.pluginmanager.has_plugin("dsession"):
            asks = run.asks(suites, langs)
        if "vtc_gate" in names:
            from pytest_vtcfaith.plugin.gates import gate_specs

            specs = [spec for spec in gate_specs(run) if spec.suite in suites]
            gates = [spec for spec in specs if run.speaks(spec.suite, spec.tier, langs)]
    if "vtc_case" in names:
        metafunc.parametrize("vtc_case", asks, ids=[ask.id for ask in asks], indirect=True)
    if "vtc_gate" in names:
        metafunc.parametrize("vtc_gate", gates, ids=[gate.id for gate in gates], indirect=True)


def is_benchmark(item: pytest.Item) -> bool:
    """Whether a test asks for a case or a gate."""
    names = getattr(item, "fixturenames", ())
    return "vtc_case" in names or "vtc_gate" in names


def is_gate(item: pytest.Item) -> bool:
    """Whether a test is a gate."""
    return "vtc_gate" in getattr(item, "fixturenames", ())


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the benchmark when no model was chosen, and tests whose choice of cases is empty."""

    def empty(item: pytest.Item) -> bool:
        params = getattr(getattr(item, "callspec", None), "params", {})
        return is_benchmark(item) and not any(
            hasattr(params.get(name), "id")
            for name in ("vtc_case", "vtc_gate")
            if name in item.fixturenames  # type: ignore[attr-defined]
        )

    out = [item for item in items if empty(item)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if not empty(item)]
