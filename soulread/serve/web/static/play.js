// A table: the slider, the number and the buttons of sizes say the same amount, in chips and as a part of the pot.

function tell(amount) {
  const shown = document.getElementById("raise-to");
  if (shown) shown.textContent = Number(amount).toLocaleString("en");
  const { called, pot } = document.getElementById("slider").dataset;
  const part = Math.round((100 * (amount - called)) / pot);
  document.getElementById("share").textContent = `${part}% of the pot`;
  for (const button of document.querySelectorAll("[data-amount]")) {
    button.setAttribute("aria-pressed", String(button.dataset.amount === String(amount)));
  }
}

function take(amount, but) {
  for (const id of ["slider", "amount"]) {
    const field = document.getElementById(id);
    if (field && id !== but) field.value = amount;
  }
  tell(amount);
}

document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.id === "slider" || field.id === "amount") take(field.value, field.id);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-amount]");
  if (button) take(button.dataset.amount);
});

function begun() {
  const slider = document.getElementById("slider");
  if (slider) tell(slider.value);
}
document.addEventListener("pieces", begun);
begun();
