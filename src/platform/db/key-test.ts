import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type CustomKey, type FilterKeys, type MapKey, OPERATORS, type ScalarKey } from "./keys.ts";
import { likeCondition } from "./like-sql.ts";
import type { FilterValue } from "#platform/filter/filter.ts";
import {
  booleanOf,
  dateOf,
  integerOf,
  membersOf,
  notAllowed,
  type ParsedTest,
  parseKey,
  patternOf,
  textOf,
  unknownKey,
} from "#platform/filter/operands.ts";
import { stringifyJson } from "#platform/json.ts";

/** A test of a key, in SQL. */
export type KeyTest = Membership | { readonly kind: "condition"; readonly condition: SQL };

/** The test whether a value is in a list. The list stays apart from SQL, so that lists of one key can be joined. */
export interface Membership {
  readonly kind: "membership";
  readonly key: string;
  readonly subject: Subject;
  readonly values: readonly Value[];
}

/** A value that is a parameter, or an element of a JSON list. */
type Value = string | number;

/** A key whose values this file reads and compares. */
type ValueKey = ScalarKey | MapKey;

/** The subject of a test: the value of a column, or of a member of a map. */
interface Subject {
  readonly operand: SQLWrapper;
  readonly exists: SQL;
  /** The test of a condition on the operand. */
  readonly where: (condition: SQL) => SQL;
}

/** Checks a test against the keys of a list. Throws `VALIDATION`, naming the key. */
export function readTest(keys: FilterKeys, test: ParsedTest): KeyTest {
  const { base, name } = parseKey(test.key);
  const key = Object.hasOwn(keys, base) ? keys[base] : undefined;
  if (key === undefined) throw unknownKey(test);
  if (key.type === "custom") return readCustomTest(key, name, test);
  if (key.type === "map" || key.type === "metadata") return readMapTest(key, name, test);
  if (name !== undefined) throw unknownKey(test);
  // The column may be an expression, which needs parentheses.
  const operand = sql`(${key.column})`;
  return readSubjectTest(key, test, {
    operand,
    exists: sql`${operand} IS NOT NULL`,
    where: (condition) => condition,
  });
}

function readCustomTest(
  { isMap = false, matches }: CustomKey,
  name: string | undefined,
  test: ParsedTest,
): KeyTest {
  if (isMap !== (name !== undefined)) throw unknownKey(test);
  const values = [...new Set(membersOf(test, textOf))];
  const conditions = values.map((value) => matches(value, name ?? ""));
  return conditionOf(
    conditions.length === 0 ? sql`FALSE` : sql`(${sql.join(conditions, sql` OR `)})`,
  );
}

/** Reads a test of a map. On the map itself, `$exists` and `$match` take a name. */
function readMapTest(key: MapKey, name: string | undefined, test: ParsedTest): KeyTest {
  if (name !== undefined) return readSubjectTest(key, test, memberOf(key, name));
  if (key.type === "map") throw unknownKey(test);
  if (test.operator !== "$exists" && test.operator !== "$match") throw notAllowed(test);
  return conditionOf(memberOf(key, textOf(test, test.value)).exists);
}

/** The member of a map. Names are compared, because a JSON path cannot express every name. */
function memberOf({ column }: MapKey, name: string): Subject {
  const member = sql`SELECT 1 FROM json_each(${column}) AS member WHERE member.key = ${name}`;
  return {
    operand: sql`member.value`,
    exists: sql`EXISTS (${member})`,
    where: (condition) => sql`EXISTS (${member} AND ${condition})`,
  };
}

function readSubjectTest(key: ValueKey, test: ParsedTest, subject: Subject): KeyTest {
  const { operator, value } = test;
  if (!operatorsOf(key).includes(operator)) throw notAllowed(test);
  const { operand, exists, where } = subject;
  switch (operator) {
    case "$match":
    case "$in": {
      const values = membersOf(test, readerOf(key));
      return { kind: "membership", key: test.key, subject, values };
    }
    case "$exists":
      return conditionOf(booleanOf(test, value) ? exists : sql`NOT (${exists})`);
    case "$like":
      return conditionOf(where(likeCondition(operand, patternOf(test), test.key)));
    case "$lt":
    case "$lte":
    case "$gt":
    case "$gte": {
      const relation = RELATIONS[operator];
      return conditionOf(
        key.type === "bigint"
          ? compareDigits(operand, relation, integerOf(test, value))
          : sql`${operand} ${sql.raw(relation)} ${readerOf(key)(test, value)}`,
      );
    }
  }
}

