import assert from "node:assert/strict";

export const host = {
  context: {
    theme: "dark",
    styles: { variables: { "--color-text-primary": "red", color: "no variable" }, css: { fonts: "@font-face {}" } },
    safeAreaInsets: { top: 1, right: 2, bottom: 3, left: 4 },
  },
};

export default async function ({ view, said, say, notify, window, settle, status, alert, rows }) {
  // It greets, waits for the answer, and says that it is there.
  assert.deepEqual(said.map(({ method }) => method), ["ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed"]);
  assert.deepEqual(said[0].params, {
    protocolVersion: "2026-01-26",
    appInfo: { name: "mcp-bash", title: "Users", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  assert.deepEqual(said[2].params, { width: 300, height: 100 });

  // It looks like the host.
  const { style } = window.document.documentElement;
  assert.equal(style.colorScheme, "dark");
  assert.equal(style["--color-text-primary"], "red");
  assert.equal(style.color, undefined);
  assert.equal(window.document.body.style.padding, "1px 2px 3px 4px");
  assert.equal(window.document.head.textContent, "@font-face {}");
  notify("ui/notifications/host-context-changed", { theme: "light" });
  assert.equal(style.colorScheme, "light");

  // It shows the result: data, or else text, as JSON if it is that; nothing of it is HTML.
  assert.equal(status(), "Waiting for the result.");
  const result = (params) => notify("ui/notifications/tool-result", params);
  result({ content: [{ type: "text", text: "other" }], structuredContent: { rows: [{ id: 1, name: "<b>" }] } });
  assert.deepEqual(rows(), ["id|name", "1|<b>"]);
  assert.equal(view.querySelector("b"), null);
  assert.equal(status(), "");
  result({ content: [{ type: "image" }, { type: "text", text: '[{"id":2}]' }] });
  assert.deepEqual(rows(), ["id|name", "2|"]);
  result({ content: [], structuredContent: { success: true, result: [{ id: 3 }] } });
  assert.deepEqual(rows(), ["id|name", "3|"]);

  // What goes wrong is told, and what was shown stays.
  result({ content: [{ type: "text", text: "no such user" }], isError: true });
  assert.equal(alert(), "no such user");
  result({ content: [{ type: "text", text: "just text" }] });
  assert.equal(alert(), "The result has no rows to show.");
  notify("ui/notifications/tool-cancelled", { reason: "by hand" });
  assert.equal(alert(), "Cancelled: by hand");
  assert.deepEqual(rows(), ["id|name", "3|"]);

  // It answers the host, and only the host.
  say({ jsonrpc: "2.0", id: "p", method: "ping" });
  say({ jsonrpc: "2.0", id: "t", method: "ui/resource-teardown", params: {} });
  say({ jsonrpc: "2.0", id: "x", method: "tools/list" });
  const before = said.length;
  say({ jsonrpc: "2.0", id: "e", method: "ping" }, {});
  for (const junk of [null, "text", {}, { jsonrpc: "2.0", id: 99, result: {} }, { jsonrpc: "2.0", method: "constructor" }]) say(junk);
  await settle();
  assert.equal(said.length, before);
  assert.deepEqual(said.slice(3), [
    { jsonrpc: "2.0", id: "p", result: {} },
    { jsonrpc: "2.0", id: "t", result: {} },
    { jsonrpc: "2.0", id: "x", error: { code: -32601, message: "Method not found: tools/list" } },
  ]);
}
