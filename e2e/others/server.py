"""An MCP server made with nothing but Python's standard library: a tool that echoes, after it has reported progress and
asked its client for its roots."""

import json
import sys


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def receive():
    for line in sys.stdin:
        yield json.loads(line)


messages = receive()
for m in messages:
    method, params = m.get("method"), m.get("params", {})
    if "id" not in m or method is None:
        continue
    if method == "initialize":
        info = {"name": "standard library", "version": "1"}
        send(id=m["id"], result={"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}},
                                 "serverInfo": info})
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"text": {"type": "string"}}}
        send(id=m["id"], result={"tools": [{"name": "echo", "description": "Gr\u00fc\u00dfe", "inputSchema": schema},
                                           {"name": "quit", "inputSchema": {"type": "object"}}]})
    elif method == "tools/call" and params["name"] == "echo":
        text = params["arguments"]["text"]
        if "progressToken" in params.get("_meta", {}):
            send(method="notifications/progress",
                 params={"progressToken": params["_meta"]["progressToken"], "progress": 0.5})
            send(id="py-1", method="roots/list")
            text += json.dumps(next(messages)["result"])
        send(id=m["id"], result={"content": [{"type": "text", "text": text}]})
    else:
        send(id=m["id"], error={"code": -32601, "message": "Method not found"})
