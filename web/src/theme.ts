// SPDX-License-Identifier: Apache-2.0
// The reader's system decides between light and dark, until the toggle or ?theme=dark overrules it.
import {h} from "./dom";

type Theme = "light" | "dark";

export function themeToggle(): HTMLElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const asked = new URLSearchParams(location.search).get("theme");
  let chosen: Theme | undefined = asked === "light" || asked === "dark" ? asked : undefined;
  const current = (): Theme => chosen ?? (system.matches ? "dark" : "light");
  const apply = () => {
    document.documentElement.dataset["theme"] = current();
    button.textContent = current() === "dark" ? "Light theme" : "Dark theme";
  };
  const button = h("button", {
    type: "button", class: "quiet", click: () => {
      chosen = current() === "dark" ? "light" : "dark";
      apply();
    },
  });
  system.addEventListener("change", apply);
  apply();
  return button;
}
