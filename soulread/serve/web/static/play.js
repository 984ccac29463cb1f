// A table: the slider, the number and the buttons of sizes say the same amount.

function tell(amount) {
  const shown = document.getElementById("raise-to");
  if (shown) shown.textContent = Number(amount).toLocaleString("en");
}

function take(amount) {
  const number = document.getElementById("amount");
  const slider = document.getElementById("slider");
  if (!number || !slider) return;
  number.value = amount;
  slider.value = amount;
  tell(amount);
}

document.addEventListener("input", (event) => {
  if (event.target.id === "slider") {
    document.getElementById("amount").value = event.target.value;
    tell(event.target.value);
  } else if (event.target.id === "amount") {
    document.getElementById("slider").value = event.target.value;
    tell(event.target.value);
  }
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-amount]");
  if (button) take(button.dataset.amount);
});
