"""The part of gpu.sh that is Python. `gpu.py bare FOLDER OUT` is the bare generate, in a process of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "models")]

TINY = os.environ.get("VTC_GPU_TINY") == "1"
DEVICE = "cpu" if TINY else "cuda"
KIND = "qwen2.5-vl"
SIZES = {} if TINY else {"hidden": 2048, "layers": 24, "heads": 16, "vocabulary": 32_768}
BATCH, TOKENS = (4, 8) if TINY else (16, 128)
DOCUMENTS = 2 if TINY else 40
TIER = "rewriting/en/*"
SUITE_OPTIONS = ("--vtc-suite=rewriting", f"--vtc-tier={TIER}", f"--vtc-limit={DOCUMENTS}")
SLACK_MIB = 64


def main() -> int:
    """Runs both, prints the numbers, returns the exit status."""
    import tiny_vlm

    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="vtc-gpu-") as scratch:
        folder = tiny_vlm.save_tiny_vlm(KIND, Path(scratch) / KIND, sizes=SIZES, dtype="bfloat16")
        size = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
        say(f"{size / 2e6:.1f} M parameters on {DEVICE}, made in {time.monotonic() - began:.0f} s")
        before = used_mib()
        started = time.monotonic()
        text, hosts, rows = plugin_run(Path(scratch), folder)
        wall = time.monotonic() - started
        after = settled_mib(before)
        bare = bare_run(Path(scratch), folder)
    (host,) = hosts
    shown = re.search(r"answered, ([\d.]+) pages/s", text)
    rate = float(shown[1]) if shown else float("nan")
    answers = {row["case"]: row["transcript"] for row in rows}
    equal = sum(answers[case] == reply for case, reply in bare["replies"].items())
    say(f"plugin at -n 4: {len(rows)} pages, {wall:.1f} s from start to end, {rate:.2f} pages/s while the host reads")
    say(f"loads: {host['loads']}, calls of {host['mean_batch']} pages, largest {host['largest_batch']}")
    say(f"bare batched generate: {len(bare['replies'])} pages, {bare['rate']:.2f} pages/s; equal replies {equal}")
    say(f"plugin ÷ bare: {rate / bare['rate']:.3f} by the shown rate,"
        f" {host['pages'] / host['seconds'] / bare['rate']:.3f} inside the calls")  # fmt: skip
    say("GPU memory in use: " + ("no GPU" if before is None else f"{before} MiB before, {after} MiB after"))
    given_back = before is None or after is None or after - before <= SLACK_MIB
    errors = [row for row in rows if row["outcome"] == "infrastructure_error"]
    fine = host["loads"] == 1 and given_back and not errors and len(rows) == len(bare["replies"])
    if not fine:
        print(text[-4000:])
    say(f"{'passed' if fine else 'FAILED'} in {time.monotonic() - began:.0f} s")
    return 0 if fine else 1


def plugin_run(scratch: Path, folder: Path) -> tuple[str, list[dict[str, Any]], list[dict[str, Any]]]:
    """The whole plugin at -n 4; its output, the hosts' records, the results."""
    table = {"adapter": "transformers", "model": str(folder), "max_new_tokens": TOKENS, "device": DEVICE,
             "batch_size": BATCH, "dtype": "bfloat16"}  # fmt: skip
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in table.items())
    text = f"[tool.pytest.ini_options]\n[tool.vtcfaith.models.big]\n{lines}\n"
    (scratch / "pyproject.toml").write_text(text, encoding="utf-8")
    installed = any(point.name == "vtcfaith" for point in entry_points(group="pytest11"))
    run = subprocess.run(
        [
            sys.executable, "-m", "pytest", *(() if installed else ("-p", "pytest_vtcfaith.plugin")),
            str(ROOT / "benchmark_cases"), "-q", "-n4", "-c", "pyproject.toml", "--rootdir=.", "--vtc-model=big",
            *SUITE_OPTIONS, "--vtc-report=report", "--vtc-no-cache",
        ],
        cwd=scratch, capture_output=True, text=True, encoding="utf-8", timeout=280, check=False,
    )  # fmt: skip
    report, output = scratch / "report", run.stdout + run.stderr
    if not (report / "hosts.json").exists():
        raise SystemExit(output[-6000:])
    rows = (report / "results.jsonl").read_text(encoding="utf-8").split("\n")
    return output, json.loads((report / "hosts.json").read_text(encoding="utf-8")), [json.loads(r) for r in rows if r]


