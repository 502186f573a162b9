"""Models behind a server that the run itself starts once, and stops: vLLM, transformers, or a program of the user's."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.models.openai import ADAPTER, OpenAIServer
from pytest_vtcfaith.models.openai_options import (
    DECLARED,
    NO_KEY,
    REQUEST,
    TRANSPORT,
    Option,
    Settings,
    check,
    is_text,
    is_texts,
    settings,
)
from pytest_vtcfaith.models.spec import ModelSpec

ENGINES: Mapping[str, tuple[str, ...]] = {
    # the checkpoint's own sampling settings, a repetition penalty for one, would change what greedy decoding writes
    "vllm": ("vllm", "serve", "{model}", "--host", "127.0.0.1", "--port", "{port}", "--generation-config", "vllm"),
    "transformers": ("transformers", "serve", "{model}", "--host", "127.0.0.1", "--port", "{port}"),
}
ADDRESSES = "VTCFAITH_SERVERS"
"""Environment variable in which the controller tells workers and hosts of the servers: name → `url` or `error`."""
TAIL_LINES = 15
POLL_S = 0.25
STOP_S = 20.0
GUARD = Path(__file__).with_name("serve_guard.py")

OPTIONS: Mapping[str, Option] = {
    "engine": Option("vllm", lambda value: value in ENGINES, "'vllm' or 'transformers'", "which server to start"),
    "args": Option([], is_texts, "a list of texts", "more arguments, e.g. ['--max-model-len', '8192']"),
    "command": Option(
        None,
        lambda value: is_texts(value) and any("{port}" in part for part in value),
        "a list of texts, one with {port}",
        "a program of your own to start instead; {port} and {model} are filled in",
    ),
    "port": Option(
        0,
        lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 65536,
        "a port, or 0",
        "where it listens; 0 takes a free one",
    ),
    "health_path": Option("/health", is_text, "a path", "what answers 200 as soon as the server can be asked"),
    "health_seconds": Option(
        1800.0,
        lambda value: isinstance(value, int | float) and not isinstance(value, bool) and value > 0,
        "seconds over 0",
        "how long loading may take",
    ),
    **REQUEST,
    **{name: option for name, option in TRANSPORT.items() if name != "api_key_env"},
    **DECLARED,
}


class ServerFailed(Exception):
    """The server did not start; the message has the last lines of its log."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a server is started: `command` with `{port}` in it, the port (0: a free one), where and how long its health
    is asked for.
    """

    command: tuple[str, ...]
    port: int
    health_path: str
    health_seconds: float


@dataclass(frozen=True, slots=True)
class ServedModel:
    """What `ModelSpec.load` is: gives the model of the server that the controller has started under this name."""

    name: str
    launch: Launch
    settings: Settings

    def __call__(self) -> OpenAIServer:
        told = json.loads(os.environ.get(ADDRESSES, "{}")).get(self.name)
        if told is None:
            raise ServerFailed(
                f"no server was started for the model {self.name!r}; pytest starts it, a program does not"
            )
        if "error" in told:
            raise ServerFailed(told["error"])
        return OpenAIServer(told["url"], self.settings)


def spec(identifier: str | None, options: Mapping[str, Any], name: str) -> ModelSpec:
    """The model `serve:PATH_OR_ID`; `OPTIONS` lists the options.

    Its server's address differs from run to run, so it is no part of the identity; what is started is. Raises
    ValueError that names the model and the option.
    """
    if not identifier:
        raise ValueError(f'model {name!r}: write serve:PATH_OR_ID, or model = "PATH_OR_ID" in its table')
    given = check(options, OPTIONS, name)
    if given["command"] is not None and ("engine" in options or given["args"]):
        raise ValueError(f"model {name!r}: command says all of it: leave engine and args away")
    command = given["command"] or [*ENGINES[given["engine"]], *given["args"]]
    chosen = settings(identifier, {**given, "api_key_env": NO_KEY}, None, name)
    launch = Launch(
        command=tuple(part.replace("{model}", identifier) for part in command),
        port=given["port"],
        health_path="/" + given["health_path"].lstrip("/"),
        health_seconds=given["health_seconds"],
    )
    return ModelSpec(
        name=name,
        load=ServedModel(name, launch, chosen),
        languages=None if given["languages"] is None else frozenset(given["languages"]),
        visual_tokens=given["visual_tokens"] or chosen.preset.visual_tokens,
        lives="host",
        remote=True,
        prompts=chosen.prompt is None and not chosen.preset.two_step,
        revision=given["revision"],
        adapter=f"serve/1 {ADAPTER}",
        options={**chosen.shaping(), "command": list(launch.command)},
    )


class Server:
    """A running server: its address `url`, its log, and how to stop it. A guard process ends it when this one dies."""

    def __init__(self, url: str, log: Path, process: subprocess.Popen[bytes]) -> None:
        self.url = url
        self.log = log
        self._process = process

    def stop(self) -> None:
        """Ends the server and all it has started; waits until they are gone."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()  # what the guard waits for
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_S)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()


