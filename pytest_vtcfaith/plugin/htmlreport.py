"""The HTML report of a run or of merged results: what the ledger and the rows say, as the report takes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_vtcfaith.plugin.benchmark import Benchmark, model_slug
from pytest_vtcfaith.report.worddiff import visible
from pytest_vtcfaith.suites.instruments import NO_INSTRUMENTS, Instruments

if TYPE_CHECKING:
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.plugin.ledger import Ledger
    from pytest_vtcfaith.plugin.run import Run
    from pytest_vtcfaith.report.html import Answer, HtmlRun, TierFound
    from pytest_vtcfaith.report.view import RunView
    from pytest_vtcfaith.suites.base import Columns, Request


def html_run(
    run: Benchmark,
    ledger: Ledger,
    view: RunView,
    rows: Iterable[Mapping[str, Any]],
    about: Mapping[str, Any],
    source: Path,
    instruments: Instruments = NO_INSTRUMENTS,
) -> HtmlRun:
    """What the HTML report shows. `rows` are those of results.jsonl, `about` is run.json, `source` the folder that the
    run wrote its pictures to, `instruments` those that are at hand."""
    from pytest_vtcfaith.report.html import Answer, HtmlRun

    answers = [
        Answer(ask.id, ask.slug, ask.case, row)
        for row in rows
        if (ask := run.by_id.get(f"{model_slug(row['model'])}-{row['case']}")) is not None
    ]

    specs = {slug: _as_asked(spec, slug, about) for slug, spec in run.specs.items()}

    def request(answer: Answer) -> Request:
        return run.suite(answer.case.suite).request(answer.case, specs[answer.model])

    return HtmlRun(
        view=view,
        answers=answers,
        tiers=list(_tiers(run, ledger, view)),
        suites={name: run.suite(name) for name in run.suites},
        about=about,
        request=request,
        source=source,
        instruments=instruments,
    )


def _as_asked(spec: ModelSpec, slug: str, about: Mapping[str, Any]) -> ModelSpec:
    """The model with the visual tokens that its pages were fitted to: a spec from results files alone has none."""
    row: Mapping[str, Any] = next((model for model in about.get("models", ()) if model.get("model") == slug), {})
    try:
        return replace(spec, visual_tokens=row.get("visual_tokens") or spec.visual_tokens)
    except ValueError:  # a family that this version does not know
        return spec


def _tiers(run: Benchmark, ledger: Ledger, view: RunView) -> Iterable[TierFound]:
    """Every tier that was asked for, of the finer ones those that a gate speaks about, with all its metrics."""
    from pytest_vtcfaith.report.html import TierFound
    from pytest_vtcfaith.suites.base import value

    judged = {verdict.tier for verdicts in view.verdicts.values() for verdict in verdicts}
    for name in run.suites:
        suite, tiers = run.suite(name), run.tiers(name)
        shown = [tier for tier in tiers if tier in judged or tier not in run.selection.finer_tiers]
        for model in run.specs:
            for tier in shown:
                found: dict[str, float] = {}
                columns: dict[str, Columns] = {}
                for metric in suite.metrics.values():
                    pool = ledger.pool(model, tier, suite.needs(tier, metric.name, tiers))
                    if pool.summary.measured and not pool.unselected:
                        number = value(metric, pool.summary.columns)
                        if number is not None:
                            found[metric.name] = number
                            columns[metric.name] = pool.summary.columns
                summary = ledger.pool(model, tier, frozenset({tier})).summary
                if summary.expected or summary.inapplicable:
                    yield TierFound(
                        name,
                        tier,
                        model,
                        summary.expected,
                        summary.measured,
                        summary.inapplicable,
                        summary.failures,
                        found,
                        columns,
                    )


def session_reports(run: Run, ledger: Ledger, view: RunView, about: Mapping[str, Any], results: Path) -> None:
    """Writes a job's summary and, beside the `results` that the session has just written, the HTML report.

    The latter where `--vtc-report` asks for a folder. What goes wrong is said on the terminal, and changes no verdict.
    """
    from pytest_vtcfaith.report.html import write_html
    from pytest_vtcfaith.report.stepsummary import append_step_summary

    terminal = run.config.pluginmanager.get_plugin("terminalreporter")

    def say(line: str) -> None:
        if terminal is not None:
            terminal.ensure_newline()
            if terminal._tw.width_of_current_line:  # with -q pytest names no file before its dots, and so ends no line
                terminal.line("")
            terminal.write_line(visible(line))

    def html() -> None:
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").split("\n") if line]
        at_hand = run.measuring.at_hand
        write_html(results.parent, html_run(run, ledger, view, rows, about, results.parent, at_hand), say)

    wanted: dict[str, Callable[[], None]] = {"the job's summary": lambda: append_step_summary(view)}
    if run.options.report is not None:
        wanted["the HTML report"] = html
    for name, write in wanted.items():
        try:
            write()
        except Exception as problem:  # whatever it is: the run is judged already
            say(f"vtcfaith: {name} was not written ({type(problem).__name__}: {problem}); the verdict stands")
