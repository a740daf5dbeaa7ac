import { FILES_SCRIPT } from "./script-files.ts";
import { SHOW_SCRIPT } from "./script-show.ts";

/**
 * The sheet's script: plain JavaScript for browsers, without a framework and without any request. All text of a run is
 * set as text, never as markup. Kept as one string, since the page must be one file that opens offline.
 */
export const SCRIPT = `"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const el = (id) => document.getElementById(id);
const store = "evalkit sheet " + data.digest + " " + data.rater;
const known = new Map(data.items.map((one) => [one.item, one]));
let state = { at: 0, scores: {}, shortcuts: true, unfolded: false };
let active = 0;
let history = [];
let keeps = true;
let unsaved = false;
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

${SHOW_SCRIPT}
${FILES_SCRIPT}
// --- keys -----------------------------------------------------------------------------------------------------------
function foldAll() {
  const all = [...document.querySelectorAll("details.actions")];
  const open = !all.every((one) => one.open);
  for (const one of all) one.open = open;
  state.unfolded = open;
  save();
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
document.querySelector("main").className = data.kind;
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
