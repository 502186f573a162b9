"""`--vtc-noise N`: some cases are asked a second time, past everything that is stored, and what changed is reported."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_vtcfaith.plugin.benchmark import AskedTwice
from pytest_vtcfaith.plugin.ledger import Ledger
from pytest_vtcfaith.plugin.run import Ask, Run
from pytest_vtcfaith.suites.case import Case, CaseScore

if TYPE_CHECKING:
    from pytest_vtcfaith.engine.transcript import Transcript
    from pytest_vtcfaith.report.noise import Answered, Pair
    from pytest_vtcfaith.suites.base import Request

NAME = "vtcfaith-noise"
Key = tuple[str, str, str]
Rows = Mapping[Key, Mapping[str, Any]]
"""Results by model's name, suite and case."""


def choose(asks: Iterable[Ask], number: int, seed: int) -> list[Ask]:
    """`number` asks of each model, or all it has, as many of every tier as of any other, but for one.

    Each tier takes its documents in an order that depends on the seed and their names only, the same in all tiers, so
    that the conditions of a document are chosen together.
    """
    from pytest_vtcfaith.gating.statistics import seed_of

    tiers: dict[tuple[str, str], dict[str, Ask]] = {}
    for ask in asks:
        tiers.setdefault((ask.slug, ask.case.tier), {})[ask.case.id] = ask
    ranked: dict[str, list[tuple[int, int, Ask]]] = {}
    for (slug, tier), members in tiers.items():
        ordered = sorted(members.values(), key=lambda ask: (seed_of(seed, ask.case.document), ask.case.id))
        ranked.setdefault(slug, []).extend((rank, seed_of(seed, tier), ask) for rank, ask in enumerate(ordered))
    return [
        ask
        for found in ranked.values()
        for *_, ask in sorted(found, key=lambda place: (*place[:2], place[2].id))[:number]
    ]


