"""The adapter `serve:`: a server is started once, waited for, and gone afterwards whatever happens."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from misbehaving_server import BAD_HEALTH, TEXT
from PIL import Image

from pytest_vtcfaith.models import Prompt, resolve
from pytest_vtcfaith.models.serve import ADDRESSES, ServerFailed, launches, start

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("misbehaving_server.py")


def spec(*arguments, **options):
    command = [sys.executable, str(PROGRAM), "{port}", *arguments]
    return resolve("m", {"m": {"adapter": "serve", "model": "tiny/good", "command": command, **options}})


def launched(tmp_path, *arguments, **options):
    said = []
    server = start(launches([spec(*arguments, **options)])["m"], tmp_path / "m.log", said.append)
    return server, said


def listens(url):
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) == 0


def gone(pid):
    """Whether a process ends within a while."""
    for _ in range(400):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_server_is_waited_for_asked_and_stopped(tmp_path, monkeypatch):
    server, said = launched(tmp_path, "good", "0.5")
    try:
        assert said[0].startswith("starting ")
        assert str(tmp_path / "m.log") in said[0]
        assert f"{server.url} is ready" in said[-1]
        monkeypatch.setenv(ADDRESSES, json.dumps({"m": {"url": server.url}}))
        reply = spec().load().transcribe([Image.new("RGB", (9, 9))], Prompt("Read.", "en"))[0]
        assert reply.text == TEXT
    finally:
        server.stop()
    assert not listens(server.url)
    assert "serving on" in (tmp_path / "m.log").read_text(encoding="utf-8")


def test_an_early_end_shows_the_end_of_the_log_without_keys(tmp_path):
    with pytest.raises(ServerFailed) as caught:
        launched(tmp_path, "die")
    said = str(caught.value)
    assert "ended with status 3 before it was ready" in said
    assert "loading weights\nRuntimeError: CUDA out of memory" in said
    assert "sk-test-123" not in said


def test_one_that_never_gets_healthy_is_stopped(tmp_path):
    with pytest.raises(ServerFailed, match="did not answer within health_seconds = 1;") as caught:
        launched(tmp_path, "good", "1000", health_seconds=1)
    port = str(caught.value).partition("http://127.0.0.1:")[2].partition("/")[0]
    assert not listens(f"http://127.0.0.1:{port}/v1")


def test_a_program_that_is_not_there_names_the_mend(tmp_path):
    for engine, mend in (("vllm", r"pytest-vtcfaith\[vllm\]"),):
        model = resolve("serve:some/model", {})
        assert launches([model])["serve:some/model"].command[:2] == (engine, "serve")
        with pytest.raises(ServerFailed, match=f"no program 'vllm' here: pip install '{mend}'"):
            start(launches([model])["serve:some/model"], tmp_path / "log", print)


def test_a_port_that_is_taken_is_said_at_once(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(ServerFailed, match="is taken"):
            launched(tmp_path, "good", port=other.getsockname()[1])


@pytest.mark.parametrize("path", sorted(BAD_HEALTH))
def test_whatever_answers_but_200_is_not_healthy_and_the_wait_has_an_end(tmp_path, path):
    with pytest.raises(ServerFailed, match=r"did not answer within health_seconds = 1\.5;"):
        launched(tmp_path, "good", health_path=path, health_seconds=1.5)


def test_the_wait_for_a_server_that_drips_ends_with_the_server(tmp_path):
    code = "import os, sys, threading; threading.Timer(1.5, os._exit, [7]).start(); " + DRIPPING
    command = [sys.executable, "-c", code.format(folder=str(PROGRAM.parent)), "{port}"]
    model = resolve("m", {"m": {"adapter": "serve", "model": "x", "command": command, "health_path": "/drip"}})
    with pytest.raises(ServerFailed, match="ended with status 7 before it was ready"):
        start(launches([model])["m"], tmp_path / "m.log", print)


DRIPPING = "sys.path.insert(0, {folder!r}); import misbehaving_server; misbehaving_server.main(sys.argv[1])"


def test_no_key_is_in_the_log_nor_part_of_one_in_its_end(tmp_path, monkeypatch):
    monkeypatch.setenv("HARBOUR_TOKEN", "Zq9" * 11)
    monkeypatch.setenv("OPENAI_API_KEY", "harbour-pass")
    server, _ = launched(tmp_path, "leak")
    while_running = (tmp_path / "m.log").read_text(encoding="utf-8")
    server.stop()
    for log in (while_running, (tmp_path / "m.log").read_text(encoding="utf-8")):
        assert log.startswith("environment *** ***\nyyy")
        assert "Zq9" not in log
    with pytest.raises(ServerFailed, match="ended with status 3") as caught:
        launched(tmp_path, "leakdie")
    assert "zzz" in str(caught.value)
    assert "q9" not in str(caught.value)


@pytest.mark.skipif(sys.platform != "linux", reason="needs a child subreaper")
@pytest.mark.parametrize("end", ["itself", "stop"])
def test_what_the_server_has_started_in_a_session_of_its_own_ends_too(tmp_path, end):
    code = (
        "import subprocess, sys\n"
        "sleep = 'import subprocess, sys, time; '\n"
        'sleep += \'print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], \'\n'
        "sleep += 'start_new_session=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).pid, flush=True)'\n"
        "subprocess.run([sys.executable, '-c', sleep], start_new_session=True)\n"
    ) + ("sys.exit(4)" if end == "itself" else "\n" + DRIPPING.format(folder=str(PROGRAM.parent)).replace("; ", "\n"))
    model = resolve("m", {"m": {"adapter": "serve", "model": "x", "command": [sys.executable, "-c", code, "{port}"]}})
    if end == "itself":
        with pytest.raises(ServerFailed, match="ended with status 4"):
            start(launches([model])["m"], tmp_path / "m.log", print)
    else:
        start(launches([model])["m"], tmp_path / "m.log", print).stop()
    child = int((tmp_path / "m.log").read_text(encoding="utf-8").split("\n")[0])
    assert gone(child)


STARTER = """
import sys, time
sys.path[:0] = [{root!r}, {tests!r}]
from pathlib import Path
import test_serve
server, _ = test_serve.launched(Path({folder!r}), "good")
print(server.url, flush=True)
time.sleep(100)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_server_ends_with_whoever_started_it(tmp_path, number):
    code = STARTER.format(root=str(ROOT), tests=str(PROGRAM.parent), folder=str(tmp_path))
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    url = owner.stdout.readline().strip()
    assert listens(url)
    owner.send_signal(number)
    owner.wait(20)
    owner.stdout.close()
    for _ in range(400):
        if not listens(url):
            break
        time.sleep(0.05)
    assert not listens(url)


