import { effect, signal } from "@preact/signals";

const system = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark: the system's choice, until the user changes it. */
export const theme = signal(system.matches ? "dark" : "light");

export function switchTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
}

/** From now on the page follows the theme. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  system.addEventListener("change", () => (theme.value = system.matches ? "dark" : "light"));
}
