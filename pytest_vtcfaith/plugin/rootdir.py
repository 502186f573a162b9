"""Makes sure that a run sees the project it was called in: its configuration and its conftest.py.

pytest looks for rootdir and configuration before it loads plugins, so it takes the value of `--vtc-report /tmp/out` for
a path to test, and a run that names an existing folder outside the project would lose the project's own configuration.
And it loads the conftest.py of the tests' folder only, so `--pyargs pytest_vtcfaith.benchmark_cases` would not see the
models that the project registers in its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> Iterator[None]:
    """With a --vtc option given: mends rootdir, then loads the conftest.py where pytest was called.

    Raises pytest.UsageError when this pytest keeps its rootdir elsewhere than the releases this was written for.
    """
    known = early_config.known_args_namespace
    chosen = any(value for name, value in vars(known).items() if name.startswith("vtc_"))
    if chosen:
        _mend_rootdir(early_config, args)
    result = yield
    load = getattr(early_config.pluginmanager, "_loadconftestmodules", None)
    if chosen and load is not None:
        load(
            early_config.invocation_params.dir,
            known.importmode,
            early_config.rootpath,
            consider_namespace_packages=early_config.getini("consider_namespace_packages"),
        )
    return result


def _mend_rootdir(early_config: pytest.Config, args: list[str]) -> None:
    from _pytest.config.findpaths import determine_setup

    known = early_config.known_args_namespace
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
