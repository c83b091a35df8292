// node run.mjs TEST < PAGE: opens the page in a frame, with the host that the test describes, and
// lets the test look at it.
import assert from "node:assert/strict";
import fs from "node:fs";
import vm from "node:vm";
import { Element, frame } from "./dom.mjs";

const page = fs.readFileSync(0, "utf8");
const test = await import(`./${process.argv[2]}.mjs`);
const [, title] = /<title>(.*)<\/title>/.exec(page);
const [, config] = /<script id="config"[^>]*>(.*?)<\/script>/s.exec(page);
const [, script] = /<script>(.*?)<\/script>/s.exec(page);

const said = [];
const host = { capabilities: { serverTools: {} }, context: {}, call: () => ({ content: [] }), ...test.host };
const answers = {
  "ui/initialize": () => ({ protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" }, hostCapabilities: host.capabilities, hostContext: host.context }),
  "tools/call": (params) => host.call(params),
  "ui/update-model-context": () => ({}),
};
const { window, byID, say } = frame(title, { config, view: "", status: "", alert: "" }, (message, origin) => {
  assert.equal(message.jsonrpc, "2.0");
  assert.equal(origin, "*");
  said.push(message);
  if (message.id === undefined || message.method === undefined) return;
  const answer = answers[message.method](message.params);
  queueMicrotask(() => say({ jsonrpc: "2.0", id: message.id, ...(answer.code ? { error: answer } : { result: answer }) }));
});
if (test.alone) window.parent = window;
vm.runInNewContext(script, window);
const settle = () => new Promise((resolve) => setImmediate(resolve));
await settle();

const view = byID.view;
await test.default({
  view, said, settle, say, window,
  status: () => byID.status.textContent,
  alert: () => byID.alert.textContent,
  focused: () => Element.focused,
  notify: (method, params) => say({ jsonrpc: "2.0", method, params }),
  show: (data) => say({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [{ type: "text", text: "{}" }], structuredContent: data } }),
  calls: () => said.filter(({ method }) => method === "tools/call").map(({ params }) => params),
  button: (label) => view.querySelectorAll("button").find((one) => one.textContent === label),
  rows: () => view.querySelectorAll("tr").map((row) => row.children.map((cell) => cell.textContent).join("|")),
});
console.log("ok");
