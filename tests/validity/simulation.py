"""Simulated runs: how often the gates are wrong. `python tests/validity/simulation.py` prints the tables of
docs/statistics.md (2,000 runs each); `--runs N` for fewer.

Scores like the papers': documents differ in how well they can be read (heavy tail to the left), pages of a document are
alike (clusters), and a page may fail wholly and scores 0 (FaithC4 Tables A.3, A.4: 0.2 to 3 % of documents; the
bundled gate for 10x expects up to a quarter). A failing document tends to fail again. All judging is done by the
package's own array functions.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from pytest_vtcfaith.gating.bootstrap import Method, bounds, left_out, tail, weights
from pytest_vtcfaith.gating.holm import holm
from pytest_vtcfaith.gating.power import detectable_loss, documents_needed, level, quiet_margin

Array = np.ndarray[Any, Any]
CONFIDENCE = 0.95
TIERS = 20
PAGES = 3
CHUNK = 1000


@dataclass(frozen=True, slots=True)
class World:
    """How scores come about. `mean`: of a readable page, 0–1; `spread`: how much documents differ (as a Beta of this
    many pseudo-counts); `noise`: standard deviation of most pages' score from run to run, four times that of one in 20;
    `failing`: share of pages that fail; `again`: share of failures that are the document's own and come back.
    """

    name: str
    mean: float
    spread: float
    noise: float
    failing: float
    again: float


WORLDS = (
    World("OCR engine, accuracy 0.97, 0.2 % of pages fail", 0.97, 20.0, 0.004, 0.002, 0.8),
    World("VLM, accuracy 0.97, 1 % fail", 0.97, 20.0, 0.01, 0.01, 0.7),
    World("VLM, accuracy 0.95, 3 % fail", 0.95, 20.0, 0.02, 0.03, 0.5),
    World("VLM at 10x, accuracy 0.5, 25 % fail", 0.5, 3.0, 0.05, 0.25, 0.6),
)


class Tier:
    """Tiers of `documents` × `tiers`, whose documents stay and whose runs are drawn anew."""

    def __init__(self, world: World, documents: int, tiers: int, rng: np.random.Generator) -> None:
        self.world, self.rng, self.shape = world, rng, (documents, tiers)
        self.quality = rng.beta(world.mean * world.spread, (1 - world.mean) * world.spread, size=self.shape)
        self.prone = rng.random(self.shape) < world.failing

    def run(self, drop: float = 0.0, lost: float = 0.0) -> Array:
        """Sum of the page scores of every document; `drop` is taken off every readable page, a share `lost` of the
        documents fails wholly besides.
        """
        world, rng = self.world, self.rng
        total = np.zeros(self.shape)
        gone = rng.random(self.shape) < lost if lost else np.zeros(self.shape, dtype=bool)
        for _ in range(PAGES):
            heavy = np.where(rng.random(self.shape, dtype=np.float32) < 0.05, 4.0, 1.0)
            page = self.quality - drop + world.noise * heavy * rng.standard_normal(self.shape, dtype=np.float32)
            # failures that come back are those of prone documents, the others strike anywhere
            luck = rng.random(self.shape, dtype=np.float32)
            failed = (self.prone & (luck < world.again)) | (luck > 1.0 - world.failing * (1.0 - world.again)) | gone
            total += np.where(failed, 0.0, np.clip(page, 0.0, 1.0))
        return total

    def expected(self) -> float:
        """The mean page score over documents and runs, by brute force."""
        return float(np.mean([Tier(self.world, 20_000, 10, self.rng).run() for _ in range(10)]) / PAGES)


@dataclass(frozen=True, slots=True)
class Judged:
    """Losses of many tiers at once."""

    low: Array
    high: Array
    point: Array
    p: Array
    spread: Array
    worst: Array


def judge(before: Array, now: Array, margins: Array, method: Method = "percentile") -> Judged:
    """What `paired_loss` does, for every tier (column) at once; `margins` has one for each."""
    documents = len(before)
    drawn = weights(documents, 0)
    parts = []
    for start in range(0, before.shape[1], CHUNK):
        old, new = before[:, start : start + CHUNK] / PAGES, now[:, start : start + CHUNK] / PAGES
        draws = (drawn @ old - drawn @ new) / documents
        point = (old.sum(0) - new.sum(0)) / documents
        rest = (left_out(old) - left_out(new)) / (documents - 1)
        low, high = bounds(draws, point, rest, confidence=CONFIDENCE, documents=documents, method=method)
        margin = margins[start : start + CHUNK]
        p = tail(draws, point, rest, margin, documents=documents, method=method)
        p = np.where(low > margin, np.minimum(p, level(CONFIDENCE)), np.maximum(p, level(CONFIDENCE)))
        moved = np.abs(rest - point).max(0) * (documents - 1)
        worst = np.maximum(old.sum(0) / documents, moved)
        parts.append((low, high, point, p, draws.std(0), worst))
    return Judged(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def verdicts(found: Judged, margins: Array, tiers: int) -> tuple[Array, Array]:
    """Failed and inconclusive gates (runs × tiers) with Holm's correction over the tiers of a run."""
    passed = (found.high <= margins).reshape(-1, tiers)
    failed = (found.low > margins).reshape(-1, tiers)
    p = found.p.reshape(-1, tiers)
    for run in np.flatnonzero(failed.any(axis=1)):
        failed[run] &= np.array(holm(p[run].tolist())) <= level(CONFIDENCE)
    return failed, ~passed & ~failed


