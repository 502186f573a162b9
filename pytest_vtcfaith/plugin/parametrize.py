"""Cases and gates become parameters of ordinary test functions."""

from __future__ import annotations

import pytest

from pytest_vtcfaith.plugin.run import run_of

MARKER = (
    "vtc(suite=None, lang=None): which cases of the faithfulness benchmark parametrise this test: a suite's name and a "
    "language, or lists of them; all chosen ones without it"
)


def _names(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())  # type: ignore[call-overload]


def _wanted(metafunc: pytest.Metafunc) -> tuple[list[str], frozenset[str] | None]:
    """Suites and languages of the test's marker, those nearest to the test winning."""
    run = run_of(metafunc.config)
    suites: list[str] = []
    langs: list[str] = []
    for mark in metafunc.definition.iter_markers("vtc"):
        unknown = set(mark.kwargs) - {"suite", "lang"}
        if unknown or mark.args:
            raise pytest.UsageError(f"{metafunc.definition.nodeid}: vtc marker takes suite= and lang= only")
        suites = suites or _names(mark.kwargs.get("suite"))
        langs = langs or _names(mark.kwargs.get("lang"))
    from pytest_vtcfaith.gating.thresholds import nearest
    from pytest_vtcfaith.suites import suite_names

    for name in suites:
        if name not in suite_names():
            raise pytest.UsageError(f"{metafunc.definition.nodeid}: vtc marker: suite {name!r}: {nearest(name, suite_names())}")
    chosen = [name for name in run.suites if not suites or name in suites]
    return chosen, frozenset(langs) if langs else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrises `vtc_case` with cases × models and `vtc_gate` with the gates of the thresholds file."""
    names = metafunc.fixturenames
    if "vtc_case" not in names and "vtc_gate" not in names:
        return
    run = run_of(metafunc.config)
    suites, langs = _wanted(metafunc) if run.active else ([], None)
    if "vtc_case" in names:
        # The controller of an xdist run collects gates only; parametrising every case again would cost it seconds.
        asks = [] if metafunc.config.pluginmanager.has_plugin("dsession") else run.asks(suites, langs)
        metafunc.parametrize("vtc_case", asks, ids=[ask.id for ask in asks], indirect=True)
    if "vtc_gate" in names:
        from pytest_vtcfaith.plugin.gates import gate_specs

        specs = [spec for spec in gate_specs(run) if spec.suite in suites]
        metafunc.parametrize("vtc_gate", specs, ids=[spec.id for spec in specs], indirect=True)


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
            hasattr(params.get(name), "id") for name in ("vtc_case", "vtc_gate") if name in item.fixturenames  # type: ignore[attr-defined]
        )

    out = [item for item in items if empty(item)]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if not empty(item)]
