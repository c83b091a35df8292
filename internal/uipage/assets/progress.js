// The progress of a tool, from its result, from progress notifications where the client passes them
// on, and a button that cancels by calling a tool.
function view({ root, config, call, say, complain }) {
  const { showPercentage = true, showCurrentStep = true, cancelTool, cancelArgs, cancelConfirm } = config;
  let job; // the id in the data, if any
  const bar = element("progress", { max: "1", "aria-label": config.title || "Progress" });
  const percent = element("span", { class: "percent" });
  const step = element("p", { class: "step" });
  const question = element("div", { class: "buttons", role: "group", hidden: true });
  const cancel = element("button", { type: "button", click: ask }, "Cancel");
  root.append(element("div", { class: "bar" }, bar, percent), step);
  if (cancelTool) {
    question.append(
      element("span", {}, cancelConfirm || "Cancel it?"),
      element("button", { type: "button", class: "primary", click: stop }, "Yes"),
      element("button", { type: "button", click: keep }, "No"));
    root.append(element("div", { class: "buttons" }, cancel), question);
  }

  function at({ progress, total, message }) {
    if (typeof progress === "number") {
      const whole = typeof total === "number" && total > 0 ? total : 0;
      if (whole) {
        const share = Math.min(1, Math.max(0, progress / whole));
        bar.value = share;
        if (showPercentage) percent.textContent = `${Math.round(share * 100)} %`;
        if (share === 1) end();
      } else {
        bar.removeAttribute("value");
        if (showPercentage) percent.textContent = String(progress);
      }
    }
    if (showCurrentStep && typeof message === "string") step.textContent = message;
  }

  function end() {
    cancel.hidden = true;
    question.hidden = true;
  }

  // Frames may not open dialogs, so the page asks in itself.
  function ask() {
    cancel.hidden = true;
    question.hidden = false;
    question.querySelector("button").focus();
  }

  function keep() {
    cancel.hidden = false;
    question.hidden = true;
    cancel.focus();
  }

  async function stop() {
    try {
      await call(cancelTool, { ...cancelArgs, ...(job === undefined ? {} : { id: job }) });
      end();
      say("Cancelled.");
    } catch (error) {
      keep();
      complain(error.message);
    }
  }

  return {
    waits: true,
    progress: at,
    // A result that tells no progress is that of a tool that has ended.
    show(data) {
      if (isObject(data) && data.id !== undefined) job = data.id;
      if (isObject(data) && typeof data.progress === "number") return at(data);
      at({ progress: 1, total: 1, message: isObject(data) ? shown(data.message) : shown(data) });
      say("Done.");
    },
    failed: end,
  };
}