def quiet(found: Judged, documents: int, tiers: int = TIERS) -> Array:
    """The margin that the tool prints for each tier."""
    return np.array(
        [
            quiet_margin(s, w, documents, confidence=CONFIDENCE, gates=tiers)
            for s, w in zip(found.spread, found.worst, strict=True)
        ]
    )


def share(count: int, of: int) -> str:
    """A percentage with its simulation error (one standard error)."""
    p = count / of
    return f"{100 * p:.1f} ± {100 * math.sqrt(max(p * (1 - p), 1 / of) / of):.1f}"


def in_parts(count: int, documents: int) -> list[int]:
    """Runs in parts that fit into memory."""
    size = max(1, 2_000_000 // (documents * TIERS))
    return [min(size, count - start) for start in range(0, count, size)]


def red_at_quiet_margin(world: World, documents: int, runs: int, seed: int) -> dict[str, Any]:
    """Two runs give the printed margins of 20 tiers; a third is judged by them. Nothing has changed."""
    rng = np.random.default_rng(seed)
    printed: list[float] = []
    red = failing = 0
    for part in in_parts(runs, documents):
        tiers = Tier(world, documents, part * TIERS, rng)
        before = tiers.run()
        margins = quiet(judge(before, tiers.run(), np.zeros(part * TIERS)), documents)
        failed, unsure = verdicts(judge(before, tiers.run(), margins), margins, TIERS)
        red += int((failed | unsure).any(axis=1).sum())
        failing += int(failed.any(axis=1).sum())
        printed += margins.tolist()
    return {"margin": float(np.median(printed)), "red": red, "failed": failing}


def red_at_margin(world: World, documents: int, margin: float, runs: int, seed: int) -> dict[str, Any]:
    """A run without change against its baseline at a fixed margin; the documents the tool prints from it."""
    rng = np.random.default_rng(seed)
    needed: list[int] = []
    red = failing = unsure_gates = 0
    for part in in_parts(runs, documents):
        tiers = Tier(world, documents, part * TIERS, rng)
        margins = np.full(part * TIERS, margin)
        found = judge(tiers.run(), tiers.run(), margins)
        failed, unsure = verdicts(found, margins, TIERS)
        for s, w in list(zip(found.spread, found.worst, strict=True))[: max(0, 2000 - len(needed))]:
            needed.append(documents_needed(margin, s, w, documents, confidence=CONFIDENCE, gates=TIERS) or 0)
        red += int((failed | unsure).any(axis=1).sum())
        failing += int(failed.any(axis=1).sum())
        unsure_gates += int(unsure.sum())
    share_unsure = unsure_gates / (runs * TIERS)
    return {"needed": int(np.median(needed)), "red": red, "failed": failing, "inconclusive": share_unsure}


def power(world: World, documents: int, margin: float, runs: int, seed: int, *, whole: bool) -> dict[str, Any]:
    """One tier of 20 loses what was printed as detectable; the share of runs that call it a failure.

    With `whole` the loss is made of documents that fail wholly, otherwise every page loses as much.
    """
    rng = np.random.default_rng(seed)
    tiers = Tier(world, documents, runs, rng)
    before = tiers.run()
    margins = np.full(runs, margin)
    printed = judge(before, tiers.run(), margins)
    drops = np.array(
        [
            detectable_loss(margin, s, w, documents, confidence=CONFIDENCE, gates=TIERS)
            for s, w in zip(printed.spread, printed.worst, strict=True)
        ]
    )
    drop = float(np.median(drops))
    if whole:
        now = tiers.run(lost=min(1.0, drop / float(before.mean() / PAGES)))
    else:
        now = tiers.run()
        now = now - drops * PAGES  # of the tier's own printed loss, every document alike
    found = judge(before, now, margins)
    caught = (found.low > margins) & (found.p <= level(CONFIDENCE) / TIERS)
    return {"drop": drop, "caught": int(caught.sum()), "red": int((found.high > margins).sum()), "runs": runs}


def coverage(world: World, documents: int, runs: int, seed: int, *, paired: bool, method: Method) -> dict[str, Any]:
    """How often the interval of a tier's accuracy, or of a loss that is 0, holds the truth."""
    rng = np.random.default_rng(seed)
    tiers = Tier(world, documents, runs, rng)
    if paired:
        found = judge(tiers.run(), tiers.run(), np.zeros(runs), method)
        low, high, truth = found.low, found.high, 0.0
    else:
        truth = tiers.expected()
        scores = tiers.run() / PAGES
        drawn = weights(documents, 0)
        ends = [
            bounds(
                drawn @ part / documents,
                part.mean(0),
                left_out(part) / (documents - 1),
                confidence=CONFIDENCE,
                documents=documents,
                method=method,
            )
            for part in np.array_split(scores, max(1, runs // CHUNK), axis=1)
        ]
        low, high = (np.concatenate([pair[i] for pair in ends]) for i in (0, 1))
    return {"held": int(((low <= truth) & (truth <= high)).sum()), "runs": runs}


def heading(*cells: str) -> None:
    """The head of a Markdown table."""
    print()
    row(*cells)
    row(*("---" for _ in cells))


def row(*cells: object) -> None:
    """A row of a Markdown table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def main() -> None:
    """Prints every table."""
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--runs", type=int, default=2000)
    arguments.add_argument("--only", default="", help="quiet, margin, needed, power or coverage")
    chosen = arguments.parse_args()
    runs, only, started = chosen.runs, chosen.only, time.perf_counter()
    if only in ("", "quiet"):
        heading("scores", "documents", "printed margin (median)", "runs not green, %", "runs with a failed gate, %")
        for world in WORLDS:
            for documents in (30, 100, 300, 1000):
                found = red_at_quiet_margin(world, documents, runs, 1)
                counts = (share(found[name], runs) for name in ("red", "failed"))
                row(world.name, documents, f"{found['margin']:.4f}", *counts)
    if only in ("", "margin"):
        heading(
            "scores", "margin", "documents", "documents printed (median)", "inconclusive gates, %", "runs not green, %"
        )
        for world, margin in zip(WORLDS, (0.01, 0.02, 0.03, 0.05), strict=True):
            for documents in (50, 100, 200, 400, 800):
                found = red_at_margin(world, documents, margin, runs, 2)
                unsure = f"{100 * found['inconclusive']:.2f}"
                row(world.name, margin, documents, found["needed"], unsure, share(found["red"], runs))
    if only in ("", "needed"):
        heading("scores", "margin", "printed from 200 documents (median)", "runs not green with so many, %")
        for world, margin in zip(WORLDS, (0.01, 0.02, 0.03, 0.05), strict=True):
            needed = red_at_margin(world, 200, margin, 100, 5)["needed"]
            row(world.name, margin, needed, share(red_at_margin(world, needed, margin, runs, 6)["red"], runs))
    if only in ("", "power"):
        heading(
            "scores",
            "documents",
            "detectable loss (median)",
            "all documents lose it: failed, %",
            "documents fail wholly: failed, %",
            "documents fail wholly: not green, %",
        )
        for world in WORLDS:
            for documents in (30, 100, 300, 1000):
                even = power(world, documents, 0.02, runs, 3, whole=False)
                whole = power(world, documents, 0.02, runs, 3, whole=True)
                counts = (share(count, runs) for count in (even["caught"], whole["caught"], whole["red"]))
                row(world.name, documents, f"{even['drop']:.4f}", *counts)
    if only in ("", "coverage"):
        heading("scores", "documents", "value, bca", "value, percentile", "loss, percentile", "loss, bca")
        kinds: tuple[tuple[bool, Method], ...] = (
            (False, "bca"),
            (False, "percentile"),
            (True, "percentile"),
            (True, "bca"),
        )
        for world in WORLDS:
            for documents in (10, 30, 100, 300, 1000):
                held = (coverage(world, documents, runs, 4, paired=p, method=m)["held"] for p, m in kinds)
                row(world.name, documents, *(share(count, runs) for count in held))
    print(f"\n{time.perf_counter() - started:.0f} s, {runs} runs each, {TIERS} tiers, {PAGES} pages a document")


if __name__ == "__main__":
    main()
