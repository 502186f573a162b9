"""The pytest plugin: hooks that pytest finds by name. No score is computed here, and nothing heavy is imported."""

from __future__ import annotations

import atexit
import gc

import pytest

from pytest_vtcfaith.plugin.carry import pytest_report_to_serializable, pytest_warning_recorded
from pytest_vtcfaith.plugin.fixtures import (
    vtc_baseline,
    vtc_case,
    vtc_gate,
    vtc_model,
    vtc_page,
    vtc_renderer,
    vtc_response,
    vtc_score,
)
from pytest_vtcfaith.plugin.options import pytest_addoption
from pytest_vtcfaith.plugin.parametrize import MARKER, pytest_collection_modifyitems, pytest_generate_tests
from pytest_vtcfaith.plugin.rootdir import pytest_load_initial_conftests
from pytest_vtcfaith.plugin.run import KEY, Run, run_of

__all__ = [
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_load_initial_conftests",
    "pytest_report_header",
    "pytest_report_to_serializable",
    "pytest_warning_recorded",
    "vtc_baseline",
    "vtc_case",
    "vtc_gate",
    "vtc_model",
    "vtc_page",
    "vtc_renderer",
    "vtc_response",
    "vtc_score",
]


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Reads the options; with a model chosen, checks all they name and begins a session."""
    config.addinivalue_line("markers", MARKER)
    run = Run(config)
    config.stash[KEY] = run
    if run.active:
        run.check()
        atexit.register(gc.freeze)  # else the end of the interpreter looks for cycles in the reports of all tests
        from pytest_vtcfaith.plugin.hosts import register as register_hosts
        from pytest_vtcfaith.plugin.servers import register as register_servers
        from pytest_vtcfaith.plugin.session import NAME, Session

        config.pluginmanager.register(Session(run), NAME)
        if run.options.noise is not None:
            from pytest_vtcfaith.plugin import noise

            config.pluginmanager.register(noise.Noise(run), noise.NAME)
        register_servers(config, run)
        register_hosts(config, run)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Says what will be measured, or how to begin."""
    run = run_of(config)
    if not run.active:
        return [
            "vtcfaith: no model chosen, benchmark cases are deselected; "
            "choose one: pytest --vtc-model=NAME (e.g. rapidocr)"
        ]
    counts = ", ".join(f"{name} {len(run.cases(name))} cases" for name in run.suites if run.cases(name))
    lines = [f"vtcfaith: {', '.join(run.specs)}: {counts}; thresholds {run.thresholds_file}"]
    for slug, spec in run.specs.items():
        if "preset" in spec.options:
            lines.append(f"vtcfaith: {slug}: preset {spec.options['preset']}, visual tokens {spec.visual_tokens}")
    if run.options.noise is not None:
        lines.append(f"vtcfaith: {run.options.noise} cases of each model are asked twice: what changes is its noise")
    if run.options.shard is not None:
        chosen, whole = (
            {case.document for name in run.suites for case in cases[name]}
            for cases in (run.selection.chosen, run.selection.whole)
        )
        lines.append(
            f"vtcfaith: SHARD {run.options.shard}: {len(chosen)} of {len(whole)} documents; no gate is "
            "judged here: merge the results of all shards with vtcfaith gate"
        )
    if run.options.limit is not None:
        lines.append(
            f"vtcfaith: LIMITED to {run.options.limit} documents per tier: not a release verdict, "
            "compared with no baseline"
        )
    if run.selection.invitation:
        lines.append(f"vtcfaith: {run.selection.invitation}")
    return lines
