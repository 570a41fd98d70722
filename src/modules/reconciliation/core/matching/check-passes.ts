import type { AmountComparison, KeyComparison, Pass } from "./pass.ts";
import { invalid } from "#modules/reconciliation/core/fields.ts";
import { stringifyJson } from "#platform/json.ts";

/** Most passes of a matching, keys of a pass, and steps of a key. */
export const PASSES_MAX = 20;
export const KEYS_MAX = 8;
export const STEPS_MAX = 4;

/** Longest name of a pass, in characters. */
export const PASS_NAME_LENGTH_MAX = 100;

/** Most lines of one side that a pass groups. */
export const GROUP_LINES_MAX = 1000;

/** Longest distance of days that belong together. */
export const DAYS_APART_MAX = 366;

/** Longest text that a prefix keeps, and largest least length of a text, in characters. */
export const TEXT_LENGTH_MAX = 200;

/** A tolerance is at most the half of an amount, and a fee less than the whole, in millionths. */
export const TOLERANCE_MILLIONTHS_MAX = 500_000n;
export const FEE_MILLIONTHS_MAX = 999_999n;

/**
 * Refuses passes that could never match anything, or that repeat an earlier one. Throws `VALIDATION`, naming the pass. That numbers are
 * within their limits is a matter of schemas.
 */
export function assertPasses(passes: readonly Pass[]): void {
  if (passes.length === 0) throw invalid("passes: a matching has at least one pass");
  if (passes.length > PASSES_MAX)
    throw invalid(`passes: a matching has at most ${PASSES_MAX} passes`);
  const names = new Set<string>();
  const rules = new Map<string, string>();
  for (const pass of passes) {
    const { name } = pass;
    if (names.has(name)) throw invalid(`passes: two passes have the name '${name}'`);
    names.add(name);
    const why = whyHopeless(pass);
    if (why !== undefined) throw invalid(`the pass '${name}' can never match anything: ${why}`);
    const rule = ruleText(pass);
    const earlier = rules.get(rule);
    if (earlier !== undefined)
      throw invalid(
        `the pass '${name}' can never match anything: the pass '${earlier}' says the same and comes first`,
      );
    rules.set(rule, name);
  }
}

/** Why a pass can never match anything; undefined for one that can. */
function whyHopeless(pass: Pass): string | undefined {
  const { cardinality, keys, groupMax } = pass;
  if (cardinality === "1:1" && groupMax !== 1) return "pairs have a groupMax of 1";
  if (cardinality !== "1:1" && groupMax < 2) return `${cardinality} needs a groupMax of 2 or more`;
  if (cardinality === "n:m" && keys.length === 0)
    return "n:m needs a key, because all lines of a key are one group";
  return (
    whyAmountHopeless(pass.amount) ?? keys.map(whyKeyHopeless).find((why) => why !== undefined)
  );
}

const whyAmountHopeless = (amount: AmountComparison): string | undefined =>
  amount.kind === "fee" && amount.fixed === 0n && amount.millionths === 0n
    ? "a fee of nothing is the amount itself, which the comparison `equal` finds"
    : undefined;

function whyKeyHopeless({ left, right, normalise, lengthMin }: KeyComparison): string | undefined {
  const shortest = Math.min(
    ...normalise.map((step) => (step.kind === "prefix" ? step.length : Infinity)),
  );
  return shortest < lengthMin
    ? `its key ${left}=${right} keeps ${shortest} characters of a text and needs ${lengthMin}`
    : undefined;
}

/** What a pass compares, whatever its name and confidence are. */
const ruleText = ({ name: _name, confidence: _confidence, ...rule }: Pass): string =>
  stringifyJson(rule);
