import type { LogEntry } from "./queries.ts";
import { filterOf } from "#console/parts/filters/api-filter.ts";
import type { FilterField, FilterValues } from "#console/parts/filters/filter-text.ts";
import { isDate, toInstant } from "#console/parts/time/instant.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

export const LOG_TYPES = [
  "NEW_TRANSACTION",
  "REVERTED_TRANSACTION",
  "SET_METADATA",
  "DELETE_METADATA",
  "INSERTED_SCHEMA",
] as const satisfies readonly LogEntry["type"][];

const ID = /^\d{1,15}$/;

export function logFields(): readonly FilterField[] {
  const words = ledgerWords();
  return [
    {
      id: "type",
      label: words.logs.type,
      example: "NEW_TRANSACTION",
      choices: LOG_TYPES.map((value) => ({ value, label: words.logs.types[value] })),
    },
    { id: "after", label: words.fields.after, example: "2026-11-01", accepts: isDate },
    { id: "before", label: words.fields.before, example: "2026-12-01", accepts: isDate },
    { id: "id", label: words.logs.id, example: "42", accepts: (text) => ID.test(text) },
  ];
}

/** The filter of the API: the entries that fit the filters of the URL and were written until a moment. */
export const logFilter = (values: FilterValues, at: string | undefined): string | undefined =>
  filterOf(at === undefined ? values : { ...values, at }, {
    type: (value) => ({ $match: { type: value } }),
    after: (value) => ({ $gte: { date: toInstant(value) } }),
    before: (value) => ({ $lt: { date: toInstant(value) } }),
    id: (value) => ({ $match: { id: BigInt(ID.test(value) ? value : "0") } }),
    at: (value) => ({ $lte: { date: value } }),
  });
