import assert from "node:assert/strict";

export const host = {
  context: {
    toolInfo: {
      tool: {
        name: "find",
        inputSchema: {
          properties: {
            query: { type: "string", title: "Query", description: "What to find" },
            most: { type: "integer", minimum: 1, default: 5 },
            kind: { enum: ["a", "b"] },
            deep: { type: "boolean" },
            where: { type: "object" },
          },
          required: ["query", "deep"],
        },
      },
    },
  },
};

export default async function ({ view, button, settle, calls, notify }) {
  assert.deepEqual(view.querySelectorAll("label").map((one) => one.textContent), ["Query *", "most", "kind", "deep"]);
  notify("ui/notifications/host-context-changed", { theme: "dark" }); // does not build it anew
  notify("ui/notifications/tool-input", { arguments: { query: "x" } });
  button("Submit").click();
  await settle();
  assert.deepEqual(calls(), [{ name: "find", arguments: { query: "x", most: 5, deep: false } }]);
}
