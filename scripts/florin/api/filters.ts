import { stringifyJson } from "#platform/json.ts";
import { type Option, UsageError } from "#scripts/florin/command.ts";

/** How the value of a filter's key is sent. */
export type FilterValue = "text" | "integer" | "boolean";

/** The keys of the filters of a list. `metadata[]` stands for all keys such as `metadata[order]`. */
export interface ListFilters {
  /** `query` for parameters of the query, `match` for the API's filters in JSON, which also compare. */
  readonly by: "query" | "match";
  readonly keys: Readonly<Record<string, FilterValue>>;
}

/** Declares the filters of a list that are parameters of its query. */
export const byQuery = (...names: readonly string[]): ListFilters => ({
  by: "query",
  keys: Object.fromEntries(names.map((name) => [name, "text"])),
});

/** Declares the filters of a list that takes filters in JSON. */
export const byMatch = (keys: ListFilters["keys"]): ListFilters => ({ by: "match", keys });

const SIGNS = { "=": "$match", "!=": "$not", ">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte" };
const FILTER = /^([^=<>!]+)(>=|<=|!=|=|>|<)(.*)$/s;

/** The option `--filter` of a list. */
export const filterOption = ({ by, keys }: ListFilters): Option => ({
  kind: "pairs",
  meaning: `shows only what has this value${by === "match" ? ", and with != > >= < <= in place of =, what compares so" : ""}; keys: ${Object.keys(keys).join(", ")}`,
});

/** The parameters of the query for filters such as `status=failed`. Throws `UsageError` for another form and for an unknown key. */
export function filterQuery(
  filters: ListFilters,
  texts: readonly string[],
): Record<string, string> {
  const parsed = texts.map((text) => parseFilter(filters, text));
  if (filters.by === "query") {
    const keys = parsed.map(({ key }) => key);
    const twice = keys.find((key, index) => keys.indexOf(key) !== index);
    if (twice !== undefined) throw new UsageError(`The filter ${twice} is given twice.`);
    return Object.fromEntries(parsed.map(({ key, text }) => [key, text]));
  }
  if (parsed.length === 0) return {};
  const conditions = parsed.map(({ key, sign, value }) =>
    sign === "!=" ? { $not: { $match: { [key]: value } } } : { [SIGNS[sign]]: { [key]: value } },
  );
  return { query: stringifyJson({ $and: conditions }) };
}

function parseFilter({ by, keys }: ListFilters, filter: string) {
  const [, key = "", sign = "", text = ""] = FILTER.exec(filter) ?? [];
  if (!isSign(sign) || (by === "query" && sign !== "=")) {
    throw new UsageError(`--filter is ${JSON.stringify(filter)}. It takes key=value.`);
  }
  const name = key.replace(/\[.*\]$/s, "[]");
  const kind = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (kind === undefined) {
    throw new UsageError(
      `There is no filter ${JSON.stringify(key)}. The keys are ${Object.keys(keys).join(", ")}.`,
    );
  }
  return { key, sign, text, value: valueOf(key, kind, text) };
}

const isSign = (text: string): text is keyof typeof SIGNS => Object.hasOwn(SIGNS, text);

function valueOf(key: string, kind: FilterValue, text: string): string | bigint | boolean {
  if (kind === "text") return text;
  if (kind === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new UsageError(`The filter ${key} takes true or false, and not ${JSON.stringify(text)}.`);
  }
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw new UsageError(`The filter ${key} takes an integer, and not ${JSON.stringify(text)}.`);
}
