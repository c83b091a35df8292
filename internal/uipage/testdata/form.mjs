import assert from "node:assert/strict";

export const host = {
  capabilities: { serverTools: {}, updateModelContext: { text: {} } },
  call: ({ arguments: { name } }) => ({ content: [{ type: "text", text: `Hello, ${name}` }], isError: name === "nobody" }),
};

export default async function ({ view, said, notify, settle, calls, button, status, alert }) {
  const control = (name) => view.querySelectorAll("[name]").find((one) => one.getAttribute("name") === name);
  const labels = view.querySelectorAll("label").map((one) => [one.getAttribute("for"), one.textContent]);
  assert.deepEqual(labels, [["field-0", "Name *"], ["field-1", "age"], ["field-2", "Agreed"], ["field-3", "size"], ["field-4", "note"]]);
  assert.equal(control("name").getAttribute("aria-describedby"), "field-0-hint");
  assert.equal(control("age").value, "30");
  assert.equal(control("agreed").checked, true);

  // What is required is asked for.
  button("Greet").click();
  await settle();
  assert.deepEqual(calls(), []);

  // What the tool was called with is filled in, and the tool is called with what is there.
  notify("ui/notifications/tool-input", { arguments: { name: "Ada", size: 2 } });
  button("Greet").click();
  assert.equal(status(), "One moment …");
  await settle();
  assert.deepEqual(calls(), [{ name: "greet", arguments: { source: "form", name: "Ada", age: 30, agreed: true, size: 2 } }]);
  assert.equal(status(), "Done.");
  assert.equal(view.querySelector("output").textContent, "Hello, Ada");
  assert.deepEqual(said.at(-1).params, { content: [{ type: "text", text: "Hello, Ada" }] });
  assert.equal(said.at(-1).method, "ui/update-model-context");

  // Enter in a field sends too; a tool that fails is told of.
  control("name").value = "nobody";
  control("age").value = "";
  control("name").dispatch("keydown", { key: "Enter" });
  await settle();
  assert.deepEqual(calls()[1].arguments, { source: "form", name: "nobody", agreed: true, size: 2 });
  assert.equal(alert(), "Hello, nobody");
  control("note").dispatch("keydown", { key: "Enter" }); // a new line
  await settle();
  assert.equal(calls().length, 2);

  button("Cancel").click();
  assert.equal(control("name").value, "Ada");
  assert.equal(control("age").value, "30");
  assert.equal(view.querySelector("output").hidden, true);
}
