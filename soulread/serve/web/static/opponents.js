// Opponents: files and folders are sent one by one, with progress, and then taken in by one import.
import { ask, put } from "/static/pieces.js";

const TIMES = 3; // that a file is sent before it is given up
const HEADERS = { "X-Soulread": "piece" };

/** Send one file; `told` hears how many of its bytes have gone. Whether it was taken, and what was said. */
function send(url, file, told) {
  return new Promise((done, lost) => {
    const request = new XMLHttpRequest(); // fetch does not say how far it is
    request.open("POST", url);
    for (const [name, value] of Object.entries(HEADERS)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => told(event.loaded);
    request.onload = () => done({ ok: request.status < 300, text: request.responseText });
    request.onerror = () => lost(new Error("the server was not reached"));
    request.send(file);
  });
}

async function sendFile(batch, number, file, told) {
  const query = new URLSearchParams({ batch, number, name: file.name });
  for (let time = 1; ; time++) {
    try {
      const answer = await send(`/opponents/upload?${query}`, file, told);
      if (!answer.ok) put(answer.text);
      return answer.ok;
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
      const told = (bytes) => (bar.value = (sent + bytes) / total);
      if (!await sendFile(form.elements.batch.value, number, file, told)) {
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
