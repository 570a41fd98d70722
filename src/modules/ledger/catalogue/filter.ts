import { and, type Column, eq, gte, inArray, lt, or, type SQL, sql } from "drizzle-orm";
import type { Ledger } from "./ledger.ts";
import { ledgers } from "./tables.ts";
import { compileFilter, testsOf, type FilterTest, type LedgerFilter } from "#ledger-engine";
import { likeMatcher, likePrefix } from "#platform/filter/like.ts";
import { stringifyJson } from "#platform/json.ts";

/**
 * How the ledgers of a filter are found: `condition` only excludes ledgers that cannot match, and `matches` decides.
 */
export interface CatalogueFilter {
  readonly condition: SQL | undefined;
  readonly matches: (ledger: Ledger) => boolean;
}

/** Most tests that go into SQL: a statement of D1 has 100 parameters and expressions of depth 100. */
const CONDITIONS_MAX = 20;

export function compileCatalogueFilter(filter: LedgerFilter | undefined): CatalogueFilter {
  if (filter === undefined) return { condition: undefined, matches: () => true };
  const isSmall = [...testsOf(filter)].length <= CONDITIONS_MAX;
  return {
    condition: isSmall ? toCondition(filter) : undefined,
    matches: compileFilter(filter, compileTest),
  };
}

/** The part of a filter that SQL can test with an index; undefined if there is none. */
function toCondition(filter: LedgerFilter): SQL | undefined {
  switch (filter.kind) {
    case "all":
      return and(...filter.filters.map(toCondition));
    case "any": {
      const conditions = filter.filters.map(toCondition);
      return conditions.includes(undefined) ? undefined : or(...conditions);
    }
    case "text":
      return isOneOf(columnOf(filter.key), filter.values);
    case "like":
      return startsWith(columnOf(filter.key), likePrefix(filter.pattern));
    default:
      return undefined;
  }
}

const columnOf = (key: string): Column => (key === "bucket" ? ledgers.bucket : ledgers.name);

/** One value is an equality of its own, by which an index gives rows in the order of ids. */
function isOneOf(column: Column, values: readonly string[]): SQL {
  const [only] = values;
  if (only !== undefined && values.length === 1) return eq(column, only);
  return inArray(column, sql`(SELECT value FROM json_each(${stringifyJson(values)}))`);
}

/** Names are of ASCII letters, digits, `_` and `-`, all of which come before `~`. */
const startsWith = (column: Column, prefix: string): SQL | undefined =>
  prefix === "" ? undefined : and(gte(column, prefix), lt(column, `${prefix}~`));

function compileTest(test: FilterTest): (ledger: Ledger) => boolean {
  switch (test.kind) {
    case "text":
    case "like": {
      const matches = test.kind === "text" ? membership(test.values) : likeMatcher(test.pattern);
      return test.key === "bucket" ? ({ bucket }) => matches(bucket) : ({ name }) => matches(name);
    }
    case "feature":
      return memberTest(({ features }) => ({ ...features }), test.name, membership(test.values));
    case "metadata":
      return memberTest(metadataOf, test.name, membership(test.values));
    case "metadataLike":
      return memberTest(metadataOf, test.name, likeMatcher(test.pattern));
    case "metadataExists":
      return memberTest(metadataOf, test.name, () => true);
    default:
      throw new Error(`ledgers have no ${test.kind}`);
  }
}

const metadataOf = ({ metadata }: Ledger) => metadata;

/** Tests a member of a map. One that is not there does not match, and its negation does. */
function memberTest(
  mapOf: (ledger: Ledger) => Readonly<Record<string, string>>,
  name: string,
  matches: (value: string) => boolean,
): (ledger: Ledger) => boolean {
  return (ledger) => {
    const map = mapOf(ledger);
    const value = Object.hasOwn(map, name) ? map[name] : undefined;
    return value !== undefined && matches(value);
  };
}

function membership(values: readonly string[]): (value: string) => boolean {
  const members = new Set(values);
  return (value) => members.has(value);
}
