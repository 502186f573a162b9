from __future__ import annotations

import subprocess
import sys


def test_importing_the_metrics_imports_nothing_heavy() -> None:
    code = (
        "import sys; before = set(sys.modules); import pytest_vtcfaith.metrics; "
        "heavy = {'numpy', 'scipy', 'torch', 'pytest', 'PIL'} & (set(sys.modules) - before); "
        "from pytest_vtcfaith.metrics import text_scores; text_scores('a b', 'a b', lang='en'); "
        "print(sorted(heavy | ({'numpy'} & set(sys.modules))))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
