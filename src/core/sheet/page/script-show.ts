/** What the page's script shows of an item, its scores and the progress. Plain JavaScript for browsers. */
export const SHOW_SCRIPT = String.raw`
function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function output(title, actions, answer) {
  const calls = (actions.match(/^\d+\. /gm) || []).length;
  const what = calls === 0 ? "no tool calls" : calls === 1 ? "1 tool call" : calls + " tool calls";
  const details = make("details", { class: "card actions" },
    make("summary", {}, "What the agent did" + title + " (" + what + ") ", make("kbd", {}, "a")),
    make("pre", { class: "text", dir: "auto" }, actions));
  // Folded or not, it stays so from item to item.
  details.open = state.unfolded === true;
  details.firstChild.addEventListener("click", () => { state.unfolded = !details.open; save(); });
  const given = make("section", { class: "card" }, make("h2", {}, "Answer" + title),
    make("p", { class: "text", dir: "auto" }, answer.trim() === "" ? "(no answer)" : answer));
  return make("div", {}, details, given);
}

function showItem() {
  const { cells } = current();
  el("heading").textContent = "Item " + (state.at + 1) + " of " + data.items.length;
  el("task").textContent = cells[0];
  const outputs = data.kind === "pair"
    ? [make("div", { class: "sides" }, output(", left", cells[1], cells[2]), output(", right", cells[3], cells[4]))]
    : [output("", cells[1], cells[2])];
  el("outputs").replaceChildren(...outputs);
  el("note").value = valueOf(current().item, "note");
}

function buildFields() {
  el("fields").replaceChildren(...data.fields.map((field, at) => {
    const choices = field.choices.map(({ value, key, anchor }) => {
      const button = make("button", { type: "button", class: "choice", "data-value": value, "aria-label": value + ": " + anchor },
        make("b", {}, key), make("span", {}, anchor));
      button.addEventListener("click", () => choose(at, value));
      return button;
    });
    return make("fieldset", { "data-field": field.name },
      make("legend", {}, field.name[0].toUpperCase() + field.name.slice(1) + " ", make("span", {}, field.question)), ...choices);
  }));
}

function showFields() {
  document.querySelectorAll("fieldset").forEach((box, at) => {
    const value = valueOf(current().item, data.fields[at].name);
    box.classList.toggle("active", at === active);
    for (const button of box.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.value === value));
  });
  const box = document.querySelectorAll("fieldset")[active];
  const list = el("fields");
  if (list.scrollHeight > list.clientHeight && box) list.scrollTop = box.offsetTop - 6;
}

function reveal() {
  document.querySelectorAll("fieldset")[active].scrollIntoView({ block: "nearest" });
}

function mark(at) {
  active = Math.min(Math.max(at, 0), data.fields.length - 1);
  show();
  reveal();
  say(data.fields[active].name);
}

function showProgress() {
  const done = doneCount();
  el("bar").max = data.items.length;
  el("bar").value = done;
  el("count").textContent = done + " of " + data.items.length + " done";
  el("count").className = done === data.items.length ? "done" : "";
  [...el("jump").options].forEach((option, at) => {
    option.textContent = "Item " + (at + 1) + (isDone(data.items[at]) ? " \u2713" : "");
  });
  el("jump").value = String(state.at);
}

let shownItem = null;
function show() {
  if (shownItem !== current().item) showItem();
  shownItem = current().item;
  showFields();
  showProgress();
}
`;
