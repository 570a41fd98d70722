import { type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { joinMemberships, type KeyTest, type Membership, readTest, toSql } from "./key-test.ts";
import type { FilterKeys } from "./keys.ts";
import { AppError } from "#platform/errors.ts";
import { type Filter, parseFilterText } from "#platform/filter/filter.ts";

/**
 * Most parameters of a filter. D1 takes 100 in a statement, and the list itself needs some. It also bounds the length of the
 * statement, and the depth of its expressions, for which D1's limit is 100 as well.
 */
export const FILTER_PARAMETERS_MAX = 80;

/**
 * So many values of lists may be parameters beside those: SQLite compares a row with a few values in a third of the time that it
 * takes to look into a list.
 */
const INLINED_MAX = 4;

/**
 * The condition of a filter in SQL, undefined for no filter. Values are parameters, and those of one list are a single one. As in
 * SQL, a test of a value that a row lacks is neither true nor false, and neither is its negation. Of a map, a name that is
 * absent is known to be absent. Throws `VALIDATION`, naming the key.
 */
export function toCondition(keys: FilterKeys, where: string | undefined): SQL | undefined {
  const filter = where === undefined ? undefined : parseFilterText(where);
  return filter === undefined ? undefined : new Compiler(keys).compile(filter);
}

/** Counts the parameters of statements; it has no state. */
const DIALECT = new SQLiteSyncDialect();

class Compiler {
  readonly #keys: FilterKeys;
  #parameters = 0;
  #inlined = 0;

  constructor(keys: FilterKeys) {
    this.#keys = keys;
  }

  compile(filter: Filter): SQL {
    switch (filter.kind) {
      case "all":
        return this.#joined(
          "AND",
          filter.filters.map((it) => this.compile(it)),
        );
      case "any":
        return this.#joined("OR", this.#alternatives(filter.filters));
      case "not":
        return sql`NOT (${this.compile(filter.filter)})`;
      case "test":
        return this.#tested(readTest(this.#keys, filter));
    }
  }

  /** Alternatives that name values of the same key are one list: `$or` of many `$match` is as good as `$in`. */
  #alternatives(filters: readonly Filter[]): SQL[] {
    const lists: Membership[] = [];
    const others: SQL[] = [];
    for (const filter of filters) {
      const test = filter.kind === "test" ? readTest(this.#keys, filter) : undefined;
      if (test === undefined) others.push(this.compile(filter));
      else if (test.kind === "membership") lists.push(test);
      else others.push(this.#counted(test.condition));
    }
    return [...joinMemberships(lists).map((it) => this.#tested(it)), ...others];
  }

  #tested(test: KeyTest): SQL {
    const condition = this.#counted(toSql(test));
    const count = test.kind === "membership" ? new Set(test.values).size : 0;
    if (count < 2 || this.#inlined + count > INLINED_MAX) return condition;
    this.#inlined += count;
    return toSql(test, count);
  }

  /** A tree whose depth grows with the logarithm of the number of conditions, where a chain's is that number. */
  #joined(operator: "AND" | "OR", conditions: readonly SQL[]): SQL {
    const [only] = conditions;
    // An empty list is always true, for both operators.
    if (only === undefined) return this.#counted(sql`TRUE`);
    if (conditions.length === 1) return only;
    const middle = Math.ceil(conditions.length / 2);
    const left = this.#joined(operator, conditions.slice(0, middle));
    const right = this.#joined(operator, conditions.slice(middle));
    return sql`(${left} ${sql.raw(operator)} ${right})`;
  }

  /** A condition without parameters counts as one with one, because it makes the statement deeper, too. */
  #counted(condition: SQL): SQL {
    this.#parameters += Math.max(1, DIALECT.sqlToQuery(condition).params.length);
    if (this.#parameters <= FILTER_PARAMETERS_MAX) return condition;
    throw new AppError(
      "VALIDATION",
      `the filter has more than ${FILTER_PARAMETERS_MAX} values to compare with, where a list of $in counts as one`,
    );
  }
}
