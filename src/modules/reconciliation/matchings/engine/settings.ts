import type { Pass } from "#modules/reconciliation/core/matching/index.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** What a run does. A run keeps its settings, so that a change of the matching does not change a run that has begun. */
export interface RunSettings {
  readonly passes: readonly Pass[];
  /** The confidence from which a match is made without a person. */
  readonly threshold: number;
  /** The day of the run, in days since 1970-01-01, and the number of business days for which a line's partner may be late. */
  readonly today: number;
  readonly timingDays: number;
}

/** Where the next slice of a run begins. */
export type RunCursor =
  /** Pages of lines come from the sources, the left one first. */
  | { readonly phase: "collect"; readonly side: MatchSide }
  /** Proposals of earlier runs are given up, so that this run may find better ones. */
  | { readonly phase: "dissolve" }
  /** Lines that take back earlier ones of their side. */
  | { readonly phase: "reconsider"; readonly after: number }
  | { readonly phase: "offset"; readonly after: number }
  | { readonly phase: "index"; readonly pass: number; readonly after: number }
  | { readonly phase: "match"; readonly pass: number; readonly after: KeyPlace | null }
  | { readonly phase: "settle" }
  | { readonly phase: "classify"; readonly after: number };

/** A row of `pass_key`, and whether the window that it belongs to was given up. */
export interface KeyPlace {
  readonly key: string;
  readonly position: string;
  readonly line: number;
  readonly isGivingUp: boolean;
}

export const settingsText = (settings: RunSettings): string => stringifyJson(settings);

/** The settings of a stored run. */
export function settingsOf(text: string): RunSettings {
  const settings = parseJson(text) as RunSettings; // `settingsText` has written them, but small amounts are numbers in JSON.
  return { ...settings, passes: settings.passes.map(withBigints) };
}

export const passesText = (passes: readonly Pass[]): string => stringifyJson(passes);

/** The passes in a text of `passesText`. */
export const passesOf = (text: string): readonly Pass[] =>
  (parseJson(text) as readonly Pass[]).map(withBigints); // `passesText` has written them.

const withBigints = (pass: Pass): Pass => ({
  ...pass,
  amount: Object.fromEntries(
    Object.entries(pass.amount).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "number" ? BigInt(value) : value,
    ]),
  ) as unknown as Pass["amount"], // The numbers of a comparison are amounts.
});