class Noise:
    """The cases asked twice: in a worker those of its models, in the process that judges those of hosts, and the
    report.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.lines: list[str] = []
        self._chosen: dict[Key, Ask] = {}
        self._session = f"{run.session_id}-again"

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Every process that collects cases chooses the same ones."""
        scored = (item for item in session.items if "vtc_score" in getattr(item, "fixturenames", ()))
        asks = [getattr(item, "callspec", None) and item.callspec.params.get("vtc_case") for item in scored]  # type: ignore[attr-defined]
        self._choose(ask for ask in asks if isinstance(ask, Ask))

    def _choose(self, asks: Iterable[Ask]) -> None:
        """Of those that the model can be asked; the controller's own collection has gates only and changes nothing."""
        able = (
            ask
            for ask in asks
            if ask.spec.needs_picture and not self.run.suite(ask.case.suite).inapplicable(ask.case, ask.spec)
        )
        chosen = {ask.key: ask for ask in choose(able, self.run.options.noise or 0, self.run.options.seed)}
        self._chosen = self._chosen or chosen

    def ask_here(self, ask: Ask, request: Request, first: Transcript) -> None:
        """Asks a model of this process once more, right after its first answer."""
        chosen = ask.key in self._chosen and ask.spec.lives == "worker"
        if chosen and first.outcome != "infrastructure_error":
            self._book(ask, request, self.run.respond(ask, request, stored=False))

    def _book(self, ask: Ask, request: Request, transcript: Transcript) -> None:
        """Keeps a second answer apart from the results. Whatever is wrong with it must not touch the test's verdict."""
        from pytest_vtcfaith.plugin.casecheck import process_name, result_row
        from pytest_vtcfaith.report.results import append_result

        try:
            suite = self.run.suite(ask.case.suite)
            transcript, metrics = self.run.measuring.score(suite, ask.case, transcript, request)
            row = result_row(ask, transcript.outcome, metrics, transcript.reply.error or "", transcript)
        except Exception as problem:
            row = result_row(ask, "infrastructure_error", {}, f"{type(problem).__name__}: {problem}", transcript)
        append_result(self.run.report_folder, process_name(self.run.config), row, self._session)

    # --- in the process that judges -----------------------------------------------------------------------

    def finish(self, ledger: Ledger) -> None:
        """Asks the models in hosts again, compares, writes noise.json. What goes wrong becomes a line."""
        self._choose(ledger.scored)
        try:
            self._finish()
        except OSError as problem:
            self.lines.append(f"the noise could not be measured: {problem}")

    def _finish(self) -> None:
        from pytest_vtcfaith.report.noise import counts, describe_noise, tier_noise, write_noise
        from pytest_vtcfaith.report.results import gather

        run = self.run
        first = _by_key(gather(run.report_folder, run.session_id))
        batches = self._ask_hosts(first)
        again = _by_key(gather(run.report_folder, self._session))
        models, tiers = [], []
        for slug, spec in run.specs.items():
            asks = [ask for ask in self._chosen.values() if ask.slug == slug]
            own = []
            pairs = [_pair(ask, first, again) for ask in asks]
            for name in run.suites:
                within = [pair for pair in pairs if pair.case.suite == name]
                scores = [s for s in _scores(run.cases(name), slug, spec.name, first) if not s.inapplicable]
                self._keep(slug, name, [pair for pair in within if pair.state == "twice"], scores)
                for tier in sorted({pair.case.tier for pair in within}):
                    own.append({"model": slug, "suite": name, **tier_noise(run.suite(name), tier, within, scores)})
            reasons = Counter(p.again.score.reason for p in pairs if p.state == "unanswered" and p.again is not None)
            twice = [ask for ask, pair in zip(asks, pairs, strict=True) if pair.state == "twice"]
            models.append(
                {
                    "model": slug,
                    "by_construction": not spec.needs_picture,
                    "replies": _called(run.suite(ask.case.suite).task for ask in asks),
                    **counts(pairs),
                    "first_from_store": sum(bool(first[_key(ask)].get("cached")) for ask in twice),
                    "reason": reasons.most_common(1)[0][0] if reasons else "",
                    **dict(zip(("batch_size", "batch_size_again"), batches.get(slug, (None, None)), strict=True)),
                }
            )
            tiers += own
            self.lines.append(describe_noise(models[-1], own))
        write_noise(run.report_folder, run.options.noise or 0, run.options.seed, models, tiers)

    def _keep(self, model: str, suite: str, twice: Sequence[Pair], scores: Sequence[CaseScore]) -> None:
        """What regression gates hold their margins against, and baselines keep."""
        from pytest_vtcfaith.report.noise import columns_twice

        for tier in sorted({tier for pair in twice for tier in pair.case.tiers}):
            found = AskedTwice(*columns_twice(self.run.suite(suite), tier, twice, scores))
            self.run.asked_twice[model, tier] = found

    def _ask_hosts(self, first: Rows) -> dict[str, tuple[int | None, int | None]]:
        """Fresh hosts read the cases that were measured, shuffled, in batches of about half the size, storing nothing.

        Gives the largest batch of both times by model.
        """
        asks = {
            slug: [ask for ask in self._chosen.values() if ask.slug == slug and _measured(first.get(_key(ask)))]
            for slug, spec in self.run.specs.items()
            if spec.lives == "host"
        }
        asks = {slug: found for slug, found in asks.items() if found}
        if not asks:
            return {}
        from pytest_vtcfaith.engine.answers import Answers
        from pytest_vtcfaith.engine.hosts import Hosts
        from pytest_vtcfaith.gating.statistics import seed_of
        from pytest_vtcfaith.plugin.hosts import find_devices_of, host_session, launch
        from pytest_vtcfaith.plugin.progress import ProgressDisplay

        run = self.run
        before = {slug: host_session(run.config).largest_batch(slug) for slug in asks}
        folder = run.answers_folder.with_name(self._session)
        display = ProgressDisplay(run.config.pluginmanager.get_plugin("terminalreporter"))
        shuffled = {
            slug: sorted(found, key=lambda ask: seed_of("again", run.options.seed, ask.id))
            for slug, found in asks.items()
        }
        hosts = Hosts(
            {slug: [ask.id for ask in found] for slug, found in shuffled.items()},
            {
                slug: launch(run, slug, folder, batch_size=_other_size(before[slug], len(found)), store=None)
                for slug, found in asks.items()
            },
            folder,
            lambda: find_devices_of(run),
            say=display.say,
            show=display.show,
            done=lambda case: False,
        )
        display.say(f"vtcfaith: asking {sum(map(len, asks.values()))} cases again (--vtc-noise)")
        try:
            hosts.start(list(asks))
            for slug, found in shuffled.items():
                answers = Answers(folder / slug, lambda: True)
                for ask in found:
                    self._book(ask, run.suite(ask.case.suite).request(ask.case, ask.spec), answers.wait(ask.id))
        finally:
            hosts.stop()
            display.clear()
            shutil.rmtree(folder, ignore_errors=True)
        largest = Counter[str]()
        for record in hosts.records:
            largest[record.model] = max(largest[record.model], record.largest_batch)
        return {slug: (before[slug] or None, largest[slug] or None) for slug in asks}

    def pytest_sessionfinish(self) -> None:
        """Removes the second answers, also those of a run that was cut short."""
        if not hasattr(self.run.config, "workerinput"):
            from pytest_vtcfaith.report.results import remove_parts

            remove_parts(self.run.report_folder, self._session)