const conditionOf = (condition: SQL): KeyTest => ({ kind: "condition", condition });

function operatorsOf(key: ValueKey): readonly string[] {
  if (key.operators !== undefined) return key.operators;
  const operators = OPERATORS[key.type];
  return "nullable" in key && key.nullable ? [...operators, "$exists"] : operators;
}

/** The function that reads a value in the form in which the table stores it. */
function readerOf(key: ValueKey): (test: ParsedTest, value: FilterValue) => Value {
  switch (key.type) {
    case "text":
    case "set":
    case "map":
    case "metadata":
      return textOf;
    case "integer":
      return (test, value) => toNumber(integerOf(test, value));
    case "bigint":
      return (test, value) => integerOf(test, value).toString();
    case "date":
      return dateOf;
    case "boolean":
      return (test, value) => (booleanOf(test, value) ? 1 : 0);
  }
}

/** A bound beyond all integers of a table. */
const NUMBER_MAX = 2 ** 53;

const toNumber = (integer: bigint): number =>
  Math.max(-NUMBER_MAX, Math.min(NUMBER_MAX, Number(integer)));

const RELATIONS = { $lt: "<", $lte: "<=", $gt: ">", $gte: ">=" } as const;
type Relation = (typeof RELATIONS)[keyof typeof RELATIONS];
const OPPOSITES = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" } as const;

/**
 * Compares decimal texts as integers. A sign comes before all digits, so that a text below `0` is negative. Of two texts with
 * the same sign, the longer one is farther from zero; of two with the same length, the greater one. The length decides most
 * rows, and in bytes it is known without reading the text.
 */
function compareDigits(operand: SQLWrapper, relation: Relation, integer: bigint): SQL {
  const isLess = relation === "<" || relation === "<=";
  const isNegative = integer < 0n;
  const digits = integer.toString();
  const sign = isLess ? sql`${operand} < '0'` : sql`${operand} >= '0'`;
  const distance = isNegative ? OPPOSITES[relation] : relation;
  const isLonger = distance === ">" || distance === ">=";
  const lengthIs = (than: string): SQL =>
    sql`octet_length(${operand}) ${sql.raw(`${than} ${digits.length}`)}`;
  const [orEqual, strictly] = isLonger ? [">=", ">"] : ["<=", "<"];
  const isBeyond = sql`${lengthIs(orEqual)} AND (${lengthIs(strictly)} OR ${operand} ${sql.raw(distance)} ${digits})`;
  return isLess === isNegative ? sql`(${isBeyond} AND ${sign})` : sql`(${sign} OR (${isBeyond}))`;
}

/** A test as a condition. A list of at most `inlinedMax` values has a parameter for each value. */
export const toSql = (test: KeyTest, inlinedMax = 1): SQL =>
  test.kind === "membership"
    ? isOneOf(test.subject, { values: [...new Set(test.values)], inlinedMax })
    : test.condition;

function isOneOf(
  { operand, where }: Subject,
  { values, inlinedMax }: { readonly values: readonly Value[]; readonly inlinedMax: number },
): SQL {
  const [only] = values;
  // No value is in an empty list. As any other test, the inequality is unknown for an absent value.
  if (only === undefined) return where(sql`${operand} <> ${operand}`);
  // An equality lets an index give rows in the order of the list.
  if (values.length === 1) return where(sql`${operand} = ${only}`);
  if (values.length <= inlinedMax) {
    const equalities = values.map((value) => sql`${operand} = ${value}`);
    return where(sql`(${sql.join(equalities, sql` OR `)})`);
  }
  return where(sql`${operand} IN (SELECT value FROM json_each(${stringifyJson(values)}))`);
}

/** Merges the tests of each key into one test with the values of all. */
export function joinMemberships(tests: readonly Membership[]): Membership[] {
  return [...Map.groupBy(tests, ({ key }) => key).values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [{ ...first, values: group.flatMap(({ values }) => values) }];
  });
}
