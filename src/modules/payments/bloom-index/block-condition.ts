import type { BloomLayout, TermQuery } from "#modules/payments/core/bloom/bloom-layout.ts";

/** A query with more terms would make a statement that is too long, and an expression that is too deep. */
const TERMS_MAX = 48;

/** The SQL condition that a block may contain a row which answers a query; undefined for a query of too many terms. */
export function blockCondition(layout: BloomLayout, query: TermQuery): string | undefined {
  return countTerms(query) > TERMS_MAX ? undefined : toSql(layout, query);
}

const countTerms = (query: TermQuery): number =>
  query.kind === "anyTerm"
    ? query.terms.length
    : query.queries.reduce((sum, it) => sum + countTerms(it), 0);

function toSql(layout: BloomLayout, query: TermQuery): string {
  if (query.kind === "anyTerm") return hasAnyTerm(layout, query.terms);
  const operator = query.kind === "all" ? " AND " : " OR ";
  return `(${query.queries.map((it) => toSql(layout, it)).join(operator)})`;
}

/** The condition that a block may contain one of some terms. Terms of a single bit in the same word are one test. */
function hasAnyTerm(layout: BloomLayout, terms: readonly string[]): string {
  const single = new Map<number, bigint>();
  const tests: string[] = [];
  for (const term of terms) {
    const masks = [...layout.masksOf(term)];
    const [only] = masks;
    if (masks.length === 1 && only !== undefined && isOneBit(only[1])) {
      single.set(only[0], (single.get(only[0]) ?? 0n) | only[1]);
    } else {
      tests.push(masks.map(([word, mask]) => `(w${word} & ${mask}) = ${mask}`).join(" AND "));
    }
  }
  for (const [word, mask] of single) tests.push(`(w${word} & ${mask}) <> 0`);
  return tests.length === 0 ? "FALSE" : `((${tests.join(") OR (")}))`;
}

const isOneBit = (mask: bigint): boolean => (mask & (mask - 1n)) === 0n;
