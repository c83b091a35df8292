// The tree: nodes that open and close, by the keys that trees have. Children are made when they are
// first seen.
function view({ root, config, call, say, complain }) {
  const { showIcons = true, expandLevel = 1, selectable = Boolean(config.onSelectTool), onSelectTool } = config;
  const pictures = { folder: "📁", "folder-open": "📂", file: "📄" };
  const tree = element("ul", { role: "tree", "aria-label": config.title || "Tree", keydown: press, hidden: true });
  const nodes = new WeakMap(); // of the items
  root.append(tree);

  function show(data) {
    const list = isObject(data) && (data.label !== undefined || data.id !== undefined) ? [data] : listIn(data, "nodes");
    if (!list) return complain("The result has no nodes to show.");
    tree.replaceChildren(...list.map((node) => itemOf(node, 1)));
    tree.hidden = list.length === 0;
    if (list.length === 0) say("Nothing to show.");
    tree.firstElementChild?.setAttribute("tabindex", "0");
  }

  function itemOf(written, level) {
    const node = named(written, "label");
    const children = Array.isArray(node.children) ? node.children : [];
    const item = element("li", {
      role: "treeitem", tabindex: "-1", "aria-level": level,
      "aria-expanded": children.length > 0 ? "false" : undefined,
      "aria-selected": selectable ? "false" : undefined,
    });
    nodes.set(item, { node, children, level });
    const icon = node.iconChar || pictures[node.icon] || pictures[children.length > 0 ? "folder" : "file"];
    item.append(element("div", { class: "node", click: () => click(item) },
      element("span", { class: "twist", "aria-hidden": "true" }, children.length > 0 ? "▸" : " "),
      showIcons ? element("span", { class: "icon", "aria-hidden": "true" }, icon) : "",
      element("span", {}, shown(node.label ?? node.id)),
      node.meta === undefined ? "" : element("span", { class: "meta" }, shown(node.meta))));
    if (level <= expandLevel) open(item, true);
    return item;
  }

  function open(item, yes) {
    const { children, level } = nodes.get(item);
    if (children.length === 0) return;
    item.setAttribute("aria-expanded", String(yes));
    item.querySelector(".twist").textContent = yes ? "▾" : "▸";
    let group = groupOf(item);
    if (!group && yes) {
      group = element("ul", { role: "group" }, ...children.map((child) => itemOf(child, level + 1)));
      item.append(group);
    }
    if (group) group.hidden = !yes;
  }

  const groupOf = (item) => [...item.children].find((one) => one.getAttribute("role") === "group");
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const parentOf = (item) => item.parentElement?.closest("[role=treeitem]");

  function focus(item) {
    if (!item) return;
    for (const one of tree.querySelectorAll("[tabindex='0']")) one.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus();
  }

  function click(item) {
    focus(item);
    open(item, !isOpen(item));
    select(item);
  }

  async function select(item) {
    if (!selectable) return;
    for (const one of tree.querySelectorAll("[aria-selected=true]")) one.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
    const { node } = nodes.get(item);
    if (!onSelectTool) return;
    try {
      await call(onSelectTool, { id: node.id ?? node.label });
    } catch (error) {
      complain(error.message);
    }
  }

  function press(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const visible = [...tree.querySelectorAll("[role=treeitem]")].filter((one) => !one.closest("[hidden]"));
    const i = visible.indexOf(item);
    const keys = {
      ArrowDown: () => focus(visible[i + 1]),
      ArrowUp: () => focus(visible[i - 1]),
      ArrowRight: () => (isOpen(item) ? focus(groupOf(item).firstElementChild) : open(item, true)),
      ArrowLeft: () => (isOpen(item) ? open(item, false) : focus(parentOf(item))),
      Home: () => focus(visible[0]),
      End: () => focus(visible.at(-1)),
      Enter: () => (selectable ? select(item) : open(item, !isOpen(item))),
      " ": () => (selectable ? select(item) : open(item, !isOpen(item))),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  return { waits: true, show };
}
