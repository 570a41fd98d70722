import { reconciliationWords } from "#console/places/reconciliation/words.ts";

type AdviceName = keyof ReturnType<typeof reconciliationWords>["advice"];

/** What the errors of evaluations have in their texts, and what helps against them; the first one that fits counts. */
const ADVICE: readonly (readonly [pattern: RegExp, advice: AdviceName])[] = [
  [/specification of the rule is refused/, "refused"],
  [/is gone, so the rule|has lost |You lack: /, "rights"],
  [/took longer than/, "slow"],
  [/checks fail, and one evaluation|outcomes have \d+ characters/, "alerts"],
  [/matches more than|more than \d+ (?:accounts|balances)/, "accounts"],
  [/have no balance at or before/, "noBalance"],
  [/missing feature/, "feature"],
  [/not found|there is no pool/i, "missing"],
];

/** What helps against the error of an evaluation, as a sentence. */
export function adviceFor(error: string): string {
  const [, name = "other"] = ADVICE.find(([pattern]) => pattern.test(error)) ?? [];
  return reconciliationWords().advice[name];
}
