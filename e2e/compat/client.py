"""The official Python client against examples of the repository:
python client.py PATH-OF-MCP-BASH FOLDER-OF-EXAMPLES
"""

import asyncio
import sys
from contextlib import asynccontextmanager

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PromptReference

binary, examples = sys.argv[1:]


@asynccontextmanager
async def session(example):
    parameters = StdioServerParameters(command=binary, args=["serve", "-C", f"{examples}/{example}"])
    with open("/dev/null", "w") as nowhere:
        async with stdio_client(parameters, errlog=nowhere) as (read, write):
            async with ClientSession(read, write) as client:
                await client.initialize()
                yield client
    print("ok", example)


async def main():
    async with session("00-hello-tool") as client:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["hello"], tools
        result = await client.call_tool("hello", {})
        assert result.content[0].text == "Hello from mcp-bash\n", result

    async with session("03-progress-and-cancellation") as client:
        seen = []

        async def report(progress, total, message):
            seen.append(progress)

        await client.call_tool("count", {}, progress_callback=report)
        assert seen, "progress was reported"

    async with session("06-resources-file-provider") as client:
        resources = (await client.list_resources()).resources
        assert any(str(resource.uri) == "notes://main" for resource in resources)
        assert (await client.read_resource("notes://main")).contents[0].text

    async with session("08-completion") as client:
        prompts = (await client.list_prompts()).prompts
        assert any(prompt.name == "translate" for prompt in prompts)
        reference = PromptReference(type="ref/prompt", name="translate")
        assert (await client.complete(reference, {"name": "language", "value": ""})).completion.values


asyncio.run(main())