def noise_of(config: pytest.Config) -> Noise:
    """The noise measurement of this process; there is one with `--vtc-noise` only."""
    found = config.pluginmanager.get_plugin(NAME)
    assert isinstance(found, Noise)
    return found


def _other_size(largest: int, cases: int) -> int:
    """Half the largest batch; where that is unknown, half of the cases; two at a time where one was."""
    if largest == 1:
        return 2
    from pytest_vtcfaith.engine.host import BATCH_SIZE

    return max(1, (largest or min(cases, BATCH_SIZE)) // 2)


def _by_key(rows: Sequence[dict[str, Any]]) -> Rows:
    return {(row["model"], row["suite"], row["case"]): row for row in rows}


def _key(ask: Ask) -> Key:
    return ask.spec.name, ask.case.suite, ask.case.id


def _called(tasks: Iterable[str]) -> str:
    """What a model gives that was asked to do this."""
    given = {"transcribe": "transcripts", "answer": "answers", "edit": "pictures", "draw": "pictures"}
    names = {given[task] for task in tasks}
    return names.pop() if len(names) == 1 else "replies"


def _measured(row: Mapping[str, Any] | None) -> bool:
    return row is not None and row["outcome"] not in ("inapplicable", "infrastructure_error")


def _pair(ask: Ask, first: Rows, again: Rows) -> Pair:
    from pytest_vtcfaith.report.noise import Pair

    found = (_answered(ask.case, ask.slug, rows.get(_key(ask))) for rows in (first, again))
    return Pair(ask.case, *found)


def _answered(case: Case, model: str, row: Mapping[str, Any] | None) -> Answered | None:
    from pytest_vtcfaith.report.noise import Answered

    if row is None:
        return None
    outcome = "" if row["outcome"] == "inapplicable" else row["outcome"]
    said = row["transcript"] or row.get("picture_sha256", "")
    return Answered(CaseScore(case, model, outcome, row["metrics"], row.get("reason", "")), said)


def _scores(cases: Iterable[Case], model: str, name: str, rows: Rows) -> Iterator[CaseScore]:
    for case in cases:
        found = _answered(case, model, rows.get((name, case.suite, case.id)))
        if found is not None:
            yield found.score
