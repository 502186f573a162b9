"""Models behind a server that the run itself starts once, and stops: vLLM, transformers, or a program of the user's."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pytest_vtcfaith.engine.secrets import mask_secrets
from pytest_vtcfaith.models.openai import ADAPTER, OpenAIServer
from pytest_vtcfaith.models.openai_options import (
    DECLARED,
    NO_KEY,
    REQUEST,
    SECONDS,
    TRANSPORT,
    Option,
    Settings,
    check,
    check_name,
    is_seconds,
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
ANSWER_S = 5.0
HEAD_BYTES = 64 * 2**10
LINE_CHARACTERS = 2**20
STOP_S = 20.0
GUARD = Path(__file__).with_name("serve_guard.py")

OPTIONS: Mapping[str, Option] = {
    "engine": Option(
        "vllm", lambda value: is_text(value) and value in ENGINES, "'vllm' or 'transformers'", "which server to start"
    ),
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
    "health_path": Option(
        "/health",
        lambda value: is_text(value) and re.fullmatch(r"[!-~]+", value) is not None and "#" not in value,
        "a path of ASCII letters and signs, without spaces and #",
        "what answers 200 as soon as the server can be asked",
    ),
    "health_seconds": Option(
        1800.0,
        is_seconds,
        SECONDS,
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
    check_name(identifier, mask_secrets(name))
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
        self._logging = threading.Thread(target=_keep, args=(process.stdout, log), daemon=True)
        self._logging.start()

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
        self._logging.join(ANSWER_S)

    def ended(self) -> int | None:
        """The exit status, once it has ended and the log is whole."""
        code = self._process.poll()
        if code is not None:
            self._logging.join(ANSWER_S)
        return code


def start(launch: Launch, log: Path, progress: Callable[[str], None]) -> Server:
    """Starts a server and waits until it is healthy; its output goes to the file `log`.

    No key is ever written to the log (`mask_secrets`). The server gets the whole environment: it may need HF_TOKEN to
    load, and a program of the user's a key to ask on.

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
    log.write_bytes(b"")
    process = subprocess.Popen(
        [sys.executable, "-I", str(GUARD), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # Ctrl-C at the terminal is for pytest, which then stops the server
    )
    server = Server(f"http://127.0.0.1:{port}/v1", log, process)
    try:
        progress(f"starting {shown}; log: {log}")
        _wait(launch, server, port, shown, progress)
    except BaseException:
        server.stop()
        raise
    return server


def _wait(
    launch: Launch,
    server: Server,
    port: int,
    shown: str,
    progress: Callable[[str], None],
) -> None:
    begun = time.monotonic()
    told = begun
    while True:
        ends = min(time.monotonic() + ANSWER_S, begun + launch.health_seconds)
        healthy = _healthy(port, launch.health_path, ends, server.ended)
        if (code := server.ended()) is not None:
            raise ServerFailed(f"{shown} ended with status {code} before it was ready; {_tail(server.log)}")
        if healthy:
            break
        now = time.monotonic()
        if now - begun > launch.health_seconds:
            asked = f"http://127.0.0.1:{port}{launch.health_path}"
            waited = f"{asked} did not answer within health_seconds = {launch.health_seconds:g}"
            raise ServerFailed(f"{shown}: {waited}; {_tail(server.log)}")
        if now - told >= 30:
            progress(f"waiting for {shown}: {now - begun:.0f} s")
            told = now
        time.sleep(POLL_S)
    progress(f"{server.url} is ready after {time.monotonic() - begun:.0f} s")


def _healthy(port: int, path: str, ends: float, ended: Callable[[], int | None]) -> bool:
    """Whether the server answers 200, with all of its headers. Asked by hand: no client has a deadline for the whole of
    an answer, which a server may send a byte at a time. Not after `ends` (monotonic), nor once `ended` has a status.
    """
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode("ascii")
    head = b""
    try:
        with socket.create_connection(("127.0.0.1", port), POLL_S) as caller:
            caller.sendall(request)
            while b"\r\n\r\n" not in head and len(head) <= HEAD_BYTES:
                if time.monotonic() > ends or ended() is not None:
                    return False
                with contextlib.suppress(TimeoutError):  # of POLL_S
                    piece = caller.recv(HEAD_BYTES)
                    if not piece:
                        return False
                    head += piece
    except OSError:
        return False
    return re.match(rb"HTTP/1\.\d 200[ \r]", head) is not None and b"\r\n\r\n" in head


def _keep(output: IO[bytes], log: Path) -> None:
    """Writes what a server says to its log, line by line, keys masked; progress bars count as lines."""
    with io.TextIOWrapper(output, encoding="utf-8", errors="replace") as lines, log.open("w", encoding="utf-8") as file:
        while line := lines.readline(LINE_CHARACTERS):
            with contextlib.suppress(OSError):  # of a full disk; the server goes on
                file.write(mask_secrets(line))
                file.flush()


def _tail(log: Path) -> str:
    """The end of the log, in which keys are masked already."""
    lines = log.read_bytes()[-8192:].decode("utf-8", errors="replace").rstrip().split("\n")[-TAIL_LINES:]
    return mask_secrets(f"the end of {log}:\n") + "\n".join(lines)


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
