"""`vtcfaith probe`: where inside a transformers model a perturbed word becomes the expected one."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress

from pytest_vtcfaith.cli.output import errors_in_one_line, print_lines, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.models.probe.pages import ORIGINAL, ProbeWord, probe_words
from pytest_vtcfaith.models.registry import resolve
from pytest_vtcfaith.texts.build import check_layouts
from pytest_vtcfaith.texts.bundled import bundled_folder
from pytest_vtcfaith.texts.documents import Document, read_documents
from pytest_vtcfaith.texts.errors import TextsError, reason
from pytest_vtcfaith.texts.perturb import KINDS
from pytest_vtcfaith.texts.scripts import check_lang

if TYPE_CHECKING:
    from pytest_vtcfaith.models.spec import ModelSpec
    from pytest_vtcfaith.models.transformers import TransformersVlm

ADAPTER = "transformers"
MAX_NEW_TOKENS = 32
LONGEST = 600
"""Characters of a message."""
PACKAGES = ("pytest-vtcfaith", "transformers", "torch", "pillow")


def probe(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A folder or hub name that transformers loads, e.g. ./checkpoint.")
    ],
    out: Annotated[Path, typer.Option(help="The results to write, JSON, e.g. probe.json.")],
    figure: Annotated[
        Path | None, typer.Option(help="The figure to write, SVG, e.g. probe.svg; none without it.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Folder of UTF-8 .txt files; default: the bundled texts of the language.")
    ] = None,
    lang: Annotated[str, typer.Option(help="Language of the texts: en, zh or ko.")] = "en",
    kind: Annotated[
        list[str] | None, typer.Option(help=f"Perturbation: {', '.join(KINDS)}. Repeatable; default all (zh: two).")
    ] = None,
    each: Annotated[int, typer.Option(min=1, help="Words of each text, a page of its own for each form.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first texts.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds give equal words and forms.")] = 0,
    layout: Annotated[str, typer.Option(help="How pages are laid out.")] = "faithc4",
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:N, …")] = "auto",
    dtype: Annotated[str, typer.Option(help="auto, bfloat16, float16 or float32.")] = "auto",
    max_pixels: Annotated[int | None, typer.Option(min=1, help="Most pixels the processor scales a page to.")] = None,
    every: Annotated[int, typer.Option(min=1, help="Print every N-th layer, and the last; --out has all.")] = 4,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run code that came with the checkpoint.")
    ] = False,
) -> None:
    """Looks into a vision-language model while it reads one highlighted word a page, as it was and perturbed, and
    prints for every layer

    \b
      cosine     of the FFN output at the last input token with that on the original page: how far the layer has
                 noticed that the word is another one (1: not at all)
      attention  on the patches of the highlighted word, perturbed over original: how much harder the model looks

    Then what it wrote for the word, and how often it wrote the original, by quartile of the last layer's cosine and by
    length of the word. FaithC4 (section 4.2) finds that Qwen3-VL-4B rewrites where the cosine stays high, however hard
    it looks: vtcfaith published faithc4 prints its tables.

    \b
    Examples
      vtcfaith probe ./checkpoint --out probe.json --figure probe.svg
      vtcfaith probe Qwen/Qwen3-VL-4B-Instruct --each 18 --device cuda --dtype bfloat16 --out probe.json
      vtcfaith probe ./checkpoint --texts letters --lang ko --kind visual --out probe.json

    Attention is computed in the plain way ("eager"), which takes memory for tokens × tokens of every head: lower
    --max-pixels where it does not suffice. Works for the families of Qwen2-VL, Qwen2.5-VL, Qwen3-VL and for others
    whose processor says how it cuts a page into patches, for LLaVA and for Gemma 3.
    """
    with errors_in_one_line():
        check_files({"--out": out, "--figure": figure})
        if figure is not None and figure.suffix.lower() != ".svg":
            raise TextsError(f"--figure {figure}: the figure is an SVG: give it a name that ends in .svg")
        documents, kinds = _documents(texts, lang, limit), _kinds(kind, lang)
        check_layouts([layout], Path())
        words = probe_words(documents, lang, kinds, each=each, seed=seed)
        if not words:
            raise TextsError(
                f"no word of these {len(documents)} texts has a form of every kind ({', '.join(kinds)}): give longer "
                f"texts in {lang}, or fewer kinds"
            )
        options = {"device": device, "dtype": dtype, "trust_remote_code": trust_remote_code}
        if max_pixels is not None:
            options["max_pixels"] = max_pixels
        spec = _spec(model, options)
        loaded = _load(spec, model)
        results = _probe(loaded, words, lang, layout)
        provenance = _provenance(spec, loaded, documents, lang=lang, kinds=kinds, seed=seed, layout=layout, each=each)
        _write(results, provenance, out, figure, model, every)


def _documents(texts: Path | None, lang: str, limit: int | None) -> list[Document]:
    check_lang(lang)
    return read_documents(bundled_folder() / "data" / "texts" / lang if texts is None else texts)[:limit]


def _kinds(kinds: list[str] | None, lang: str) -> list[str]:
    chosen = list(dict.fromkeys(kinds)) if kinds else [kind for kind in KINDS if (kind, lang) != ("scramble", "zh")]
    for kind in chosen:
        if kind not in KINDS:
            raise TextsError(f"--kind {kind!r} is unknown: choose from {', '.join(KINDS)}")
        if (kind, lang) == ("scramble", "zh"):
            raise TextsError("--kind scramble is not defined for zh, which has no words: choose random or visual")
    return chosen


def _spec(model: str, options: dict[str, Any]) -> ModelSpec:
    source = model.removeprefix(f"{ADAPTER}:")
    table = {"adapter": ADAPTER, "model": source, "attention": "eager", "max_new_tokens": MAX_NEW_TOKENS, **options}
    try:
        return resolve("probe", {"probe": table})
    except ValueError as error:
        raise TextsError(_told(error)) from error


def _load(spec: ModelSpec, model: str) -> TransformersVlm:
    try:
        with Console(stderr=True).status("loading the model"):
            loaded: TransformersVlm = spec.load()  # type: ignore[assignment]
    except Exception as error:  # a checkpoint can be wrong in more ways than transformers has errors for
        source = model.removeprefix(f"{ADAPTER}:")
        folder = Path(source).expanduser()
        away = isinstance(error, OSError) and not folder.is_dir()
        mend = f"; download it first (hf download {source}), or give a folder" if away else ""
        told = _told(error).rstrip(".") + mend
        named = told.startswith("--") or str(folder.resolve()) in told
        raise TextsError(told if named else f"{source} cannot be loaded: {told}") from error
    return loaded


def _probe(model: TransformersVlm, words: list[ProbeWord], lang: str, layout: str) -> list[Any]:
    from pytest_vtcfaith.models.probe.run import probe as probe_model

    pages = sum(len(word.forms) for word in words)
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(f"{len(words)} words, {pages} pages", total=pages)
        try:
            found = list(probe_model(model, words, lang=lang, layout=layout, advance=lambda: progress.advance(task)))
        except Exception as error:  # the checkpoint's own code runs here
            raise TextsError(_told(error)) from error
    if not found:
        raise TextsError(
            f"the picture processor crops all {len(words)} words off their pages: give another --layout, or in "
            'preprocessor_config.json a "size" of "height" and "width", to which whole pages are scaled'
        )
    if left_out := len(words) - sum(page.condition == ORIGINAL for page in found):
        say(f"note: {left_out} of {len(words)} words left out, the picture processor crops them off the page", "yellow")
    return found


def _told(error: Exception) -> str:
    """The error on one line, of a length that can be read, with options as the command line has them."""
    text = " ".join(str(error).split())
    text = re.sub(r"^(?:(?:model 'probe'|\[tool\.vtcfaith\.models\.probe\]): )+", "", text)
    text = re.sub(r"^(\w+) = ", lambda option: f"--{option[1].replace('_', '-')} ", text)
    if not isinstance(error, OSError | ValueError | RuntimeError | ImportError):
        text = f"{type(error).__name__}: {text}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _provenance(spec: ModelSpec, model: TransformersVlm, documents: list[Document], **asked: Any) -> dict[str, Any]:
    from pytest_vtcfaith.models.probe.run import PROMPT

    return {
        "model": spec.identity,
        "settings": model.settings,
        "versions": {"python": sys.version.split()[0], **_versions()},
        "prompt": PROMPT,
        "texts": {d.slug: hashlib.sha256(d.text.encode("utf-8")).hexdigest() for d in documents},
        **asked,
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # a checkout that was never installed
            continue
    return found


def _write(
    pages: list[Any], provenance: dict[str, Any], out: Path, figure: Path | None, model: str, every: int
) -> None:
    from pytest_vtcfaith.models.probe.figure import figure as draw
    from pytest_vtcfaith.models.probe.results import as_json, as_markdown
    from pytest_vtcfaith.report.results import write_atomic

    results = as_json(pages, provenance)
    files = {out: json.dumps(results, ensure_ascii=False, allow_nan=False, indent=1) + "\n"}
    if figure is not None:
        files[figure] = draw(results, f"{model}: layer probe of {len(pages)} pages")
    lost = []
    for path, text in files.items():
        try:
            write_atomic(path, [text])
        except OSError as error:  # checked before, but that may have been hours ago
            lost.append(f"{path}: it cannot be written ({reason(error)})")
        else:
            say(f"{path}: {len(pages)} pages, {len(results['layers'])} layers")
    print_lines(as_markdown(results, every))
    if lost:
        raise TextsError(f"{'; '.join(lost)}: make room or get the right to write there; the tables are printed above")
