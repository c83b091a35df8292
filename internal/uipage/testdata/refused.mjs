import assert from "node:assert/strict";

export const host = { capabilities: undefined, context: undefined, call: () => ({ code: -32000, message: "Pages may not call tools" }) };

export default async function ({ button, settle, alert, status, calls }) {
  assert.equal(alert(), "The client did not say which fields there are; name them as fields.");
  button("Send").click();
  assert.equal(status(), "Asking the client, which may not let pages call tools …");
  assert.equal(button("Send").disabled, true);
  await settle();
  assert.deepEqual(calls(), [{ name: "greet", arguments: {} }]);
  assert.equal(alert(), "Pages may not call tools");
  assert.equal(status(), "");
  assert.equal(button("Send").disabled, false);
}
