import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { inProject } from "#scripts/lib/project.ts";

/** Texts that a page must show without harm, by what they try. */
export const HOSTILE_TEXTS = {
  /** Makes elements and runs scripts. */
  markup: '<img src=x onerror="hit=1"><script>hit=1</script>',
  /** Changes the order of the text around it: letters from right to left, an override and isolates. */
  rtl: "\u05D0\u05D1\u202Egnp\u2066.\u2069\u2067exe\u05D2",
  /** Is wider than every window. */
  long: "W".repeat(10_000),
  /** Has a character that ends texts in other programs. */
  nul: "before\u0000after",
} as const;

export type HostileForm = keyof typeof HOSTILE_TEXTS;

/** How the text of letters from right to left is shown: its hidden characters are not in effect, and visible. */
export const SHOWN_RTL = "\u05D0\u05D1\\u202egnp\\u2066.\\u2069\\u2067exe\u05D2";

const FAULTS = readFileSync(inProject("test/support/console/hostile/page-faults.js"), "utf8");

/** What is wrong with the page as it shows such texts, in sentences. */
export const faultsOf = (page: Page): Promise<string[]> => page.evaluate<string[]>(FAULTS);