FAMILY = """
import subprocess, sys, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print(child.pid, flush=True)

sys.argv = ["x", sys.argv[1]]
sys.path.insert(0, {folder!r})
import misbehaving_server
misbehaving_server.main(sys.argv[1])
"""


def test_what_the_server_has_started_ends_too(tmp_path, monkeypatch):
    code = FAMILY.format(program=str(PROGRAM), folder=str(PROGRAM.parent))
    model = resolve("m", {"m": {"adapter": "serve", "model": "x", "command": [sys.executable, "-c", code, "{port}"]}})
    from pytest_vtcfaith.models import serve

    monkeypatch.setattr(serve, "GUARD", _impatient(tmp_path))
    server = start(launches([model])["m"], tmp_path / "m.log", print)
    child = int((tmp_path / "m.log").read_text(encoding="utf-8").split("\n")[0])
    server.stop()
    assert gone(child)
    assert not listens(server.url)


def _impatient(folder):
    """The guard, waiting less long for a server that ignores the signal to end."""
    from pytest_vtcfaith.models.serve import GUARD

    code = GUARD.read_text(encoding="utf-8")
    assert "GRACE_S = 10.0" in code
    path = folder / "guard.py"
    path.write_text(code.replace("GRACE_S = 10.0", "GRACE_S = 0.3"), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"engine": "sglang"}, "engine = 'sglang': give 'vllm' or 'transformers'"),
        ({"command": ["x"]}, "one with {port}"),
        ({"command": ["x", "{port}"], "args": ["--a"]}, "leave engine and args away"),
        ({"args": "--a"}, "args = '--a': give a list of texts"),
        ({"port": 70000}, "port = 70000"),
        ({"health_seconds": 0}, "health_seconds = 0"),
        ({"health_seconds": float("inf")}, "health_seconds = inf"),
        ({"health_path": "/he alth"}, "health_path = '/he alth'"),
        ({"health_path": "/health\r\nX: y"}, "health_path = "),
        ({"health_path": "/h\xe9alth"}, "health_path = "),
        ({"health_path": "/health#x"}, "health_path = "),
        ({"model": "sk-test-123"}, "its name holds what looks like a key"),
        ({"base_url": "http://a/v1"}, "unknown option 'base_url'"),
        ({"api_key_env": "A"}, "unknown option 'api_key_env'"),
        ({"args": ["--api-key", "sk-test-123"]}, "args holds what looks like a key"),
        ({"model": None}, "write serve:PATH_OR_ID"),
        ({"model": "a\0b"}, "all of them printable"),
        ({"model": "x" * 5000}, "has 5000 characters"),
        ({"engine": ["a"]}, "engine = ['a']"),
        ({"args": 3}, "args = 3"),
    ],
)
def test_wrong_options_are_named(table, says):
    table = {"adapter": "serve", "model": "a/b", **table}
    table = {key: value for key, value in table.items() if value is not None}
    with pytest.raises(ValueError, match="'m'") as caught:
        resolve("m", {"m": table})
    assert says in str(caught.value)
    assert "sk-test-123" not in str(caught.value)


def test_identity_holds_what_is_started_and_not_where():
    base = {"adapter": "serve", "model": "a/b"}

    def identity(**changes):
        return json.dumps(resolve("m", {"m": {**base, **changes}}).identity, sort_keys=True)

    assert identity(port=8765, health_seconds=5, concurrency=2) == identity()
    for change in (
        {"engine": "transformers"},
        {"args": ["--dtype", "float16"]},
        {"model": "a/c"},
        {"max_tokens": 5},
        {"revision": "r"},
    ):
        assert identity(**change) != identity(), change


def test_without_the_plugin_the_model_says_who_starts_it(monkeypatch):
    monkeypatch.delenv(ADDRESSES, raising=False)
    with pytest.raises(ServerFailed, match="no server was started for the model 'm'"):
        spec().load()
    assert ADDRESSES not in os.environ


@pytest.mark.parametrize("option", ["health_seconds", "port", "read_seconds"])
@pytest.mark.parametrize("number", [10**400, 16**5000], ids=["written", "unwritable"])
def test_numbers_too_large_are_named(option, number):
    with pytest.raises(ValueError, match=rf"^\[tool\.vtcfaith\.models\.m\]: .*{option} = "):
        resolve("m", {"m": {"adapter": "serve", "model": "m", option: number}})
