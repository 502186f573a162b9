"""`vtcfaith build rewriting|preservation`: manifests of texts, or of published data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pytest_vtcfaith.cli.output import errors_in_one_line, say
from pytest_vtcfaith.cli.outputs import check_files
from pytest_vtcfaith.texts.build import LAYOUTS, RATIOS, SOURCES, build_preservation, build_rewriting, merge
from pytest_vtcfaith.texts.checks import check_ratio, check_share
from pytest_vtcfaith.texts.controls import FORMS
from pytest_vtcfaith.texts.errors import TextsError
from pytest_vtcfaith.texts.manifest import Draft, manifest_bytes, write_manifest
from pytest_vtcfaith.texts.published import read_faithc4, read_zerosense
from pytest_vtcfaith.texts.rows import TEMPLATE
from pytest_vtcfaith.texts.scripts import LANGS, check_lang
from pytest_vtcfaith.texts.tokenizers import TOKENIZERS

build = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Makes a manifest of a folder of texts, or of published data."
)

Texts = Annotated[
    Path | None, typer.Option(help="Folder of UTF-8 .txt files; with several --lang, the folder above en/, zh/, ko/.")
]
Lang = Annotated[list[str] | None, typer.Option(help="Language of the texts: en, zh or ko. Repeatable.")]
Out = Annotated[Path, typer.Option(help="The manifest to write, e.g. cases/rewriting-en.jsonl.")]
Seed = Annotated[int, typer.Option(help="Equal seeds give equal bytes on every machine.")]
Licence = Annotated[str, typer.Option(help="Licence of the texts, kept in the manifest.")]
Match = Annotated[list[str] | None, typer.Option(help="Take only files whose name matches, e.g. '0*.txt'. Repeatable.")]
Force = Annotated[bool, typer.Option("--force", help="Replace --out even where it holds something else.")]


def _refuse_ignored(context: typer.Context, published: str, *options: str) -> None:
    """Raises TextsError for options that were given and would do nothing beside an option for published data."""
    given = []
    for name in options:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            given.append(f"--{name.replace('_', '-')}")
    if given:
        names = ", ".join(given)
        raise TextsError(f"without effect beside {published}, published texts stay as they are: leave away {names}")


def _folders(texts: Path | None, langs: list[str] | None) -> list[tuple[str, Path]]:
    """Each language with the folder of its texts."""
    if texts is None or not langs:
        raise TextsError("give --texts DIR and --lang en|zh|ko")
    for lang in langs:
        check_lang(lang)
    inner = [(lang, texts / lang) for lang in dict.fromkeys(langs)]
    return inner if len(inner) > 1 or inner[0][1].is_dir() else [(langs[0], texts)]


def stored_layout(layout: str, out: Path) -> str:
    """The layout as the header has it: `template:FILE` as it is found from the folder of --out."""
    if not layout.startswith(TEMPLATE):
        return layout
    file = Path(layout.removeprefix(TEMPLATE))
    try:
        return TEMPLATE + file.resolve().relative_to(out.parent.resolve()).as_posix()
    except (ValueError, OSError, RuntimeError):
        raise TextsError(
            f"--layout {layout}: the file must lie in the folder of --out, {out.parent}: copy it there"
        ) from None


def write_draft(out: Path, draft: Draft, force: bool, write_files: Callable[[], None] = lambda: None) -> None:
    """Writes a manifest unless it stands there already, and before it, by `write_files`, the files that it names.

    Raises TextsError where `out` holds something else and `force` is not given; then nothing was written.
    """
    for note in draft.notes:
        say(f"note: {note}", "yellow")
    data = manifest_bytes(out, draft.header, draft.rows)
    documents = len({row["document"] for row in draft.rows})
    summary = f"{out}: {len(draft.rows)} rows of {documents} documents"
    same = out.exists() and out.read_bytes() == data
    if out.exists() and not same and not force:
        raise TextsError(f"{out} holds something else: give --force to replace it, or another --out")
    write_files()
    if same:
        say(f"{summary}, unchanged")
        return
    write_manifest(out, draft.header, draft.rows)
    say(summary)


def _build(
    out: Path, force: bool, texts: Path | None, langs: list[str] | None, one: Callable[[Path, str], Draft]
) -> None:
    drafts = []
    with Console(stderr=True).status("building") as status:
        for lang, folder in _folders(texts, langs):
            status.update(f"building {out.name}: {lang} texts of {folder}")
            drafts.append(one(folder, lang))
    write_draft(out, merge(drafts), force)


@build.command()
def rewriting(
    context: typer.Context,
    out: Out,
    texts: Texts = None,
    lang: Lang = None,
    seed: Seed = 0,
    rate: Annotated[float, typer.Option(help="Share of the eligible words to perturb, over 0 and up to 1.")] = 0.08,
    visual_rate: Annotated[
        float, typer.Option(help="Share of a word's characters that 'visual' replaces, over 0 and up to 1.")
    ] = 1.0,
    licence: Licence = "not stated",
    match: Match = None,
    faithc4: Annotated[
        str | None,
        typer.Option(help="Published FaithC4 data instead of --texts: a folder, a .jsonl file, or hf:NAME[:SPLIT]."),
    ] = None,
    force: Force = False,
) -> None:
    """Makes a rewriting manifest: each text as it is, and with 8 % of its longer words scrambled, replaced at random,
    or replaced by look-alikes (FaithC4). Does the model transcribe them, or repair them?

    \b
    Example, with your own texts:
      vtcfaith build rewriting --texts letters/ --lang en --out cases/rewriting-en.jsonl
      pytest --vtc-model=my-ocr --vtc-cases=cases

    \b
    FaithC4 data are read from LANG/CONDITION/ID.txt (conditions original, scramble, random, visual), or from
    rows with the fields id, lang, condition, text and original:
      vtcfaith build rewriting --faithc4 faithc4/ --out cases/rewriting.jsonl
    """
    with errors_in_one_line():
        check_files({"--out": out})
        check_share("--rate", rate)
        check_share("--visual-rate", visual_rate)
        if faithc4 is not None:
            if texts is not None:
                raise TextsError("--texts and --faithc4 exclude each other: build two manifests in one folder")
            _refuse_ignored(context, "--faithc4", "seed", "rate", "visual_rate", "match")
            write_draft(out, read_faithc4(faithc4, lang or LANGS, licence=licence), force)
            return
        _build(
            out,
            force,
            texts,
            lang,
            lambda folder, lang: build_rewriting(
                folder, lang, seed=seed, rate=rate, visual_rate=visual_rate, licence=licence, match=match or ()
            ),
        )


@build.command()
def preservation(
    context: typer.Context,
    out: Out,
    texts: Texts = None,
    lang: Lang = None,
    seed: Seed = 0,
    ratio: Annotated[
        list[float] | None, typer.Option(help="Text tokens per visual token. Repeatable; default 2.5 to 17.5.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(help=f"{', '.join(SOURCES)} (the default: both), or a control of the text: {FORMS}. Repeatable."),
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            help="How pages are laid out: a name, or template:FILE[#PAGE] with an OmniDocBench annotation file in "
            f"the folder of --out. Repeatable; default {', '.join(LAYOUTS)}."
        ),
    ] = None,
    on_request: Annotated[
        list[str] | None,
        typer.Option(
            help="Cases that only run when --vtc-tier or --vtc-renderer asks for them: a pattern over "
            "layout/ratio/source, e.g. 'glyph/*/swap-*'. Repeatable."
        ),
    ] = None,
    tokenizer: Annotated[str, typer.Option(help=f"What counts the text tokens: {', '.join(TOKENIZERS)}.")] = "deepseek",
    fit: Annotated[
        str | None,
        typer.Option(
            help="Family of visual tokens, e.g. nominal: make passages of lengths that it can compress to every ratio. "
            "They begin with the files of --match and may go on with the others."
        ),
    ] = None,
    length: Annotated[
        list[int] | None,
        typer.Option(help="With --fit, about how many tokens. Repeatable: for one file after the other, in turn."),
    ] = None,
    licence: Licence = "not stated",
    match: Match = None,
    zerosense: Annotated[
        str | None,
        typer.Option(help="Published ZeroSense data instead of --texts: a folder, a .jsonl file, or hf:NAME[:SPLIT]."),
    ] = None,
    force: Force = False,
) -> None:
    """Makes a preservation manifest: each text, and beside it one as long of words drawn at random, to be read from
    pages of fewer and fewer visual tokens. What is read of the first and not of the second is the language prior.

    \b
    Example, with your own texts:
      vtcfaith build preservation --texts letters/ --lang en --out cases/preservation-en.jsonl
      pytest --vtc-model=my-ocr --vtc-cases=cases

    \b
    The same, of a length that a model of the family nominal can compress to every ratio:
      vtcfaith build preservation --texts letters/ --lang en --fit nominal --length 364 --out cases/p.jsonl

    \b
    With two characters exchanged in every tenth word, and with words out of order, to be run when asked for:
      vtcfaith build preservation --texts letters/ --lang en --source natural --source swap-10 \\
        --source word-shuffle-5 --on-request '*swap-*' --on-request '*shuffle-*' --out cases/p.jsonl

    \b
    ZeroSense data are read from a folder of .txt files, or from rows with the fields id and text:
      vtcfaith build preservation --zerosense zerosense/ --out cases/zerosense.jsonl
    """
    ratios = ratio or RATIOS
    with errors_in_one_line():
        check_files({"--out": out})
        for value in ratios:
            check_ratio("--ratio", value)
        layouts = [stored_layout(name, out) for name in layout or LAYOUTS]
        if zerosense is not None:
            if texts is not None:
                raise TextsError("--texts and --zerosense exclude each other: build two manifests in one folder")
            _refuse_ignored(context, "--zerosense", "lang", "seed", "source", "fit", "length", "match")
            draft = read_zerosense(
                zerosense,
                ratios=ratios,
                tokenizer=tokenizer,
                layouts=layouts,
                folder=out.parent,
                on_request=on_request or (),
                licence=licence,
            )
            write_draft(out, draft, force)
            return
        _build(
            out,
            force,
            texts,
            lang,
            lambda folder, lang: build_preservation(
                folder,
                lang,
                seed=seed,
                ratios=ratios,
                tokenizer=tokenizer,
                sources=source or SOURCES,
                layouts=layouts,
                folder=out.parent,
                on_request=on_request or (),
                licence=licence,
                match=match or (),
                fit=fit,
                lengths=length or (),
            ),
        )
