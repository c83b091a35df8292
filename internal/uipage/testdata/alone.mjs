import assert from "node:assert/strict";

// There is no host: somebody has opened the page in a browser.
export const alone = true;

export default async function ({ view, said, alert }) {
  assert.deepEqual(said, []);
  assert.equal(alert(), "Open this page in a client with MCP Apps.");
  assert.equal(view.querySelector("[role=treeitem]").textContent, " 📄by itself");
}
