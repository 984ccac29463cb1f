// Pieces of a page: the server sends elements with an id, and each takes the place of the one on the page.
//
//   <form data-piece method="post" action="...">     is sent by this script; the answer is put in place
//   <a data-piece href="...">                        leads to a page, of which only <main> is loaded;
//                                                    data-piece="replace" leaves no step for the back button
//   <div id="x" data-load="...">                     is loaded as soon as it is there
//   <div data-live="...">                            gets pieces from the server as they change
//   <x data-module="/static/play.js">                lets a module run once: it listens to the document
//
// Without this script the same forms and links work, page by page. Modules may listen to "pieces", an event
// of the document after something was put in place.

const HEADERS = { "X-Soulread": "piece" };
const OFTEN = 60; // times that a request is tried which does not reach the server: two minutes
const LONGEST = 2000; // milliseconds between two of them
const loaded = new WeakSet();
let stream = null;

/** Put the elements of a text in place; those whose id is not on the page are left out. */
export function put(text) {
  const parsed = new DOMParser().parseFromString(`<body>${text}</body>`, "text/html");
  for (const fresh of [...parsed.body.children]) {
    const old = fresh.id && document.getElementById(fresh.id);
    if (!old || older(fresh, old)) continue;
    const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
    const opened = [...old.querySelectorAll("details[open][id]")].map((one) => one.id);
    old.replaceWith(document.adoptNode(fresh));
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
    if (fresh.dataset.title) document.title = fresh.dataset.title;
  }
  look();
  document.dispatchEvent(new CustomEvent("pieces"));
}

/** Whether a piece is older than what is there: pieces may overtake each other. */
function older(fresh, old) {
  return Number(fresh.dataset.version || 0) < Number(old.dataset.version || 0);
}

/** Ask the server for pieces, and put them in place; a connection that breaks is tried again. */
export async function ask(url, body) {
  const settings = { headers: HEADERS, redirect: "follow", credentials: "same-origin" };
  if (body) Object.assign(settings, { method: "POST", body });
  for (let time = 1; ; time++) {
    try {
      const answer = await fetch(url, settings);
      const path = answer.headers.get("X-Soulread-Go");
      if (path) {
        location.assign(path);
        return false;
      }
      lost(false);
      put(await answer.text());
      return answer.ok;
    } catch (error) {
      lost(true);
      if (time === OFTEN) throw error;
      await new Promise((wake) => setTimeout(wake, Math.min(400 * time, LONGEST)));
    }
  }
}

/** Say, or stop saying, that the server does not answer. */
function lost(shown) {
  const told = document.getElementById("connection");
  if (told) told.hidden = !shown;
}

async function send(form, button) {
  if (form.dataset.busy) return;
  form.dataset.busy = "yes";
  const body = new URLSearchParams(new FormData(form, button));
  try {
    await ask(form.getAttribute("action") || location.pathname, body);
  } catch {
    // The sentence about the connection is on the page; the form stays as it is.
  } finally {
    delete form.dataset.busy;
  }
}

/** Show another page, of which only the middle is loaded; `keep` says how the address is kept. */
export async function go(url, keep = "pushState") {
  try {
    if (await ask(url) && keep) history[keep](null, "", url);
    if (keep === "pushState") scrollTo(0, 0);
  } catch {
    location.assign(url);
  }
}

function look() {
  for (const element of document.querySelectorAll("[data-load]")) {
    if (loaded.has(element)) continue;
    loaded.add(element);
    ask(element.dataset.load).catch(() => undefined);
  }
  for (const element of document.querySelectorAll("[data-module]")) import(element.dataset.module);
  listen(document.querySelector("[data-live]")?.dataset.live || "");
}

function listen(url) {
  const wanted = document.hidden ? "" : url;
  if ((stream?.path || "") === wanted) return;
  stream?.source.close();
  stream = null;
  if (!wanted) return;
  const source = new EventSource(wanted);
  stream = { path: wanted, source };
  source.addEventListener("message", (event) => put(event.data));
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => lost(true));
  source.addEventListener("end", () => source.close());
}

/** Let forms, links and pieces of this page work as above. */
export function follow() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("form[data-piece]")) return;
    event.preventDefault();
    send(form, event.submitter);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-piece]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    go(link.href, link.dataset.piece === "replace" ? "replaceState" : "pushState");
  });
  addEventListener("popstate", () => go(location.href, ""));
  document.addEventListener("visibilitychange", look);
  look();
}
