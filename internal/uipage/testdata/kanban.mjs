import assert from "node:assert/strict";

export const host = { call: ({ arguments: { column } }) => ({ content: [{ type: "text", text: "not yet" }], isError: column === "done" }) };

export default async function ({ view, show, settle, calls, button, alert, focused }) {
  const board = () => view.querySelectorAll("section").map((column) =>
    [column.getAttribute("aria-label"), ...column.querySelectorAll(".title").map((one) => one.textContent)].join(": "));
  assert.deepEqual(board(), ["To do", "done"]); // before there is a result
  show({ cards: [{ id: 1, title: "Write", status: "todo", priority: "high", tags: ["x"], assignee: "Ada" }, { id: 2, title: "Test", column: "else" }] });
  assert.deepEqual(board(), ["To do: Write", "done", "else: Test"]);
  assert.equal(view.querySelector(".labels").textContent, "highxAda");

  // Moved with the list of columns, by the keyboard.
  const places = view.querySelector("select");
  assert.equal(places.getAttribute("aria-label"), "Column of Write");
  places.focus();
  places.value = "else";
  places.dispatch("change");
  assert.deepEqual(board(), ["To do", "done", "else: Write: Test"]);
  assert.equal(focused().getAttribute("aria-label"), "Column of Write");
  await settle();
  assert.deepEqual(calls(), [{ name: "move", arguments: { id: 1, column: "else", from: "todo" } }]);

  // Moved with the pointer; the tool refuses.
  view.querySelectorAll("li")[0].dispatch("dragstart");
  view.querySelectorAll("section")[1].dispatch("drop");
  assert.deepEqual(board(), ["To do", "done: Write", "else: Test"]);
  await settle();
  assert.deepEqual(board(), ["To do", "done", "else: Write: Test"]);
  assert.equal(alert(), "not yet");

  button("Test").click();
  await settle();
  assert.deepEqual(calls().at(-1), { name: "card", arguments: { id: 2 } });
}
