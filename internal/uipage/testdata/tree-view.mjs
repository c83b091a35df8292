import assert from "node:assert/strict";

export default async function ({ view, show, settle, calls, focused, alert, status }) {
  show([
    { id: "s", label: "src", children: [{ id: "s/main", label: "main", meta: "2 KB", children: ["leaf"] }] },
    { label: "README", icon: "file" },
  ]);
  const items = () => view.querySelectorAll("[role=treeitem]").filter((one) => !one.closest("[hidden]")).map((one) => one.querySelector("div").textContent);
  const press = (...keys) => keys.forEach((key) => focused().dispatch("keydown", { key }));
  assert.deepEqual(items(), ["▾📁src", "▸📁main2 KB", " 📄README"]);
  const [first] = view.querySelectorAll("[role=treeitem]");
  assert.equal(first.getAttribute("tabindex"), "0");
  assert.equal(first.getAttribute("aria-level"), "1");
  first.focus();
  press("ArrowDown", "ArrowRight");
  assert.deepEqual(items(), ["▾📁src", "▾📁main2 KB", " 📄leaf", " 📄README"]);
  press("ArrowRight");
  assert.equal(focused().querySelector("div").textContent, " 📄leaf");
  press("ArrowLeft", "ArrowLeft");
  assert.deepEqual(items(), ["▾📁src", "▸📁main2 KB", " 📄README"]);
  press("End");
  assert.equal(focused().querySelector("div").textContent, " 📄README");
  press("Home", "ArrowDown", "Enter");
  await settle();
  assert.deepEqual(calls(), [{ name: "open", arguments: { id: "s/main" } }]);
  assert.equal(focused().getAttribute("aria-selected"), "true");
  assert.equal(view.querySelectorAll("[tabindex='0']").length, 1);

  view.querySelectorAll(".node")[0].click();
  await settle();
  assert.deepEqual(items(), ["▸📁src", " 📄README"]);
  assert.equal(calls().length, 2);
  show({ nodes: [] });
  assert.equal(status(), "Nothing to show.");
  show("text");
  assert.equal(alert(), "The result has no nodes to show.");
}
