// The official TypeScript client against examples of the repository:
// node client.mjs PATH-OF-MCP-BASH FOLDER-OF-EXAMPLES
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [binary, examples] = process.argv.slice(2);

async function withClient(example, use) {
  const client = new Client({ name: "compat", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command: binary, args: ["serve", "-C", `${examples}/${example}`], stderr: "ignore" }));
  try {
    await use(client);
  } finally {
    await client.close();
  }
  console.log(`ok ${example}`);
}

await withClient("00-hello-tool", async (client) => {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["hello"]);
  const result = await client.callTool({ name: "hello", arguments: {} });
  assert.equal(result.content[0].text, "Hello from mcp-bash\n");
});

await withClient("03-progress-and-cancellation", async (client) => {
  const seen = [];
  await client.callTool({ name: "count", arguments: {} }, undefined, { onprogress: (p) => seen.push(p.progress) });
  assert.ok(seen.length > 0, "progress was reported");
  const cancelled = new AbortController();
  const waiting = client.callTool({ name: "wait", arguments: {} }, undefined, { signal: cancelled.signal });
  cancelled.abort();
  await assert.rejects(waiting);
});

await withClient("06-resources-file-provider", async (client) => {
  const { resources } = await client.listResources();
  assert.ok(resources.some((resource) => resource.uri === "notes://main"));
  const { contents } = await client.readResource({ uri: "notes://main" });
  assert.ok(contents[0].text.length > 0);
});

await withClient("08-completion", async (client) => {
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === "translate"));
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "translate" },
    argument: { name: "language", value: "" },
  });
  assert.ok(completion.values.length > 0);
});

await withClient("10-structured-output-deep", async (client) => {
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.outputSchema)); // the client holds results against it
});
