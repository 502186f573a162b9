"""A chat-completion server on localhost that does what servers do on bad days, by the name of the model asked for.

Run as a program it serves a single behaviour: `python misbehaving_server.py PORT [BEHAVIOUR] [SECONDS_UNTIL_HEALTHY]`.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TEXT = "tide table for the north pier and the south pier"


def completion(text: Any = TEXT, **changes: Any) -> dict[str, Any]:
    """A good chat completion; `changes` go into the message, `finish_reason` and `usage` where they belong."""
    finish = changes.pop("finish_reason", "stop")
    usage = changes.pop("usage", {"prompt_tokens": 90, "completion_tokens": 12})
    message = {"role": "assistant", "content": text, **changes}
    return {
        "id": "x",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
    }


BAD_HEALTH = {
    "/garbage": b"\x00\x01 hello\r\n\r\n",
    "/nothing": b"",
    "/longline": b"HTTP/1.1 200 " + b"a" * 200_000 + b"\r\n\r\n",
    "/headers": b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 50_000 + b"\r\n",
    "/badstatus": b"HTTP/1.1 2000 OK\r\n\r\n",
    "/redirect": b"HTTP/1.1 302 F\r\nLocation: http://[::1\r\n\r\n",
    "/ssh": b"SSH-2.0-OpenSSH\r\n",
    "/half": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n",
    "/drip": b"HTTP/1.1 200 OK\r\n",
    "/driphead": b"",
}


class Server(ThreadingHTTPServer):
    """Counts requests by model, keeps the last body and headers, and answers as the model's name says."""

    daemon_threads = True
    block_on_close = False  # a hanging reply must not hold up the test's end

    def __init__(self, port: int = 0, answer: Callable[[str], str] | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.calls: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.stopping = threading.Event()
        self.answer = answer
        self.healthy_at = 0.0
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of its API."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that hang up are what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """Health, once it is time; on a bad day, by the path, something else or never all of it."""
        if (bad := BAD_HEALTH.get(self.path)) is not None:
            self.wfile.write(bad)
            while self.path.startswith("/drip") and not self.server.stopping.wait(0.05):
                self.wfile.write(b"X-A: b\r\n")
            self.close_connection = True
            return
        self.json({"ok": True}, 200 if time.monotonic() >= self.server.healthy_at else 503)

    def do_POST(self) -> None:
        """Behaves as the model's name says."""
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model = body["model"].rpartition("/")[2]
        with server.lock:
            server.calls[model] += 1
            server.bodies.append(body)
            server.headers.append({name.title(): value for name, value in self.headers.items()})
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            getattr(self, f"be_{model}", self.be_good)(server.calls[model], body)
        finally:
            with server.lock:
                server.at_once -= 1

    def json(self, data: Any, status: int = 200, **headers: str) -> None:
        """Sends JSON."""
        self.bytes(json.dumps(data).encode(), status, **headers)

    def bytes(self, data: bytes, status: int = 200, **headers: str) -> None:
        """Sends a body."""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def error(self, status: int, message: str, **headers: str) -> None:
        """Sends an error in the form of OpenAI's."""
        self.json({"error": {"message": message, "type": "t", "code": "c"}}, status, **headers)

    def be_good(self, call: int, body: dict[str, Any]) -> None:
        """Answers."""
        answer = self.server.answer
        url = body["messages"][-1]["content"][0]["image_url"]["url"]
        self.json(completion(TEXT if answer is None else answer(url)))

    def be_judge(self, call: int, body: dict[str, Any]) -> None:
        """Judges the texts of the last message: valid is what says that 12 + 7 = 19."""
        parts = body["messages"][-1]["content"]
        text = " ".join(part["text"] for part in parts if part["type"] == "text")
        self.json(completion("It is so.\nVALID" if "12 + 7 = 19" in text else "No.\n\n**INVALID**"))

    def be_slow(self, call: int, body: dict[str, Any]) -> None:
        """Answers after a while."""
        time.sleep(0.3)
        self.be_good(call, body)

    def be_busy(self, call: int, body: dict[str, Any]) -> None:
        """429 with Retry-After, then good."""
        if call == 1:
            return self.error(429, "too many requests", Retry_After="1")
        return self.be_good(call, body)

    def be_full(self, call: int, body: dict[str, Any]) -> None:
        """429 for ever, asking for an hour."""
        self.error(429, "too many requests", Retry_After="3600")

    def be_quota(self, call: int, body: dict[str, Any]) -> None:
        """429 that no waiting helps."""
        self.json({"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}, 429)

    def be_flaky(self, call: int, body: dict[str, Any]) -> None:
        """503 twice, then good."""
        if call <= 2:
            return self.bytes(b"<html>try later</html>", 503)
        return self.be_good(call, body)

    def be_hang(self, call: int, body: dict[str, Any]) -> None:
        """Never answers."""
        self.server.stopping.wait(60)

    def be_drip(self, call: int, body: dict[str, Any]) -> None:
        """Answers a byte at a time, for ever: no single read ever times out."""
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.server.stopping.wait(0.05):
            self.wfile.write(b" ")

    def be_cut(self, call: int, body: dict[str, Any]) -> None:
        """Cuts the connection in the middle of the body."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    def be_null(self, call: int, body: dict[str, Any]) -> None:
        """Content null."""
        self.json(completion(None))

    def be_reasoning(self, call: int, body: dict[str, Any]) -> None:
        """The transcript in the reasoning only."""
        self.json(completion("", reasoning_content=TEXT, finish_reason="length"))

    def be_parts(self, call: int, body: dict[str, Any]) -> None:
        """Content as parts."""
        self.json(completion([{"type": "text", "text": TEXT[:20]}, {"type": "text", "text": TEXT[20:]}]))

    def be_refusal(self, call: int, body: dict[str, Any]) -> None:
        """The refusal field."""
        self.json(completion(None, refusal="I will not read that."))

    def be_filter(self, call: int, body: dict[str, Any]) -> None:
        """A content filter."""
        self.json(completion(None, finish_reason="content_filter"))

    def be_nothing(self, call: int, body: dict[str, Any]) -> None:
        """No choices."""
        self.json({"choices": []})

    def be_length(self, call: int, body: dict[str, Any]) -> None:
        """Stopped at the limit, and says so."""
        self.json(completion(TEXT[:30], finish_reason="length"))

    def be_endless(self, call: int, body: dict[str, Any]) -> None:
        """Stopped somewhere, and says nothing of it."""
        self.json(completion(TEXT[:30], finish_reason=None, usage=None))

    def be_blocks(self, call: int, body: dict[str, Any]) -> None:
        """MinerU's two steps: a layout of two blocks, then what the test's answer makes of the call's number."""
        texts = [part["text"] for part in body["messages"][-1]["content"] if part["type"] == "text"]
        box = "<|box_start|>0 {} 1000 {}<|box_end|><|ref_start|>text<|ref_end|>"
        if "Layout" in texts[0]:
            return self.json(completion(box.format(0, 400) + box.format(500, 900)))
        changes = {} if self.server.answer is None else json.loads(self.server.answer(str(call)))
        return self.json(completion(**changes))

    def be_limit(self, call: int, body: dict[str, Any]) -> None:
        """Stopped at the limit, and says stop."""
        self.json(completion(TEXT[:30], usage={"prompt_tokens": 90, "completion_tokens": body["max_tokens"]}))

    def be_huge(self, call: int, body: dict[str, Any]) -> None:
        """50 MB of text."""
        whole = json.dumps(completion("@")).encode()
        before, after = whole.split(b"@")
        self.send_response(200)
        self.send_header("Content-Length", str(len(before) + 50_000_000 + len(after)))
        self.end_headers()
        self.wfile.write(before)
        for _ in range(50):
            self.wfile.write(b"pier and table of tides of the north " * 27_027 + b"x")
        self.wfile.write(after)

    def be_hugeerror(self, call: int, body: dict[str, Any]) -> None:
        """A 400 with 50 MB of text."""
        self.send_response(400)
        self.send_header("Content-Length", "50000000")
        self.end_headers()
        for _ in range(50):
            self.wfile.write(b"e" * 1_000_000)

    def be_wrong(self, call: int, body: dict[str, Any]) -> None:
        """Not JSON."""
        self.bytes(b'{"choices": [{"message": {"content": "tide')

    def be_shapeless(self, call: int, body: dict[str, Any]) -> None:
        """JSON, but no completion."""
        self.json({"choices": [{"message": "tide"}]})

    def be_reported(self, call: int, body: dict[str, Any]) -> None:
        """An error under status 200, then good."""
        if call == 1:
            return self.json({"error": {"message": "upstream is busy", "code": 502}})
        return self.be_good(call, body)

    def be_denied(self, call: int, body: dict[str, Any]) -> None:
        """401 that repeats the key it was sent."""
        self.error(401, f"Incorrect API key provided: {self.headers['Authorization']}.")

    def be_echo(self, call: int, body: dict[str, Any]) -> None:
        """A reply that repeats the key it was sent."""
        self.json(completion(f"{TEXT} {self.headers['Authorization'].removeprefix('Bearer ')}"))

    def be_halfway(self, call: int, body: dict[str, Any]) -> None:
        """A good text with an error inside the choice."""
        whole = completion()
        whole["choices"][0]["error"] = {"message": "upstream died", "code": 400}
        self.json(whole)

    def be_beside(self, call: int, body: dict[str, Any]) -> None:
        """A good text with an error beside it."""
        self.json({**completion(), "error": {"message": "upstream died", "code": 400}})

    def be_edge(self, call: int, body: dict[str, Any]) -> None:
        """A 400 whose text is cut in the middle of the key it was sent."""
        self.bytes(b"x" * 290 + b" " + self.headers["Authorization"].removeprefix("Bearer ").encode(), 400)

    def be_far(self, call: int, body: dict[str, Any]) -> None:
        """A redirect to an address without end."""
        self.bytes(b"", 307, Location="http://127.0.0.1/" + "x" * 20_000)

    def be_large(self, call: int, body: dict[str, Any]) -> None:
        """400: the page is too large for the model."""
        self.error(400, "prompt of 9000 tokens is longer than max_model_len 4096")

    def be_moved(self, call: int, body: dict[str, Any]) -> None:
        """A redirect."""
        self.bytes(b"", 307, Location=self.server.url.replace("/v1", "/elsewhere") + "/chat/completions")

    def be_images(self, call: int, body: dict[str, Any]) -> None:
        """Reports image tokens."""
        usage = {"prompt_tokens": 90, "completion_tokens": 12, "prompt_tokens_details": {"image_tokens": 77}}
        self.json(completion(usage=usage))

    def be_manytokens(self, call: int, body: dict[str, Any]) -> None:
        """Reports prompt tokens only, of which the picture must be most."""
        self.json(completion(usage={"prompt_tokens": 5000, "completion_tokens": 12}))


@contextlib.contextmanager
def running(answer: Callable[[str], str] | None = None) -> Iterator[Server]:
    """A server for the time of a test."""
    server = Server(0, answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()


def main(port: str, behaviour: str = "good", delay: str = "0") -> None:
    """Serves until it is stopped."""
    if behaviour == "die":
        print("loading weights", flush=True)
        print("RuntimeError: CUDA out of memory; key sk-test-123", flush=True)
        sys.exit(3)
    if behaviour == "leak":
        print("environment", os.environ["HARBOUR_TOKEN"], os.environ["OPENAI_API_KEY"], flush=True)
        print("y" * 8200 + os.environ["HARBOUR_TOKEN"] + "z" * 8150, flush=True)
    if behaviour == "leakdie":
        print("y" * 100 + os.environ["HARBOUR_TOKEN"] + "z" * 8170, flush=True)
        sys.exit(3)
    server = Server(int(port))
    server.healthy_at = time.monotonic() + float(delay)
    print("serving on", port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
