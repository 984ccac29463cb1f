// The form of a new table shows what the chosen game has, and says who the chosen opponent is.

function choose() {
  const form = document.getElementById("new");
  if (!form) return;
  const game = form.elements.game.value;
  for (const part of form.querySelectorAll("[data-for]")) {
    part.hidden = !part.dataset.for.split(" ").includes(game);
  }
  const alone = game === "kuhn" || game === "leduc";
  const seats = alone ? 2 : Number(form.elements.seats.value);
  for (const part of form.querySelectorAll("[data-seat]")) part.hidden = Number(part.dataset.seat) > seats;
  if (alone) form.elements.seats.value = "2";
  const kind = game === "nolimit" && seats > 2 ? "nolimit-ring" : game === "limit" && seats > 2 ? "ring" : game;
  const first = form.elements.agent2;
  const known = [...document.querySelectorAll("#agents option")];
  const name = first.value.trim().split(":")[0];
  const found = known.find((one) => one.value === name);
  const fits = !found || found.dataset.kinds.split(" ").includes(kind);
  document.getElementById("about").textContent = found
    ? `${name}: ${found.textContent}${fits ? "" : ". It cannot sit at this game as it stands."}` : "";
}

document.addEventListener("input", (event) => {
  if (event.target.closest("#new")) choose();
});
document.addEventListener("pieces", choose);
choose();
