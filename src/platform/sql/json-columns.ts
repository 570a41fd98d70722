import { stringifyJson } from "#platform/json.ts";

/** Arrays of a JSON parameter, whose places have names. */
export interface JsonColumns<Name extends string> {
  /** The JSON of a row: an array of its values without the names. */
  readonly rowText: (row: Readonly<Record<Name, unknown>>) => string;
  /** The SQL of each value, such as `value ->> 1`, in a statement that reads `json_each(?)`. */
  readonly items: Readonly<Record<Name, string>>;
}

/**
 * Names for the places of rows that a statement takes as one JSON parameter:
 *
 *     const { rowText, items } = jsonColumns("sequence", "item");
 *     sql.all(`INSERT INTO entry SELECT ${items.sequence}, ${items.item} FROM json_each(?)`, `[${rows.map(rowText).join()}]`);
 */
export const jsonColumns = <Name extends string>(...names: readonly Name[]): JsonColumns<Name> => ({
  rowText: (row) => stringifyJson(names.map((name) => row[name])),
  // The record has one entry for each name.
  items: Object.fromEntries(names.map((name, place) => [name, `value ->> ${place}`])) as Record<
    Name,
    string
  >,
});
