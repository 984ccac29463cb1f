// Keys: an element says with data-key which key presses it, and with data-key-help what that does.
//
//   <button data-key="f" data-key-help="fold">Fold</button>
//
// Several keys have a blank between them; "space", "left" and "right" are words. A key does nothing while
// somebody types, with Ctrl, Alt or Meta, or while a dialog is open. "?" lists the keys of the page.

const WORDS = { " ": "space", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", Home: "home", End: "end" };

function typing(element) {
  return element instanceof HTMLElement && (element.isContentEditable ||
    element.matches("textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio])"));
}

function keysOf(element) {
  return element.dataset.key.split(" ");
}

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  const key = WORDS[event.key] || event.key.toLowerCase();
  if (typing(event.target)) return;
  if (key === "space" && event.target.closest("button, a, summary, [role=button]")) return;
  if (event.target.matches("input[type=range]") && ["left", "right", "up", "down", "home", "end"].includes(key)) return;
  if (key === "?") {
    document.querySelector("[data-help]").click();
    event.preventDefault();
    return;
  }
  for (const element of document.querySelectorAll("[data-key]")) {
    if (keysOf(element).includes(key) && !element.disabled && element.getAttribute("aria-disabled") !== "true") {
      event.preventDefault();
      element.click();
      return;
    }
  }
}

/** Let keys press what they stand for, and let a button list them. */
export function listKeys(button, dialog) {
  document.addEventListener("keydown", press);
  button.addEventListener("click", () => {
    const list = dialog.querySelector("[data-keys]");
    list.replaceChildren();
    const known = new Map([["?", "this list"]]);
    for (const element of document.querySelectorAll("[data-key]")) {
      const help = element.dataset.keyHelp || element.textContent.trim();
      known.set(keysOf(element).join(" or "), help);
    }
    for (const [key, help] of known) {
      const term = document.createElement("dt");
      const shown = document.createElement("kbd");
      shown.textContent = key;
      term.append(shown);
      const about = document.createElement("dd");
      about.textContent = help;
      list.append(term, about);
    }
    dialog.showModal();
  });
}
