import { decimalSource } from "#platform/json.ts";
import { printable } from "#scripts/florin/printable.ts";

/** An item of an answer of the API. */
export type ApiItem = Readonly<Record<string, unknown>>;

/** What a column or a line shows of an item: the member at a path such as `config.name`, or what a function says. */
export type Shown = string | ((item: ApiItem) => unknown);

/** Columns or lines by their titles, in their order. */
export type ShownFields = Readonly<Record<string, Shown>>;

/** A field with an amount and its asset, such as `100 USD/2`: the form in which commands take amounts, too. */
export const money =
  (amount = "amount", asset = "asset"): Shown =>
  (item) =>
    moneyText(item[amount], item[asset]);

export const moneyText = (amount: unknown, asset: unknown): string =>
  amount === undefined || amount === null ? "" : `${textOf(amount)} ${textOf(asset)}`;

/** The amounts of an object of assets, such as `{"USD/2": 100}`. */
export const moneys = (amounts: unknown): string[] =>
  isObject(amounts)
    ? Object.entries(amounts).map(([asset, amount]) => moneyText(amount, asset))
    : [];

export const isObject = (value: unknown): value is ApiItem =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a field shows of an item. */
export function shownOf(item: unknown, field: Shown): unknown {
  if (typeof field !== "string") return isObject(item) ? field(item) : undefined;
  let value = item;
  for (const name of field.split(".")) value = isObject(value) ? value[name] : undefined;
  return value;
}

/** The cells of an item in a table. */
export const cellsOf = (item: unknown, fields: ShownFields): string[] =>
  Object.values(fields).map((field) => textOf(shownOf(item, field)));

/** The titles and values of an item, one in each row. A list has a row for each of its items, and an object for each of its members. */
export const rowsOf = (item: unknown, fields: ShownFields): string[][] =>
  Object.entries(fields).flatMap(([title, field]) =>
    valuesIn(shownOf(item, field)).map((text) => [title, text]),
  );

function valuesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf);
  if (isObject(value)) return Object.entries(value).map(([key, item]) => pairText(": ", key, item));
  const text = textOf(value);
  return text === "" ? [] : [text];
}

/** A value as a text of one line. Members of an object are joined by `=`, items of lists and members by spaces. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return printable(value);
  if (typeof value === "symbol") return decimalSource(value);
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (isObject(value)) {
    return Object.entries(value)
      .map(([key, item]) => pairText("=", key, item))
      .join(" ");
  }
  const isScalar =
    typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
  return isScalar ? String(value) : "";
}

const pairText = (sign: string, key: string, value: unknown): string =>
  `${printable(key)}${sign}${textOf(value)}`;
