import { effect, signal } from "@preact/signals";

const system = matchMedia("(prefers-color-scheme: dark)");

/** Light or dark: as the system has it, until somebody says otherwise. */
export const theme = signal(system.matches ? "dark" : "light");

export function switchTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
}

/** From now on the page wears the theme. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
  system.addEventListener("change", () => (theme.value = system.matches ? "dark" : "light"));
}
