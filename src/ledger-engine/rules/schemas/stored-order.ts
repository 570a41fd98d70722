import type { QueryTemplate, QueryTemplates } from "./queries.ts";
import { compareBytes } from "#ledger-engine/rules/canonical.ts";

/** Compares names of parameters in the order of PostgreSQL's `jsonb`: by length, then by bytes. */
const compareStored = (a: string, b: string): number => a.length - b.length || compareBytes(a, b);

export const isInStoredOrder = (names: readonly string[]): boolean =>
  names.every((name, index) => index === 0 || compareStored(names[index - 1] ?? "", name) < 0);

/** Queries with their parameters in the order in which the reference server stores and exports them. */
export const inStoredOrder = (queries: QueryTemplates): QueryTemplates =>
  new Map([...queries].map(([id, query]) => [id, withStoredOrder(query)]));

function withStoredOrder(query: QueryTemplate): QueryTemplate {
  const entries = Object.entries(query.givenParams);
  const sorted = entries.toSorted(([a], [b]) => compareStored(a, b));
  return { ...query, givenParams: Object.fromEntries(sorted) };
}
