"""The code blocks of the documentation.

The convention: every ```sh and ```python block of README.md and docs/*.md is executed, in order, all blocks of a page
in one project of its own (`made_project`). A block whose first line is a comment with a file name (`# conftest.py`) is
written there instead. What the jobs of a workflow in YAML run is executed too, job after job (`workflows`). Where a
block names http://localhost:8000, a server that reads pages is started, and its port put in place of 8000
(`page_server`).

What stands on the line above a block, unseen by readers, changes that, several divided by `; `:

    <!-- exit 1 -->           the block must end with this status
    <!-- with OPTIONS -->     every pytest in it has these options more, such as --vtc-limit=1 where all is minutes
    <!-- run by FILE -->      its lines stand in this script, which runs them: nothing is run here
    <!-- not run: REASON -->  it needs hardware or weights that this machine lacks; its commands are still parsed

Blocks of TOML and JSON must be readable, and what is known of them right; blocks without a language are output.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = ("sh", "python", "toml", "yaml", "json", "")

_FENCE = re.compile(r"^(\s*)```(\S*)\s*$")
_MARKER = re.compile(r"^<!-- (.+) -->$")
_PARTS = {
    "status": re.compile(r"exit (\d+)"),
    "options": re.compile(r"with (-.+)"),
    "elsewhere": re.compile(r"run by (\S+)"),
    "reason": re.compile(r"not run: (\S.+)"),
}
_FILE = re.compile(r"# ([\w./-]+\.(?:py|toml|yml|yaml))$")
_BETWEEN = {"&&", "||", ";", "|", "&"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its page and line, language and text.

    `status` is what it must end with, `options` what every pytest in it has more, `elsewhere` the script that runs it,
    `reason` why it is not run.
    """

    page: str
    line: int
    language: str
    text: str
    status: int = 0
    options: str = ""
    elsewhere: str = ""
    reason: str = ""

    @property
    def file(self) -> str | None:
        """The file that the block is, where its first line names one."""
        found = _FILE.match(self.text.split("\n", 1)[0])
        return found[1] if found else None


def blocks(path: Path) -> list[Block]:
    """All fenced blocks of a page in their order."""
    lines = path.read_text(encoding="utf-8").split("\n")
    found: list[Block] = []
    start, language, indent = 0, "", ""
    for number, line in enumerate(lines, 1):
        fence = _FENCE.match(line)
        if fence and not start:
            start, language, indent = number, fence[2], fence[1]
        elif fence and start:
            text = "\n".join(each.removeprefix(indent) for each in lines[start : number - 1])
            marks = _marks(lines[start - 2].strip(), f"{path.name}:{start - 1}") if start > 1 else {}
            status = int(marks.pop("status", "0"))
            found.append(Block(path.name, start, language, text, status, **marks))
            start = 0
    assert not start, f"{path.name}:{start}: the block does not end"
    return found


def _marks(line: str, where: str) -> dict[str, str]:
    """What the line above a block says of it."""
    marker = _MARKER.match(line)
    found: dict[str, str] = {}
    for part in marker[1].split("; ") if marker else ():
        names = {name: match[1] for name, form in _PARTS.items() if (match := form.fullmatch(part))}
        assert names, f"{where}: {part!r} is none of the marks that blocks.py lists"
        found |= names
    return found


def commands(script: str) -> Iterator[list[str]]:
    """The commands of a shell script as words, redirections left away."""
    for line in script.replace("\\\n", " ").split("\n"):
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        words.commenters = ""
        command: list[str] = []
        skip = False
        for word in words:
            if word.startswith("#"):
                break
            if word in _BETWEEN:
                yield command
                command = []
            elif set(word) <= set("<>"):
                skip = True
            elif skip:
                skip = False
            else:
                command.append(word)
        if command:
            yield command