def start(launch: Launch, log: Path, progress: Callable[[str], None]) -> Server:
    """Starts a server and waits until it is healthy; its output goes to the file `log`.

    `progress` is told of the start, of the waiting every 30 seconds, and of the end of it. Raises ServerFailed for a
    program that does not exist, that ends by itself, or is not healthy in time; nothing of it is left then.
    """
    port = launch.port or _free_port()
    command = [part.replace("{port}", str(port)) for part in launch.command]
    command[0] = _program(command[0])
    shown = mask_secrets(" ".join(launch.command).replace("{port}", str(port)))
    if launch.port and _answers(port):
        raise ServerFailed(f"port {port} is taken: something listens there already; choose another, or port = 0")
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", str(GUARD), *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C at the terminal is for pytest, which then stops the server
        )
    server = Server(f"http://127.0.0.1:{port}/v1", log, process)
    progress(f"starting {shown}; log: {log}")
    try:
        _wait(launch, server, process, f"http://127.0.0.1:{port}{launch.health_path}", shown, progress)
    except BaseException:
        server.stop()
        raise
    return server


def _wait(
    launch: Launch,
    server: Server,
    process: subprocess.Popen[bytes],
    health: str,
    shown: str,
    progress: Callable[[str], None],
) -> None:
    begun = time.monotonic()
    told = begun
    while True:
        if (code := process.poll()) is not None:
            raise ServerFailed(f"{shown} ended with status {code} before it was ready; {_tail(server.log)}")
        if _healthy(health):
            break
        now = time.monotonic()
        if now - begun > launch.health_seconds:
            waited = f"{health} did not answer within health_seconds = {launch.health_seconds:g}"
            raise ServerFailed(f"{shown}: {waited}; {_tail(server.log)}")
        if now - told >= 30:
            progress(f"waiting for {shown}: {now - begun:.0f} s")
            told = now
        time.sleep(POLL_S)
    progress(f"{server.url} is ready after {time.monotonic() - begun:.0f} s")


def _healthy(address: str) -> bool:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(address, timeout=5) as response:
            return bool(response.status == 200)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def _tail(log: Path) -> str:
    """The end of the log; keys masked."""
    lines = log.read_bytes()[-8192:].decode("utf-8", errors="replace").rstrip().split("\n")[-TAIL_LINES:]
    return mask_secrets(f"the end of {log}:\n" + "\n".join(lines))


def _program(name: str) -> str:
    beside = shutil.which(name, path=str(Path(sys.executable).parent))  # an environment that was not activated
    found = beside or shutil.which(name)
    if found is None:
        mend = {"vllm": "pip install 'pytest-vtcfaith[vllm]'", "transformers": "pip install 'transformers[serving]'"}
        raise ServerFailed(f"there is no program {name!r} here: {mend.get(name, 'give its path')}")
    return found


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    with socket.socket() as caller:
        caller.settimeout(1)
        return caller.connect_ex(("127.0.0.1", port)) == 0


def launches(specs: Sequence[ModelSpec]) -> dict[str, Launch]:
    """The servers that models need, by the models' names."""
    return {spec.name: spec.load.launch for spec in specs if isinstance(spec.load, ServedModel)}
