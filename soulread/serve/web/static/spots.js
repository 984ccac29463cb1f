// Spots: pick a board, paint ranges, see the size of the tree, click into the grid, turn the dial, open a file.
// Nothing here knows the rules: ranges, sizes and strategies come from the server as pieces.
import { ask, put, go } from "/static/pieces.js";

const RANGE = 13;

// The board: buttons write into the field, and the field presses the buttons.

function boardCards() {
  const text = document.querySelector("[data-board]")?.value || "";
  return (text.match(/[2-9TJQKA][cdhs]/gi) || []).map((card) => card[0].toUpperCase() + card[1].toLowerCase());
}

function showBoard() {
  const chosen = new Set(boardCards());
  for (const button of document.querySelectorAll("[data-card]")) {
    button.setAttribute("aria-pressed", String(chosen.has(button.dataset.card)));
  }
}

function pick(button) {
  const field = document.querySelector("[data-board]");
  const chosen = boardCards();
  const at = chosen.indexOf(button.dataset.card);
  if (at >= 0) chosen.splice(at, 1);
  else if (chosen.length < 5) chosen.push(button.dataset.card);
  field.value = chosen.join("");
  showBoard();
  later();
}

// Ranges: a drag paints with the weight of the slider; painting over what has it already erases.

let painting = null;

function brush() {
  return Number(document.querySelector("[data-weight]")?.value || 100) / 100;
}

function paint(cell) {
  if (!painting || painting.cells.has(cell.dataset.cell)) return;
  painting.cells.add(cell.dataset.cell);
  cell.className = `rc w${Math.ceil(10 * painting.weight - 1e-9)}`;
  cell.setAttribute("aria-pressed", String(painting.weight > 0));
  cell.dataset.weightNow = String(painting.weight); // painted again before the server has answered
}

function begin(cell) {
  const now = Number(cell.dataset.weightNow);
  const weight = Math.abs(now - brush()) < 0.006 ? 0 : brush();
  painting = { range: cell.closest("[data-range]"), weight, cells: new Set() };
  paint(cell);
}

/** A range that has a name takes the place of what is in the field. */
function takeNamed(list) {
  if (!list.value) return;
  const name = list.dataset.named;
  list.form.elements[name].value = list.value;
  if (document.getElementById(`text-${name}`)) changeRange(name, "");
}

async function finish() {
  if (!painting) return;
  const { range, weight, cells } = painting;
  painting = null;
  const put = [...cells].map((name) => `${name}:${weight}`).join(",");
  await changeRange(range.dataset.range, put);
}

async function changeRange(name, put) {
  const text = document.getElementById(`text-${name}`).value;
  const focused = document.activeElement?.dataset?.cell;
  await ask("/spots/range", new URLSearchParams({ name, text, put })).catch(() => undefined);
  if (focused) focus(document.querySelector(`[data-range="${name}"] [data-cell="${focused}"]`));
  later();
}

function focus(cell) {
  if (!cell) return;
  for (const other of cell.parentElement.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

/** Arrows within a group of buttons in rows of 13. */
function move(event) {
  const here = event.target.closest?.("[data-cell],[data-card]");
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -RANGE, ArrowDown: RANGE }[event.key];
  if (!here || !step) return;
  const all = [...here.parentElement.querySelectorAll("[data-cell],[data-card]")];
  const next = all[all.indexOf(here) + step];
  event.preventDefault();
  event.stopPropagation();
  focus(next);
}

// The size of the tree, a moment after the last change.

let timer = 0;

function later() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const form = document.querySelector("form[data-spot]");
    if (form) ask("/spots/size", new URLSearchParams(new FormData(form))).catch(() => undefined);
  }, 350);
}

// The dial: the newest position wins.

let wanted = null;
let turning = false;

async function turn(input) {
  const base = input.form.dataset.dial;
  wanted = input.value;
  if (turning) return;
  turning = true;
  try {
    while (wanted !== null) {
      const position = wanted;
      wanted = null;
      await ask(`${base}&dial=${position}`);
    }
  } catch {
    // The sentence about the connection is on the page.
  } finally {
    turning = false;
  }
}

function keepDial(input) {
  const address = new URL(location.href);
  address.searchParams.set("dial", input.value);
  history.replaceState(null, "", address);
}

// The grid: a click on a cell leads to its hands, as the link of the table does.

function openCell(event) {
  const drawing = event.target.closest("[data-grid] svg");
  if (!drawing) return;
  const box = drawing.getBoundingClientRect();
  const column = Math.floor(RANGE * (event.clientX - box.left) / box.width);
  const row = Math.floor(RANGE * (event.clientY - box.top) / box.height);
  const ranks = "AKQJT98765432";
  const kind = row < column ? "s" : row > column ? "o" : "";
  const name = ranks[Math.min(row, column)] + ranks[Math.max(row, column)] + kind;
  const address = new URL(location.href);
  address.searchParams.set("cell", name);
  go(address.href);
}

async function upload(input) {
  const [file] = input.files;
  if (!file) return;
  const state = document.querySelector("[data-upload-state]");
  state.textContent = `Reading ${file.name} ...`;
  try {
    const answer = await fetch(input.dataset.upload, { method: "POST", body: file, headers: { "X-Soulread": "piece" } });
    const path = answer.headers.get("X-Soulread-Go");
    if (path) location.assign(path);
    else {
      state.textContent = "";
      put(await answer.text());
    }
  } catch {
    state.textContent = "The file could not be sent; try it again.";
  }
  input.value = "";
}

document.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest("[data-range] [data-cell]");
  if (!cell || event.button) return;
  if (cell.hasPointerCapture?.(event.pointerId)) cell.releasePointerCapture(event.pointerId);
  begin(cell);
});
document.addEventListener("pointermove", (event) => {
  if (!painting) return;
  const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell]");
  if (cell && painting.range.contains(cell)) paint(cell);
});
document.addEventListener("pointerup", finish);
document.addEventListener("pointercancel", finish);
document.addEventListener("keydown", move, true);
document.addEventListener("click", (event) => {
  const card = event.target.closest("[data-card]");
  if (card) pick(card);
  const cell = event.target.closest("[data-range] [data-cell]");
  if (cell && event.detail === 0) { // by the keyboard: a pointer has painted already
    begin(cell);
    finish();
  }
  openCell(event);
});
document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.matches("#dial")) turn(field);
  if (field.matches("[data-weight]")) document.querySelector("[data-weight-shown]").textContent = `${field.value}%`;
  if (field.matches("[data-board]")) showBoard();
  if (field.form?.matches("form[data-spot]")) later();
});
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.matches("#dial")) keepDial(field);
  if (field.matches("[data-range-text]")) changeRange(field.dataset.rangeText, "");
  if (field.matches("[data-named]")) takeNamed(field);
  if (field.matches("[data-upload]")) upload(field);
});
function begun() {
  showBoard();
  if (document.querySelector("form[data-spot]")) later();
  document.querySelector(".line .now")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
document.addEventListener("pieces", showBoard);
begun();
