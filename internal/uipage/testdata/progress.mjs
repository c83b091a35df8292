import assert from "node:assert/strict";

export default async function ({ view, notify, show, settle, calls, button, status, alert, focused }) {
  const bar = view.querySelector("progress");
  const percent = () => view.querySelector(".percent").textContent;
  notify("notifications/progress", { progress: 1, total: 4, message: "first part" });
  assert.equal(bar.value, "0.25");
  assert.equal(percent(), "25 %");
  assert.equal(view.querySelector(".step").textContent, "first part");
  show({ id: "job-1", progress: 7 });
  assert.equal(percent(), "7"); // of nobody knows how many

  button("Cancel").click();
  assert.equal(focused().textContent, "Yes");
  button("No").click();
  assert.equal(button("Cancel").hidden, false);
  assert.deepEqual(calls(), []);
  button("Cancel").click();
  button("Yes").click();
  await settle();
  assert.deepEqual(calls(), [{ name: "stop", arguments: { force: true, id: "job-1" } }]);
  assert.equal(status(), "Cancelled.");
  assert.equal(button("Cancel").hidden, true);

  show({ message: "all of it" });
  assert.equal(percent(), "100 %");
  assert.equal(view.querySelector(".step").textContent, "all of it");
  assert.equal(status(), "Done.");
  assert.equal(alert(), "");
}
