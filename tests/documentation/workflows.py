"""What the jobs of a workflow of GitHub Actions or GitLab CI run, as scripts for the shell."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_MATRIX = re.compile(r"\$\{\{ *matrix\.(\w+) *\}\}")


@dataclass(frozen=True, slots=True)
class Script:
    """What one step (GitHub) or job (GitLab) runs, and the variables that its service sets for it."""

    job: str
    text: str
    variables: Mapping[str, str] = field(default_factory=dict)


def scripts(workflow: Mapping[str, Any]) -> Iterator[Script]:
    """The scripts of all jobs in their order, each as often as its matrix or `parallel` says.

    Steps that use an action are left out: the project is there already, and the files of one job stay for the next.
    """
    if "jobs" in workflow:
        for name, job in workflow["jobs"].items():
            matrix = job.get("strategy", {}).get("matrix", {})
            for values in itertools.product(*matrix.values()):
                chosen = dict(zip(matrix, map(str, values), strict=True))
                for step in job["steps"]:
                    if "run" in step:
                        yield Script(name, _MATRIX.sub(lambda found, chosen=chosen: chosen[found[1]], step["run"]))  # type: ignore[misc]
        return
    for name, job in workflow.items():
        if isinstance(job, dict) and "script" in job:
            parallel = job.get("parallel", 1)
            for index in range(1, parallel + 1):
                numbers = {"CI_NODE_INDEX": str(index), "CI_NODE_TOTAL": str(parallel)}
                yield Script(name, "\n".join(job["script"]), numbers)
