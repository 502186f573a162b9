"""What the README promises is what CI runs, and every page it links to exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_ci_runs_exactly_the_commands_of_the_readme() -> None:
    commands = re.findall(r"^python3 -m venv .*$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) == 2
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").split("\n")
    assert all(command in lines for command in commands)


def test_links_of_the_documentation_exist() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_dependency_is_documented() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    names = [
        re.split(r"[<>=\[ ]", line)[0]
        for group in (project["dependencies"], *project["optional-dependencies"].values())
        for line in group
    ]
    missing = {name for name in names if name not in text}
    assert missing <= {
        "torch",
        "transformers",
        "vllm",
        "openai",
        "scikit-image",
        "torchmetrics",
        "sacrebleu",
        "diffusers",
    }
