import { CSV_SCRIPT } from "./script-csv.ts";

/**
 * The sheet's script: plain JavaScript for browsers, without a framework and without any request. All text of a run is
 * set as text, never as markup. Kept as one string, since the page must be one file that opens offline.
 */
export const SCRIPT = String.raw`"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const el = (id) => document.getElementById(id);
const store = "evalkit sheet " + data.digest + " " + data.rater;
const known = new Map(data.items.map((one) => [one.item, one]));
let state = { at: 0, scores: {}, shortcuts: true };
let active = 0;
let history = [];
let keeps = true;
let unsaved = false;
${CSV_SCRIPT}
// --- what is known of an item ---------------------------------------------------------------------------------------
const current = () => data.items[state.at];
const entry = (item) => state.scores[item] || {};
const valueOf = (item, field) => entry(item)[field] || "";
const isDone = (one) => data.fields.every((field) => valueOf(one.item, field.name) !== "");
const doneCount = () => data.items.filter(isDone).length;

// --- keeping --------------------------------------------------------------------------------------------------------
function save() {
  try {
    localStorage.setItem(store, JSON.stringify(state));
    keeps = true;
  } catch {
    keeps = false;
  }
  if (!keeps) warn("This browser does not keep what you enter. Export the CSV before you close this page; Load CSV goes on from it.");
}

function recall() {
  try {
    const text = localStorage.getItem(store);
    const kept = text === null ? null : JSON.parse(text);
    if (kept && typeof kept.scores === "object") state = { ...state, ...kept };
  } catch {
    keeps = false;
  }
  if (!(state.at >= 0 && state.at < data.items.length)) state.at = 0;
}

function warn(text) {
  el("notice").textContent = text;
  el("notice").hidden = text === "";
}

function say(text) {
  el("status").textContent = text;
}

// --- changing -------------------------------------------------------------------------------------------------------
function put(changes, remember) {
  const step = changes.map(({ item, field, value }) => ({ item, field, value: valueOf(item, field) }));
  for (const { item, field, value } of changes) state.scores[item] = { ...entry(item), [field]: value };
  if (remember) history.push({ at: state.at, active, step });
  unsaved = true;
  save();
}

function choose(field, value) {
  put([{ item: current().item, field: data.fields[field].name, value }], true);
  const name = data.fields[field].name;
  active = field;
  const open = data.fields.findIndex((one, at) => at > field && valueOf(current().item, one.name) === "");
  if (open >= 0) active = open;
  show();
  reveal();
  const done = isDone(current()) ? " This item is done." : open >= 0 ? " Next: " + data.fields[active].name + "." : "";
  say((value === "" ? name + " emptied." : name + ": " + (value === "x" ? "cannot judge" : value) + ".") + done);
}

function undo() {
  const last = history.pop();
  if (last === undefined) return say("There is nothing to undo.");
  put(last.step, false);
  state.at = last.at;
  active = last.active;
  save();
  show();
  say("Undone: " + last.step.map((one) => one.field).slice(0, 3).join(", ") + ".");
}

function go(at) {
  if (at < 0 || at >= data.items.length) return say(at < 0 ? "This is the first item." : "This is the last item.");
  state.at = at;
  const open = data.fields.findIndex((field) => valueOf(current().item, field.name) === "");
  active = Math.max(open, 0);
  save();
  show();
  say("");
  window.scrollTo(0, 0);
  el("heading").focus({ preventScroll: true });
}

function nextOpen() {
  const count = data.items.length;
  for (let step = 1; step <= count; step += 1) {
    const at = (state.at + step) % count;
    if (!isDone(data.items[at])) return go(at);
  }
  say("All " + count + " items are scored. Export the CSV and hand it back.");
  el("export").focus();
}

// --- showing --------------------------------------------------------------------------------------------------------
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

// --- files ----------------------------------------------------------------------------------------------------------
function exportCsv() {
  const rows = data.items.map(({ item, cells }) =>
    [item, ...cells, ...data.fields.map((field) => valueOf(item, field.name)), valueOf(item, "note")]);
  const name = "sheet-" + data.rater + ".csv";
  const url = URL.createObjectURL(new Blob([toCsv([data.columns, ...rows])], { type: "text/csv;charset=utf-8" }));
  const link = make("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
  unsaved = false;
  const open = data.items.length - doneCount();
  say("Saved as " + name + (open === 0 ? ". Hand it back." : ", with " + open + " items still open."));
}

function valueFrom(field, text) {
  const value = (text || "").normalize("NFKC").trim().toLowerCase().replace(/^'/, "").replace(/^(\d+)[.,]0+$/, "$1");
  return field.choices.some((choice) => choice.value === value) ? value : "";
}

async function loadCsv(file) {
  const rows = fromCsv(decode(new Uint8Array(await file.arrayBuffer())));
  const changes = [];
  let foreign = 0;
  for (const row of rows) {
    const item = (row.item || "").trim().toLowerCase();
    if (!known.has(item)) { if (item !== "") foreign += 1; continue; }
    for (const field of data.fields) {
      const value = valueFrom(field, row[field.name]);
      if (value !== "" && value !== valueOf(item, field.name)) changes.push({ item, field: field.name, value });
    }
    if (row.note && row.note !== valueOf(item, "note")) changes.push({ item, field: "note", value: row.note });
  }
  put(changes, true);
  shownItem = null;
  show();
  say("Loaded " + changes.length + " entries from " + file.name + (foreign > 0 ? "; " + foreign + " rows are of another sheet." : ". u takes them back."));
}

// --- keys -----------------------------------------------------------------------------------------------------------
function foldAll() {
  const all = [...document.querySelectorAll("details.actions")];
  const open = !all.every((one) => one.open);
  for (const one of all) one.open = open;
}

function toggleHelp() {
  if (el("help").open) el("help").close();
  else el("help").showModal();
}

const KEYS = {
  ArrowUp: () => mark(active - 1),
  ArrowDown: () => mark(active + 1),
  ArrowLeft: () => go(state.at - 1),
  ArrowRight: () => go(state.at + 1),
  Enter: nextOpen,
  Delete: () => choose(active, ""),
  Backspace: () => choose(active, ""),
};
const LETTERS = {
  u: undo, n: () => el("note").focus(), a: foldAll, "?": toggleHelp,
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.target;
  if (target === el("note")) {
    if (event.key === "Escape") { el("heading").focus({ preventScroll: true }); event.preventDefault(); }
    return;
  }
  if (el("help").open && event.key !== "?") return;
  if (target instanceof HTMLSelectElement) return;
  const pressed = target instanceof HTMLElement && target.getAttribute("aria-pressed") === "true";
  if (event.key === "Enter" && !pressed && target instanceof HTMLElement && target.closest("button, summary, a")) return;
  const letter = event.key.toLowerCase();
  const choice = data.fields[active].choices.find((one) => one.key === letter);
  const act = KEYS[event.key] || (state.shortcuts ? (choice ? () => choose(active, choice.value) : LETTERS[letter]) : undefined);
  if (act === undefined) return;
  event.preventDefault();
  act();
}

// --- start ----------------------------------------------------------------------------------------------------------
document.title = "Scoring sheet (" + data.rater + ")";
el("title").textContent = "Scoring sheet (" + data.rater + ")";
el("jump").replaceChildren(...data.items.map((one, at) => make("option", { value: String(at) }, "Item " + (at + 1))));
el("keys").replaceChildren(...data.keys.map(([key, what]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, what))));
buildFields();
recall();
save();
el("shortcuts").checked = state.shortcuts;
show();
document.addEventListener("keydown", onKey);
el("jump").addEventListener("change", () => go(Number(el("jump").value)));
el("back").addEventListener("click", () => go(state.at - 1));
el("next").addEventListener("click", nextOpen);
el("undo").addEventListener("click", undo);
el("export").addEventListener("click", exportCsv);
el("load").addEventListener("click", () => el("file").click());
el("file").addEventListener("change", () => {
  const file = el("file").files[0];
  if (file) loadCsv(file).catch((error) => warn("This file could not be read: " + error.message));
  el("file").value = "";
});
el("note").addEventListener("input", () => put([{ item: current().item, field: "note", value: el("note").value }], false));
el("helpButton").addEventListener("click", toggleHelp);
el("helpClose").addEventListener("click", toggleHelp);
el("shortcuts").addEventListener("change", () => { state.shortcuts = el("shortcuts").checked; save(); });
el("panel").addEventListener("submit", (event) => event.preventDefault());
// The same sheet in a second tab: the newer entries count in both.
window.addEventListener("storage", (event) => {
  if (event.key !== store || event.newValue === null) return;
  const at = state.at;
  recall();
  state.at = at;
  shownItem = null;
  show();
});
window.addEventListener("beforeunload", (event) => { if (!keeps && unsaved) event.preventDefault(); });
})();
`;
