import type { Needs, SegmentTerms } from "#modules/payments/core/terms/segment-terms.ts";

/** A filter with more terms would make a statement that is too long, and an expression that is too deep. */
const TERMS_MAX = 48;

/** Whether a segment has what rows need, in SQL; undefined where that would be too long. */
export function hasAll(terms: SegmentTerms, needs: Needs): string | undefined {
  return countTerms(needs) > TERMS_MAX ? undefined : toSql(terms, needs);
}

const countTerms = (needs: Needs): number =>
  needs.kind === "one" ? needs.terms.length : needs.of.reduce((sum, it) => sum + countTerms(it), 0);

function toSql(terms: SegmentTerms, needs: Needs): string {
  if (needs.kind === "one") return hasOneOf(terms, needs.terms);
  const operator = needs.kind === "all" ? " AND " : " OR ";
  return `(${needs.of.map((it) => toSql(terms, it)).join(operator)})`;
}

/** Whether a segment has one of some terms. Bits of one number are tested together. */
function hasOneOf(terms: SegmentTerms, wanted: readonly string[]): string {
  const single = new Map<number, bigint>();
  const tests: string[] = [];
  for (const term of wanted) {
    const words = [...terms.bitsOf(term)];
    const [only] = words;
    if (words.length === 1 && only !== undefined && isOneBit(only[1])) {
      single.set(only[0], (single.get(only[0]) ?? 0n) | only[1]);
    } else {
      tests.push(words.map(([word, bits]) => `(w${word} & ${bits}) = ${bits}`).join(" AND "));
    }
  }
  for (const [word, bits] of single) tests.push(`(w${word} & ${bits}) <> 0`);
  return tests.length === 0 ? "FALSE" : `((${tests.join(") OR (")}))`;
}

const isOneBit = (bits: bigint): boolean => (bits & (bits - 1n)) === 0n;
