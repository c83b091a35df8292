import assert from "node:assert/strict";

export default async function ({ view, show, notify, rows, alert }) {
  show({ left: "a\nb\nc\nd\n", right: "a\nx\nc\nd\ne\n" });
  assert.deepEqual(rows(), ["Before|After", "1| a|1| a", "2|−b|2|+x", "3| c|3| c", "4| d|4| d", "| |5|+e"]);
  assert.equal(view.querySelector(".step").textContent, "2 added, 1 removed");
  show({ original: "same", modified: "same\n" });
  assert.equal(view.querySelector(".step").textContent, "No differences.");

  const text = "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -8,2 +8,2 @@ fun\n-old\n+new\n same\n";
  notify("ui/notifications/tool-result", { content: [{ type: "text", text }] });
  assert.deepEqual(rows().slice(4), ["@@ -8,2 +8,2 @@ fun", "8|−old|8|+new", "9| same|9| same"]);
  assert.equal(view.querySelector(".step").textContent, "1 added, 1 removed");

  // Texts too long to compare line by line are compared all the same.
  const lines = (word) => Array.from({ length: 3000 }, (_, i) => `${word} ${i}`).join("\n");
  show({ left: `first\n${lines("a")}\nlast`, right: `first\n${lines("b")}\nlast` });
  assert.equal(view.querySelector(".step").textContent, "3000 added, 3000 removed");
  assert.equal(rows().length, 3003);
  show({ rows: [] });
  assert.equal(alert(), "The result has no left and right to compare.");
}
