"""Undoes a guess of pytest: that the folder behind one of our options is the project.

pytest looks for rootdir and configuration before it loads plugins, so it takes the value of `--vtc-report /tmp/out` for a
path to test, and a run that names an existing folder outside the project would lose the project's own configuration.
"""

from __future__ import annotations

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Determines rootdir and configuration again from the real paths, when that makes a difference.

    Raises pytest.UsageError when this pytest keeps them elsewhere than the releases this was written for.
    """
    from _pytest.config.findpaths import determine_setup

    known = early_config.known_args_namespace
    ours = [value for name, value in vars(known).items() if name.startswith("vtc_") and value]
    if not ours or hasattr(early_config, "workerinput"):
        return
    rootpath, inipath, inicfg, ignored = determine_setup(
        inifile=known.inifilename,
        override_ini=known.override_ini,
        args=known.file_or_dir,
        rootdir_cmd_arg=known.rootdir or None,
        invocation_dir=early_config.invocation_params.dir,
    )
    if (rootpath, inipath) == (early_config.rootpath, early_config.inipath):
        return
    if not all(hasattr(early_config, name) for name in ("_rootpath", "_inipath", "_inicfg", "_inicache")):
        raise pytest.UsageError(
            f"pytest took a folder of a --vtc option for the project ({early_config.rootpath} instead of {rootpath}); "
            "write options with an equals sign, e.g. --vtc-report=DIR"
        )
    early_config._rootpath = rootpath
    early_config._inipath = inipath
    early_config._inicfg = inicfg
    early_config._ignored_config_files = ignored
    early_config._inicache.clear()
    args[:0] = early_config.getini("addopts")
