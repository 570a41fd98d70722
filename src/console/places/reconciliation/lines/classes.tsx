import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { OpenClass } from "#console/places/reconciliation/queries/matchings.ts";

/** The classes in which lines are open, in the order in which they need people. */
export const OPEN_CLASSES: readonly OpenClass[] = [
  "missing_left",
  "missing_right",
  "amount",
  "duplicate",
  "currency",
  "fee",
  "unknown",
  "timing",
  "unclassified",
];

/** Why a line is open, in words. */
export const ClassName = ({ name = "unclassified" }: { readonly name?: OpenClass | undefined }) => (
  <span title={matchingWords().classMeaning[name]}>{matchingWords().class[name]}</span>
);
