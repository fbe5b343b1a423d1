"""A webhook on a free port of this machine, for clients that are told of their tasks there."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Webhook:
    """What was posted, as `read` makes it of the JSON, with the headers."""

    def __init__(self, read):
        self.loop, self.received = asyncio.get_running_loop(), asyncio.Queue()
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                try:
                    told = {**read(body), "type": self.headers["content-type"], "token": self.headers["x-a2a-notification-token"]}
                except Exception as error:
                    told = {"raised": f"{type(error).__name__}: {error}"}
                webhook.loop.call_soon_threadsafe(webhook.received.put_nowait, told)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        Thread(target=self.server.serve_forever, daemon=True).start()

    async def until_completed(self):
        while True:
            told = await self.received.get()
            if "raised" in told or told["state"] == "completed":
                return told
