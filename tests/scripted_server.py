"""An OpenAI-compatible server that answers from a script, counts what it is asked, and misbehaves when told to.

In a test: ``with ScriptedServer(script) as server: server.url, server.requests``. As a process, for timings:
``python tests/scripted_server.py --latency 0.2 --port 8123``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Script = Callable[[list[dict[str, Any]]], "str | Misbehave | Reply"]


@dataclass(frozen=True)
class Misbehave:
    """Something a real server does on a bad day."""

    kind: str
    """``status:429``, ``status:500``, ``hang``, ``cut``, ``no_choices``, ``malformed``, ``drop``."""


@dataclass(frozen=True)
class Reply:
    """A reply with more than a text."""

    content: str | None
    finish_reason: str = "stop"
    refusal: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class ScriptedServer:
    """The server, in a thread of its own."""

    def __init__(self, script: Script, latency: float = 0.0, port: int = 0, keep: bool = True) -> None:
        self.script = script
        self.latency = latency
        self.port = port
        self.keep = keep
        self.asked = 0
        self.requests: list[dict[str, Any]] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self._loop.is_running():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._client, "127.0.0.1", self.port, backlog=512))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for writer in self._writers:
            writer.transport.abort()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0.01))

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lengths = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
        body = await reader.readexactly(int(lengths[0])) if lengths else b""
        if head.startswith("GET"):
            return self._send(writer, 200, {"object": "list", "data": [], "count": self.asked})
        request = json.loads(body)
        self.asked += 1
        if self.keep:
            self.requests.append(request)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            return await self._answer(writer, request)
        finally:
            self.in_flight -= 1

    async def _answer(self, writer: asyncio.StreamWriter, request: dict[str, Any]) -> bool:
        said = self.script(request["messages"])
        if isinstance(said, Misbehave):
            return await self._misbehave(writer, said.kind)
        reply = Reply(said) if isinstance(said, str) else said
        message = {"role": "assistant", "content": reply.content} | reply.extra
        if reply.refusal:
            message["refusal"] = reply.refusal
        words = sum(len(str(m.get("content") or "").split()) for m in request["messages"])
        usage = {"prompt_tokens": words, "completion_tokens": len((reply.content or "").split()), "total_tokens": 0}
        usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
        choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
        return self._send(writer, 200, _completion(request, [choice], usage))

    async def _misbehave(self, writer: asyncio.StreamWriter, kind: str) -> bool:
        if kind.startswith("status:"):
            status = int(kind.split(":")[1])
            return self._send(writer, status, {"error": {"message": f"scripted {status}", "type": "scripted"}})
        if kind == "hang":
            await asyncio.sleep(3600)
        if kind == "no_choices":
            return self._send(writer, 200, _completion({"model": "m"}, [], None))
        if kind == "malformed":
            return self._send(writer, 200, b'{"id": "x", "choices": [{"mess')
        if kind == "cut":
            writer.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{"id": ')
            await writer.drain()
        writer.transport.abort()
        return False

    def _send(self, writer: asyncio.StreamWriter, status: int, data: dict[str, Any] | bytes) -> bool:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        return True


def _completion(request: dict[str, Any], choices: list[dict[str, Any]], usage: dict[str, int] | None) -> dict[str, Any]:
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request["model"],
        "choices": choices,
        "usage": usage,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--reply", default="ANSWER: A")
    given = parser.parse_args()
    server = ScriptedServer(lambda messages: given.reply, given.latency, given.port, keep=False)
    with server:
        print(server.port, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
