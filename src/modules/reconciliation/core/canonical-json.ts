import { stringifyJson } from "#platform/json.ts";

/** The JSON of a value with the members of objects in the order of their names, so that equal values have equal texts. Numbers stay as they were written. */
export const canonicalJson = (value: unknown): string => stringifyJson(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted();
  const members = value as Readonly<Record<string, unknown>>; // an object of JSON has texts for names
  return Object.fromEntries(names.map((name) => [name, sorted(members[name])]));
}
