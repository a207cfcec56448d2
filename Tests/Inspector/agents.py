"""Tests `catena-mcp` with the client of the package `mcp`, and as an agent that sends what it should not.

    python3 agents.py --program PROGRAM --mcp PROGRAM

The first program starts a real inspector and takes the commands of `MockApp`. The second one is `catena-mcp`.
"""

import argparse
import asyncio
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))

from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared._httpx_utils import create_mcp_http_client  # noqa: E402

from real_app import RealApp  # noqa: E402

options = argparse.Namespace()


class Case(unittest.TestCase):
    def setUp(self):
        # The apps of these tests keep their secrets in a folder of their own.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.environ["XDG_CACHE_HOME"] = folder.name

    def start(self):
        app = RealApp(options.program)
        self.addCleanup(app.stop)
        return app

    def agent(self, *arguments):
        return Agent(self, *arguments)


class Agent:
    """An agent that writes lines, whatever is in them."""

    def __init__(self, case, *arguments):
        self.process = subprocess.Popen(
            [*shlex.split(options.mcp), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        case.addCleanup(self.end)

    def send(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(f"catena-mcp ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.send(line)
        return self.answer()

    def call(self, name, **arguments):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        result = self.ask(json.dumps(message))["result"]
        return result["content"][0]["text"], result["isError"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()


class ForeignClientTests(Case):
    def test_the_client_of_the_package_mcp_reads_the_calls(self):
        app = self.start()
        app.command("basics")
        asyncio.run(self.session(app))

    @property
    def stdio(self):
        program, *arguments = shlex.split(options.mcp)
        return stdio_client(StdioServerParameters(command=program, args=arguments, env=dict(os.environ)))

    def test_a_client_that_tries_a_newer_revision_first_falls_back(self):
        asyncio.run(self.first_tool(lambda: self.stdio))

    def test_a_client_with_the_key_speaks_to_the_inspector_over_http(self):
        app = self.start()
        http = create_mcp_http_client(headers={"X-Inspector-Key": app.key})
        address = f"http://127.0.0.1:{app.port}/api/mcp"
        asyncio.run(self.first_tool(lambda: streamable_http_client(address, http_client=http)))

    async def first_tool(self, transport):
        for mode in ("auto", "legacy"):
            async with Client(transport(), mode=mode) as client:
                self.assertEqual(client.protocol_version, "2025-11-25")
                self.assertEqual((await client.list_tools()).tools[0].name, "list_calls")

    async def session(self, app):
        async with self.stdio as streams, ClientSession(*streams) as session:
            hello = await session.initialize()
            self.assertEqual(hello.protocol_version, "2025-11-25")
            await session.send_ping()
            tools = (await session.list_tools()).tools
            self.assertEqual(tools[0].name, "list_calls")
            rows = [json.loads(line) for line in (await self.text(session, "list_calls", {})).splitlines()]
            self.assertEqual(len(rows), 11)
            failed = [json.loads(line) for line in (await self.text(session, "list_calls", {"failures": True})).splitlines()]
            self.assertEqual({row["path"] for row in failed}, {"/v1/rooms/99", "/v1/balance", "/v1/slow"})
            balance = next(row for row in rows if row["path"] == "/v1/balance")
            self.assertIn("10086", await self.text(session, "explain_envelope", {"id": balance["id"]}))
            shown = json.loads(await self.text(session, "show_call", {"id": balance["id"]}))
            self.assertEqual(shown["error"]["code"], "10086")
            self.assertNotIn("Bearer made-up", json.dumps(shown))
            timeline = json.loads(await self.text(session, "show_timeline", {"id": balance["id"]}))
            self.assertGreater(len(timeline["attempts"][0]["phases"]), 0)
            body = await self.text(session, "read_body", {"id": balance["id"], "of": "response"})
            self.assertEqual(json.loads(body)["result"]["text"], "Locked")
            self.assertIn("curl", await self.text(session, "copy_call", {"id": balance["id"], "as": "curl"}))
            refused = await session.call_tool("repeat_call", {"id": balance["id"]})
            self.assertIn("agentsMayAct", refused.content[0].text)
            app.command(f"restart {app.port}")
            app.command("get forum /v1/reborn")
            self.assertIn("/v1/reborn", await self.text(session, "list_calls", {}))

    async def text(self, session, name, arguments):
        result = await session.call_tool(name, arguments)
        self.assertEqual(len(result.content), 1, result)
        return result.content[0].text


class HostileAgentTests(Case):
    def test_what_is_no_message_is_answered_and_the_next_one_works(self):
        agent = self.agent()
        for line, code in [
            ("nonsense", -32700),
            ("[]", -32600),
            ("[" * 100_000, -32700),
            ("\ufffd\u202e", -32700),
            ("x" * 3_000_000, -32600),
            ('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % ("9" * 1000), -32600),
            ('{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}', -32601),
            ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}', -32602),
        ]:
            self.assertEqual(agent.ask(line)["error"]["code"], code, line[:50])
            self.assertEqual(agent.ask('{"jsonrpc":"2.0","id":7,"method":"ping"}'), {"jsonrpc": "2.0", "id": 7, "result": {}})

    def test_an_unfinished_line_is_answered_at_the_end(self):
        agent = self.agent()
        agent.process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"repeat_call"')
        agent.process.stdin.close()
        self.assertEqual(agent.answer()["error"]["code"], -32700)
        self.assertEqual(agent.process.stdout.read(), b"")
        self.assertEqual(agent.process.wait(20), 0)

    def test_everything_in_a_loop_is_pages_of_bounded_size(self):
        app = self.start()
        agent = self.agent()
        # The first question keeps the inspector recording for longer than the calls take.
        agent.call("list_calls")
        app.command("calls 1500")
        app.command("hostile")
        seen, cursor = [], None
        while True:
            arguments = {"cursor": cursor} if cursor else {}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_calls", "arguments": {"limit": 200, **arguments}}}
            agent.send(json.dumps(message))
            line = agent.process.stdout.readline()
            self.assertLess(len(line), 200_000)
            content = json.loads(line)["result"]["content"]
            seen += [json.loads(row)["id"] for row in content[0]["text"].splitlines()]
            if len(content) == 1:
                break
            cursor = re.search(r'"cursor": "(\d+)"', content[1]["text"])[1]
        self.assertEqual(len(seen), 1504)
        self.assertEqual(len(set(seen)), 1504)

    def test_one_request_after_the_other(self):
        self.start()
        agent = self.agent()
        for number in range(50):
            agent.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "list_calls"}}))
        self.assertEqual([agent.answer()["id"] for _ in range(50)], list(range(50)))


class HostileListenerTests(Case):
    def test_a_process_on_the_port_of_an_app_that_does_not_run_gets_no_key(self):
        app = self.start()
        port, key = app.port, app.key
        self.assertFalse(self.agent().call("list_calls")[1])
        app.stop()
        received = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                received.append(self.requestline + str(self.headers))
                data = json.dumps({"key": "0" * 64, "renewal": "0" * 64, "number": "0" * 32, "sealed": "0" * 64}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

            def log_message(self, *words):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        text, is_error = self.agent().call("list_calls")
        self.assertTrue(is_error)
        self.assertIn("has not proved", text)
        self.assertEqual(len(received), 1)
        self.assertNotIn(key, received[0])
        self.assertNotIn("X-Inspector-Key", received[0])

    def test_a_process_that_never_answers_is_given_up(self):
        app = self.start()
        port = app.port
        app.stop()
        with socket.create_server(("127.0.0.1", port)):
            text, is_error = self.agent().call("list_calls")
        self.assertTrue(is_error)
        self.assertIn("has not proved", text)


class UsageTests(Case):
    def test_options_are_refused_on_stderr(self):
        for arguments in [["--key", "x"], ["-h"], ["a", "b"]]:
            done = subprocess.run([*shlex.split(options.mcp), *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(b"usage: catena-mcp", done.stderr)

    def test_an_app_is_chosen_by_its_port(self):
        first, second = self.start(), self.start()
        second.command("get forum /v1/second")
        text, is_error = self.agent().call("list_calls")
        self.assertTrue(is_error)
        self.assertIn(f"InspectedApp (port {first.port})", text)
        self.assertIn("/v1/second", self.agent(str(second.port)).call("list_calls")[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="a program with a real inspector")
    parser.add_argument("--mcp", required=True, help="the program catena-mcp")
    parser.parse_known_args(namespace=options)
    rest = [argument for argument in sys.argv[1:] if argument not in ("--program", "--mcp", options.program, options.mcp)]
    unittest.main(argv=[sys.argv[0], *rest])


main()