def bare_run(scratch: Path, folder: Path) -> dict[str, Any]:
    """The same requests without plugin, store or host."""
    out = scratch / "bare.json"
    subprocess.run([sys.executable, __file__, "bare", str(folder), str(out)], check=True, timeout=280)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return found


def bare(folder: Path, out: Path) -> None:
    """Processor and `generate` in batches, as one would write it by hand; preparing the pages is not timed."""
    import torch
    from transformers import AutoModelForImageTextToText, GenerationConfig

    from pytest_vtcfaith.models import resolve
    from pytest_vtcfaith.models.presets.table import PRESETS
    from pytest_vtcfaith.models.processor import load_processor
    from pytest_vtcfaith.suites.rewriting import SUITE

    spec = resolve(f"transformers:{folder}")
    cases = [case for case in SUITE.cases() if case.lang == "en"]
    kept: list[Any] = []
    for tier in sorted({case.tier for case in cases}):
        documents = sorted({case.document for case in cases if case.tier == tier})[:DOCUMENTS]
        kept += [case for case in cases if case.tier == tier and case.document in documents]
    pages = [SUITE.request(case, spec).page.image for case in kept]
    model: Any = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.bfloat16).to(DEVICE).eval()
    processor = load_processor(str(folder), backend="pil", pictures={})
    ends = model.generation_config.eos_token_id
    configuration: Any = GenerationConfig
    model.generation_config = configuration(
        do_sample=False, eos_token_id=ends, pad_token_id=processor.tokenizer.pad_token_id
    )
    content = [{"type": "image"}, {"type": "text", "text": PRESETS[KIND].prompt}]
    asked = processor.apply_chat_template(
        [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
    )
    replies: list[str] = []
    started = time.perf_counter()
    for at in range(0, len(pages), BATCH):
        images = pages[at : at + BATCH]
        inputs = processor(
            images=[[image] for image in images], text=[asked] * len(images), padding=True, padding_side="left",
            add_special_tokens=False, return_tensors="pt",
        ).to(DEVICE, dtype=torch.bfloat16)  # fmt: skip
        with torch.inference_mode():
            rows = model.generate(**inputs, max_new_tokens=TOKENS)[:, inputs["input_ids"].shape[1] :]
        replies += [processor.tokenizer.decode(row, skip_special_tokens=True) for row in rows]
    rate = len(pages) / (time.perf_counter() - started)
    named = dict(zip([case.id for case in kept], replies, strict=True))
    out.write_text(json.dumps({"rate": rate, "replies": named}), encoding="utf-8")


def used_mib() -> int | None:
    """Memory in use on all devices by anybody, None without a GPU."""
    if TINY:
        return None
    query = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return sum(map(int, subprocess.run(query, capture_output=True, text=True, check=True).stdout.split()))


def settled_mib(before: int | None) -> int | None:
    """The same, once it is back to `before` or 5 seconds have passed: a driver frees a dead process's memory late."""
    until = time.monotonic() + 5
    while (now := used_mib()) is not None and before is not None and now - before > SLACK_MIB:
        if time.monotonic() > until:
            break
        time.sleep(0.2)
    return now


def say(line: str) -> None:
    """One line of the outcome."""
    print(f"gpu: {line}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["bare"]:
        bare(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        sys.exit(main())
