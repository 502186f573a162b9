"""What every command says and prints: one line on standard error, lines of UTF-8 on standard output."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

import typer
from rich.console import Console
from rich.text import Text

from pytest_vtcfaith.texts.errors import TextsError, reason


def say(message: str, style: str = "") -> None:
    try:
        Console(stderr=True, soft_wrap=True).print(Text(" ".join(message.split("\n")), style=style))
    except OSError:  # nowhere to say it: the exit status still tells
        drop(sys.stderr)


def drop(stream: TextIO) -> None:
    """Lets what is still to be printed vanish; without this Python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turns what a user can mend into one red line and exit status 2."""
    try:
        yield
    except TextsError as error:
        say(f"error: {error}", "red")
        raise typer.Exit(2) from None
    except OSError as error:
        say(f"error: {error.filename or 'a file'}: {reason(error)}: mend it, or name another", "red")
        raise typer.Exit(2) from None


def print_lines(lines: Iterable[str]) -> None:
    """Prints lines in UTF-8 whatever the code page. Raises TextsError when standard output does not take them."""
    if sys.stdout is None:
        raise TextsError("standard output is closed: send it to a file or a pipe")
    try:
        for line in lines:
            sys.stdout.buffer.write(line.encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader has seen enough
        drop(sys.stdout)
    except OSError as error:
        drop(sys.stdout)
        raise TextsError(f"standard output cannot be written ({reason(error)}): send it elsewhere") from error
