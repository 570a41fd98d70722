/** The colour scheme that the person has chosen; `system` follows the system. */
export type Scheme = "system" | "light" | "dark";

const SCHEME_KEY = "florin-scheme";

export function chosenScheme(): Scheme {
  const stored = localStorage.getItem(SCHEME_KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function chooseScheme(scheme: Scheme): void {
  localStorage.setItem(SCHEME_KEY, scheme);
  applyScheme();
}

/** Sets the scheme on the root element, from which all colours follow. */
export function applyScheme(): void {
  document.documentElement.dataset["scheme"] = chosenScheme();
}
