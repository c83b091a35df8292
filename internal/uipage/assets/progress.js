// The progress of a job: from the result of the tool that began it; then from a tool that is asked
// again and again, or from progress notifications where the client passes them on. A button
// cancels the job by calling a tool.
function view({ root, config, call, use, say, complain }) {
  const { showPercentage = true, showCurrentStep = true, cancelTool, cancelArgs, cancelConfirm, statusTool, statusArgs, intervalSecs = 2 } = config;
  let job; // the id in the data, if any
  let ended = false;
  let asking; // the timer of the next question
  const bar = element("progress", { max: "1", "aria-label": config.title || "Progress" });
  const percent = element("span", { class: "percent" });
  const step = element("p", { class: "step" });
  const question = element("div", { class: "buttons", role: "group", hidden: true });
  const cancel = element("button", { type: "button", click: ask }, "Cancel");
  const buttons = element("div", { class: "buttons" }, cancel);
  root.append(element("div", { class: "bar" }, bar, percent), step);
  root.dataset.state = "running";
  if (cancelTool) {
    question.append(
      element("span", {}, cancelConfirm || "Cancel it?"),
      element("button", { type: "button", class: "primary", click: stop }, "Yes"),
      element("button", { type: "button", click: keep }, "No"));
    root.append(buttons, question);
  }

  function at({ progress, total, message }) {
    if (ended) return;
    say("");
    if (typeof progress === "number") {
      const whole = typeof total === "number" && total > 0 ? total : 0;
      if (whole) {
        const share = Math.min(1, Math.max(0, progress / whole));
        bar.value = share;
        if (showPercentage) percent.textContent = `${Math.floor(share * 100)} %`;
        root.dataset.share = share;
      } else {
        bar.removeAttribute("value");
        if (showPercentage) percent.textContent = String(progress);
      }
    }
    if (showCurrentStep && typeof message === "string") step.textContent = message;
  }

  // end shows that nothing moves any more.
  function end(how) {
    if (ended) return;
    ended = true;
    clearTimeout(asking);
    root.dataset.state = how;
    if (how === "done") {
      bar.value = 1;
      if (showPercentage) percent.textContent = "100 %";
      say("Done.");
    } else if (!bar.hasAttribute("value")) {
      bar.value = 0; // without a value it would move
    }
    const focused = root.contains(document.activeElement);
    buttons.hidden = true;
    question.hidden = true;
    if (focused) {
      root.tabIndex = -1;
      root.focus();
    }
  }

  // take shows what a tool has reported of the job, and returns whether the job goes on. A result
  // without progress is that of a job that has ended.
  function take(data) {
    if (isObject(data) && data.id !== undefined) job = data.id;
    if (isObject(data) && typeof data.progress === "number" && data.done !== true) {
      at(data);
      if (root.dataset.share === "1") end("done");
    } else {
      at({ message: isObject(data) ? shown(data.message) : shown(data) });
      end("done");
    }
    return !ended;
  }

  const named = () => (job === undefined ? {} : { id: job });

  function later() {
    if (!ended) asking = setTimeout(poll, intervalSecs * 1000);
  }

  async function poll() {
    try {
      if (take(dataOf(await call(statusTool, { ...statusArgs, ...named() })))) later();
    } catch (error) {
      if (ended) return;
      end("failed");
      complain(error.message);
    }
  }

  // Frames may not open dialogs, so the page asks in itself.
  function ask() {
    buttons.hidden = true;
    question.hidden = false;
    question.querySelector("button").focus();
  }

  function keep() {
    buttons.hidden = false;
    question.hidden = true;
    cancel.focus();
  }

  let stopping = false;
  async function stop() {
    if (stopping) return;
    stopping = true;
    const result = await use(cancelTool, { ...cancelArgs, ...named() });
    stopping = false;
    if (ended) return;
    if (!result) return keep();
    end("cancelled");
    say("Cancelled.");
  }

  return {
    waits: true,
    progress: at,
    end,
    leave: () => clearTimeout(asking),
    show(data, result) {
      if (!take(data) || !result.content) return;
      if (statusTool) return later();
      // Nobody will report more, unless the client passes notifications on.
      root.dataset.state = "still";
      if (!bar.hasAttribute("value")) bar.value = 0;
      say("As the tool last reported it.");
    },
  };
}
