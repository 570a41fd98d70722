import { type SQL, sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { joinMemberships, type KeyTest, type Membership, readTest, toSql } from "./key-test.ts";
import type { FilterKeys } from "./keys.ts";
import { AppError } from "#platform/errors.ts";
import { type Filter, parseFilterText } from "#platform/filter/filter.ts";

/**
 * Most parameters of a filter. D1 takes 100 in a statement, and the list itself needs some. The limit also bounds the length of the
 * statement and the depth of its expressions, for which D1's limit is 100 as well.
 */
export const FILTER_PARAMETERS_MAX = 80;

/**
 * Most values of lists that are inlined as parameters of their own: SQLite compares a row with a few values in a third of the time that a
 * lookup in a list takes.
 */
const INLINED_MAX = 4;

/**
 * The condition of a filter in SQL, undefined for no filter. Values are parameters, and the values of one list are a single parameter. As
 * in SQL, a test of a value that a row lacks is neither true nor false, and neither is its negation. A test of a name that a map lacks is
 * false, and its negation is true. Throws `VALIDATION`, naming the key.
 */
export function toCondition(keys: FilterKeys, where: string | undefined): SQL | undefined {
  const filter = where === undefined ? undefined : parseFilterText(where);
  return filter === undefined ? undefined : new Compiler(keys).compile(filter);
}

/** The dialect that counts the parameters of statements. A dialect has no state. */
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

  /**
   * Conditions of an `$or`. Alternatives that name values of one key are merged into one list, so that `$or` of many `$match` costs as much
   * as `$in`.
   */
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

  /**
   * Conditions joined as a balanced tree. The depth of the tree is the logarithm of the number of conditions; the depth of a chain would be
   * the number itself.
   */
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

  /** Counts the parameters of a condition, at least one: a condition without parameters makes the statement deeper, too. */
  #counted(condition: SQL): SQL {
    this.#parameters += Math.max(1, DIALECT.sqlToQuery(condition).params.length);
    if (this.#parameters <= FILTER_PARAMETERS_MAX) return condition;
    throw new AppError(
      "VALIDATION",
      `the filter has more than ${FILTER_PARAMETERS_MAX} values to compare with; a list of $in counts as one`,
    );
  }
}
