"""The part of vllm_cpu.sh that runs in its environment; ends with 0 when all transcripts are equal."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "models")]

import tiny_vlm  # noqa: E402

TOKENS = 16
ENGINE = {
    "dtype": "float32",
    "enforce_eager": True,
    "max_model_len": 2048,
    "max_num_seqs": 8,
    "gpu_memory_utilization": 0.3,
}
CASES = ("--vtc-suite=rewriting", "--vtc-tier=rewriting/en/*", "--vtc-limit=2")
SERVER = (
    sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", "{model}", "--port", "{port}",
    "--host", "127.0.0.1", "--dtype", "float32", "--enforce-eager", "--max-model-len", "2048", "--max-num-seqs", "8",
    "--no-enable-prefix-caching", "--generation-config", "vllm",
)  # fmt: skip


def main(kinds: list[str]) -> int:
    """Runs everything for every kind; returns the exit status."""
    failures = 0
    with tempfile.TemporaryDirectory(prefix="vllm-cpu-") as scratch:
        for number, kind in enumerate(kinds):
            folder = tiny_vlm.save_tiny_vlm(kind, Path(scratch) / kind)
            shared = {"model": str(folder)}
            models: dict[str, Mapping[str, Any]] = {
                "hf": {**shared, "adapter": "transformers", "max_new_tokens": TOKENS, "dtype": "float32"},
                "offline": {**shared, "adapter": "vllm", "max_new_tokens": TOKENS, **ENGINE},
            }  # fmt: skip
            if number == 0:
                served = {**shared, "max_tokens": TOKENS}
                models["served"] = {**served, "adapter": "serve", "command": list(SERVER)}
                models["asked"] = {**served, "adapter": "openai"}
            truth = None
            for name, table in models.items():
                place = Path(scratch) / f"{kind}-{name}"
                started = time.monotonic()
                with server(folder) if name == "asked" else contextlib.nullcontext() as url:
                    found = transcripts(place, name, table if url is None else {**table, "base_url": url})
                seconds = time.monotonic() - started
                truth = found if truth is None else truth
                equal = sum(found[case] == truth[case] for case in truth)
                complete = all(text is not None and len(text) == TOKENS for text in found.values())
                fine = (
                    found.keys() == truth.keys() and equal == len(truth) and complete and len(set(found.values())) > 1
                )
                failures += not fine
                print(
                    f"{kind:11} {table['adapter']:12} {equal}/{len(truth)} transcripts of {TOKENS} tokens equal"
                    f" transformers {'' if fine else '  DIFFERENT'} ({seconds:.0f} s)",
                    flush=True,
                )
    print("vllm_cpu: FAILED" if failures else "vllm_cpu: all equal")
    return 1 if failures else 0


def transcripts(place: Path, name: str, table: Mapping[str, Any]) -> dict[str, str | None]:
    """What a model transcribes in a run of the whole plugin, by case; prints the run where a case has no reply.

    The limit of tokens makes every reply a truncated one; it is the text that counts here.
    """
    place.mkdir()
    lines = [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    text = "\n".join(["[tool.pytest.ini_options]", f"[tool.vtcfaith.models.{name}]", *lines])
    (place / "pyproject.toml").write_text(text + "\n", encoding="utf-8")
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", str(ROOT / "benchmark_cases"), "-q", "-n2", "-c", "pyproject.toml",
            "--rootdir=.", f"--vtc-model={name}", *CASES, "--vtc-report=report", "--vtc-no-cache",
        ],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )  # fmt: skip
    file = place / "report" / "results.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line] if file.exists() else []
    if not rows or any(row["outcome"] == "infrastructure_error" for row in rows):
        print(run.stdout[-6000:], run.stderr[-3000:], *(row.get("error") for row in rows), sep="\n")
    return {row["case"]: row.get("transcript") for row in rows}


@contextlib.contextmanager
def server(folder: Path) -> Iterator[str]:
    """vLLM's own server on a free port, healthy."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [part.format(model=folder, port=port) for part in SERVER]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(240):
            with contextlib.suppress(OSError, urllib.error.URLError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                break
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=20)
        process.kill()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped then too
    sys.exit(main(sys.argv[1:] or list(tiny_vlm.KINDS)))
