// Opponents: files and folders are sent one by one, with progress, and then taken in by one import.
import { ask, put } from "/static/pieces.js";

const TIMES = 3; // that a file is sent before it is given up
const HEADERS = { "X-Soulread": "piece" };

async function sendFile(batch, number, file) {
  const query = new URLSearchParams({ batch, number, name: file.name });
  for (let time = 1; ; time++) {
    try {
      const answer = await fetch(`/opponents/upload?${query}`, { method: "POST", body: file, headers: HEADERS });
      if (answer.ok) return true;
      put(await answer.text());
      return false;
    } catch (error) {
      if (time === TIMES) throw error;
      await new Promise((wake) => setTimeout(wake, 500 * time));
    }
  }
}

async function sendAll(input) {
  const files = [...input.files];
  const form = input.form;
  if (!files.length || form.dataset.sending) return;
  form.dataset.sending = "yes";
  const state = form.querySelector("[data-import-state]");
  const bar = form.querySelector("[data-import-bar]");
  const total = files.reduce((sum, file) => sum + file.size, 0) || 1;
  let sent = 0;
  bar.hidden = false;
  try {
    for (const [number, file] of files.entries()) {
      state.textContent = `Sending ${number + 1} of ${files.length}: ${file.name}`;
      if (!await sendFile(form.elements.batch.value, number, file)) {
        state.textContent = `${file.name} was not taken; nothing was brought in.`;
        return;
      }
      sent += file.size;
      bar.value = sent / total;
    }
    state.textContent = "All sent; the import begins.";
    await ask(form.action, new URLSearchParams(new FormData(form)));
  } catch {
    state.textContent = "The files could not be sent; choose them again.";
  } finally {
    delete form.dataset.sending;
    input.value = "";
  }
}

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-import] [data-files]")) sendAll(event.target);
});
