import type { SQL, SQLWrapper } from "drizzle-orm";

/** The keys that the filters of a list may test, under the names that clients use for them. */
export type FilterKeys = Readonly<Record<string, FilterKey>>;

export type FilterKey = ScalarKey | MapKey | CustomKey;

/** A key with one value in each row. A key whose value a row may lack is nullable and takes `$exists`. */
export type ScalarKey = { readonly nullable?: boolean } & (
  | Key<"text">
  /** A text of a closed set. A filter may name any text; a text outside of the set finds nothing. */
  | Key<"set">
  /** An integer below 2^53, in an INTEGER column. */
  | Key<"integer">
  /** An integer of any size, in a TEXT column with its decimal digits: `-5`, `0`, `12`. */
  | Key<"bigint">
  /** A timestamp of `platform/time.ts`, in a TEXT column. */
  | Key<"date">
  /** 0 or 1, in an INTEGER column. */
  | Key<"boolean">
);

/** A key with many values in each row: a JSON object of texts, in a TEXT column. `key[name]` tests the value of one name. */
export type MapKey =
  | Key<"map">
  /** A map that also answers whether it has a name: `{"$exists": {"metadata": "channel"}}`. */
  | Key<"metadata">;

/** A key that takes `$match` and `$in`, and whose conditions the module writes: for example, an id that is spread over columns. */
export interface CustomKey {
  readonly type: "custom";
  /** Whether the key has members, as maps do: `key[name]`. */
  readonly isMap?: boolean;
  /** The test whether a row, or its member `name`, has the value: true or false, or unknown for a row without a value. */
  readonly matches: (value: string, name: string) => SQL;
}

interface Key<T extends FilterKeyType> {
  readonly type: T;
  /** A column, or an expression without parameters. */
  readonly column: SQLWrapper;
  /** The operators of the key, where they differ from those of its type. */
  readonly operators?: readonly (Operators[T] | ComparisonOf<T> | "$exists")[];
}

/** Comparisons of texts, by their bytes, are allowed only where a key names them. */
type ComparisonOf<T> = T extends "text" ? (typeof COMPARISON)[number] : never;

export type FilterKeyType = keyof typeof OPERATORS;
type Operators = { readonly [T in FilterKeyType]: (typeof OPERATORS)[T][number] };

const EQUALITY = ["$match", "$in"] as const;
export const COMPARISON = [...EQUALITY, "$lt", "$lte", "$gt", "$gte"] as const;

export const OPERATORS = {
  text: [...EQUALITY, "$like"],
  set: EQUALITY,
  integer: COMPARISON,
  bigint: COMPARISON,
  date: COMPARISON,
  boolean: ["$match"],
  map: EQUALITY,
  metadata: [...EQUALITY, "$like", "$exists"],
} as const;
