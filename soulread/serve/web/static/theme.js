// Dark or light: as the system says, until the reader chooses. A cookie keeps the choice, so that the server
// writes it into the next page and nothing flickers.

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Let a button change between dark and light. */
export function switchTheme(button) {
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    const chosen = now === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = chosen;
    document.cookie = `soulread-theme=${chosen}; path=/; max-age=${400 * 24 * 3600}; samesite=strict`;
  });
}
