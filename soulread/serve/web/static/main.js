// What every page has: pieces that are put in place, dark and light, the list of keys.
import { follow } from "./pieces.js";
import { listKeys } from "./keys.js";
import { switchTheme } from "./theme.js";

follow();
switchTheme(document.querySelector("[data-theme-switch]"));
listKeys(document.querySelector("[data-help]"), document.getElementById("help"));
