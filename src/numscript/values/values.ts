import { type Fraction, printFraction } from "./portions.ts";
import { NAME_LENGTH_MAX } from "#numscript/limits.ts";
import type { ValueType } from "#numscript/syntax/ast.ts";

export type Value =
  | { readonly type: "account"; readonly name: string }
  | { readonly type: "asset"; readonly name: string }
  | { readonly type: "number"; readonly value: bigint }
  | { readonly type: "string"; readonly text: string }
  | Monetary
  | { readonly type: "portion"; readonly value: Fraction };

export interface Monetary {
  readonly type: "monetary";
  readonly asset: string;
  /** The amount in the smallest unit of the asset. Results of expressions may be negative. */
  readonly amount: bigint;
}

export type ValueOf<T extends ValueType> = Extract<Value, { type: T }>;

/** The text of a value in metadata, which is equal in both runtimes. */
export function printValue(value: Value): string {
  switch (value.type) {
    case "account":
    case "asset":
      return value.name;
    case "number":
      return value.value.toString();
    case "string":
      return value.text;
    case "monetary":
      return `${value.asset} ${value.amount}`;
    case "portion":
      return printFraction(value.value);
  }
}

/** The form of an account's name. */
export const ACCOUNT_PATTERN = /^[a-zA-Z0-9_-]+(:[a-zA-Z0-9_-]+)*$/;
/** The form of an asset as a value, and in postings of the interpreter. Asset literals of the machine may have another form. */
export const ASSET_PATTERN = /^[A-Z][A-Z0-9]{0,16}(_[A-Z]{1,16})?(\/\d{1,6})?$/;
/** Whether a text is the name of an account. The length is tested first, because the pattern fails on texts of megabytes. */
export const isAccountName = (text: string): boolean =>
  text.length <= NAME_LENGTH_MAX && ACCOUNT_PATTERN.test(text);

/** The account that may always give money. */
export const WORLD = "world";
