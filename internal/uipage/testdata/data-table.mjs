import assert from "node:assert/strict";

export default async function ({ view, show, rows, button, focused }) {
  assert.deepEqual(rows(), ["Id|name", "1|from the config"]);
  show({ total: 3, rows: [{ id: 10, name: "b" }, { id: 9, name: null }, { id: "x", other: true }, [7, 8]] });
  assert.deepEqual(rows(), ["Id|name", "10|b", "9|"]);
  assert.equal(view.querySelector("nav").textContent, "PreviousPage 1 of 2, 4 rowsNext");
  assert.equal(button("Previous").disabled, true);
  button("Next").click();
  assert.deepEqual(rows(), ["Id|name", "x|", "|"]);

  button("Id").click();
  assert.deepEqual(rows(), ["Id ▲|name", "9|", "10|b"]); // numbers by size
  assert.equal(view.querySelector("th").getAttribute("aria-sort"), "ascending");
  assert.equal(focused().textContent, "Id ▲"); // the keyboard stays where it was
  button("Id ▲").click();
  assert.deepEqual(rows(), ["Id ▼|name", "x|", "10|b"]);
  assert.equal(button("name"), undefined); // it is not sortable

  show({ rows: [] });
  assert.deepEqual(rows(), ["Id ▼|name"]);
  assert.equal(view.querySelector(".empty").textContent, "Nobody yet.");
}
