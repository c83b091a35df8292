// Finds what people cannot see or read in a page.
() => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} px wide, its frame ${root.clientWidth}`);

  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return { r, g, b, a: a / 255 };
  };
  const over = (top, bottom) => Object.fromEntries(["r", "g", "b"].map((c) => [c, top[c] * top.a + bottom[c] * (1 - top.a)]).concat([["a", 1]]));
  const behind = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) layers.push(rgba(getComputedStyle(one).backgroundColor));
    return layers.reverse().reduce((below, layer) => over(layer, below), { r: 255, g: 255, b: 255, a: 1 });
  };
  const light = ({ r, g, b }) => {
    const [R, G, B] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * R + 0.7152 * G + 0.0722 * B;
  };
  const contrast = (color, element) => {
    const back = behind(element);
    const [a, b] = [light(over(rgba(color), back)), light(back)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const readable = (what, color, element) => {
    const c = contrast(color, element);
    if (c < 4.5) faults.push(`${what} has a contrast of ${c.toFixed(2)}: ${color}`);
  };

  // Text must be inside its frame, and inside every box that cuts off what is outside, unless people
  // can scroll there.
  const scrolls = (style, axis) => ["auto", "scroll"].includes(style[`overflow${axis}`]);
  const cuts = (style, axis) => ["hidden", "clip"].includes(style[`overflow${axis}`]);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const element = text.parentElement;
    const words = text.data.trim();
    if (words === "" || ["SCRIPT", "STYLE", "OPTION"].includes(element.tagName) || !element.checkVisibility()) continue;
    const what = `${element.tagName.toLowerCase()} "${words.slice(0, 40)}"`;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const { left, right, width, height } of range.getClientRects()) {
      if (width * height === 0) continue;
      for (let box = element; box; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (scrolls(style, "X")) break;
        const room = box === root ? { left: 0, right: root.clientWidth } : box.getBoundingClientRect();
        if ((box === root || cuts(style, "X")) && (left < room.left - 1 || right > room.right + 1)) {
          faults.push(`${what} is cut off by ${box.tagName.toLowerCase()}: it ends at ${Math.round(right)} of ${Math.round(room.right)} px`);
        }
        if (style.textOverflow === "ellipsis" && box.scrollWidth > box.clientWidth) faults.push(`${what} ends in an ellipsis`);
      }
    }
    readable(what, getComputedStyle(element).color, element);
  }
  for (const control of document.querySelectorAll("input, textarea, select")) {
    if (!control.checkVisibility()) continue;
    readable(`${control.tagName.toLowerCase()} ${control.name}`, getComputedStyle(control).color, control);
    if (control.placeholder) readable(`the placeholder of ${control.name}`, getComputedStyle(control, "::placeholder").color, control);
    const { right } = control.getBoundingClientRect();
    if (right > root.clientWidth) faults.push(`${control.name} is cut off`);
  }

  // Whatever can be clicked can be reached by the keyboard, has a name, and is large enough for a
  // finger.
  for (const one of document.querySelectorAll("button, input, select, textarea, [role=treeitem], [role=button]")) {
    if (!one.checkVisibility()) continue;
    const name = one.ariaLabel || one.innerText || one.labels?.[0]?.innerText || "";
    if (name.trim() === "") faults.push(`${one.outerHTML.slice(0, 60)} has no name`);
    if (one.tagName === "BUTTON" && one.getBoundingClientRect().height < 24) faults.push(`the button ${name} is ${one.getBoundingClientRect().height} px high`);
  }
  return [...new Set(faults)];
}
