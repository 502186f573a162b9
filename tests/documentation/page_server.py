"""A chat-completion server on this machine that reads the pictures it is given with RapidOCR.

`vllm serve MODEL --host HOST --port PORT …` in the project of the documentation starts this instead.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Reading(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    engine: Any = None
    one_at_a_time = threading.Lock()

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """Healthy as soon as it listens."""
        self._send({"ok": True})

    def do_POST(self) -> None:
        """Reads the picture of the last message."""
        from PIL import Image

        from pytest_vtcfaith import Prompt, resolve

        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        parts = asked["messages"][-1]["content"]
        (url,) = (part["image_url"]["url"] for part in parts if part["type"] == "image_url")
        picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")
        with self.one_at_a_time:
            Reading.engine = self.engine or resolve("rapidocr").load()
            (reply,) = self.engine.transcribe([picture], Prompt("", "en"))
        message = {"role": "assistant", "content": reply.text}
        self._send(
            {
                "id": "page",
                "object": "chat.completion",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 300, "completion_tokens": len(reply.text.split())},
            }
        )

    def _send(self, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serves until it is ended; says the port on the first line, since 0 takes a free one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    port = parser.parse_known_args()[0].port
    server = ThreadingHTTPServer(("127.0.0.1", port), Reading)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
