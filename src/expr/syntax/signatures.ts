import type { PredicateFunction } from "./ast.ts";

/** The least and the largest number of arguments, both allowed; `Infinity` for no largest number. */
export type Arity = readonly [least: number, most: number];

/** The arities of built-in functions whose arguments are values. */
export const ARITIES = {
  // Collections
  len: [1, 1],
  first: [1, 1],
  last: [1, 1],
  take: [2, 2],
  reverse: [1, 1],
  sort: [1, 2],
  mean: [1, Infinity],
  median: [1, Infinity],
  min: [1, Infinity],
  max: [1, Infinity],
  concat: [1, Infinity],
  flatten: [1, 1],
  uniq: [1, 1],
  join: [1, 2],
  get: [2, 2],
  keys: [1, 1],
  values: [1, 1],
  toPairs: [1, 1],
  fromPairs: [1, 1],
  // Strings
  trim: [1, 2],
  trimPrefix: [1, 2],
  trimSuffix: [1, 2],
  upper: [1, 1],
  lower: [1, 1],
  split: [2, 3],
  splitAfter: [2, 3],
  replace: [3, 4],
  repeat: [2, 2],
  indexOf: [2, 2],
  lastIndexOf: [2, 2],
  hasPrefix: [2, 2],
  hasSuffix: [2, 2],
  // Numbers
  abs: [1, 1],
  ceil: [1, 1],
  floor: [1, 1],
  round: [1, 1],
  int: [1, 1],
  float: [1, 1],
  bitand: [2, 2],
  bitor: [2, 2],
  bitxor: [2, 2],
  bitnand: [2, 2],
  bitnot: [1, 1],
  bitshl: [2, 2],
  bitshr: [2, 2],
  bitushr: [2, 2],
  // Conversion
  string: [1, 1],
  type: [1, 1],
  toJSON: [1, 1],
  fromJSON: [1, 1],
  toBase64: [1, 1],
  fromBase64: [1, 1],
  // Dates
  now: [0, 0],
  date: [1, 3],
  duration: [1, 1],
  timezone: [1, 1],
} as const satisfies Readonly<Record<string, Arity>>;

/** A built-in function whose arguments are values. Functions with a predicate are of the type `PredicateFunction`. */
export type BuiltinFunction = keyof typeof ARITIES;

/** The arities of built-in functions that evaluate a predicate for each element of an array, their first argument. */
export const PREDICATE_ARITIES: Readonly<Record<PredicateFunction, Arity>> = {
  all: [2, 2],
  any: [2, 2],
  none: [2, 2],
  one: [2, 2],
  map: [2, 2],
  filter: [2, 2],
  count: [1, 2],
  sum: [1, 2],
  groupBy: [2, 2],
  sortBy: [2, 3],
  find: [2, 2],
  findIndex: [2, 2],
  findLast: [2, 2],
  findLastIndex: [2, 2],
  reduce: [2, 3],
};

export const isBuiltinFunction = (name: string): name is BuiltinFunction =>
  Object.hasOwn(ARITIES, name);
export const isPredicateFunction = (name: string): name is PredicateFunction =>
  Object.hasOwn(PREDICATE_ARITIES, name);
