import type { z } from "@hono/zod-openapi";
import type {
  AccountFilterQuery,
  AggregateQuery,
  BALANCE_OPERATORS,
  LogListQuery,
  TransactionFilterQuery,
} from "./schemas.ts";
import { AppError } from "#platform/errors.ts";
import { toFilterText } from "#platform/filter/filter.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/**
 * In this version, filters are parameters. These functions turn them into the filter language of the lists, as JSON text. Each returns
 * undefined where there is no filter, and throws `VALIDATION`.
 */

/** A filter of the list language, such as `{"$match": {"account": "users:42"}}`. */
type Filter = Readonly<Record<string, unknown>>;

export function transactionFilter(
  query: z.output<typeof TransactionFilterQuery>,
): string | undefined {
  const { reference, account, source, destination, after } = query;
  return allOf([
    ...matches({ reference, account, source, destination }),
    ...periodOf("timestamp", query),
    ...metadataOf(query),
    ...before(after),
  ]);
}

export function accountFilter(query: z.output<typeof AccountFilterQuery>): string | undefined {
  const { address, balance, balanceOperator = "gte" } = query;
  return allOf([
    ...matches({ address }),
    ...(balance === undefined ? [] : [BALANCE_FILTERS[balanceOperator]({ balance })]),
    ...metadataOf(query),
  ]);
}

export const aggregateFilter = ({ address }: z.output<typeof AggregateQuery>): string | undefined =>
  allOf(matches({ address }));

/** The types of log entries that the clients of this version know. */
export const LOG_TYPES = ["NEW_TRANSACTION", "SET_METADATA"] as const;

export const logFilter = (query: z.output<typeof LogListQuery>): string | undefined =>
  allOf([{ $in: { type: LOG_TYPES } }, ...periodOf("date", query), ...before(query.after)]);

const BALANCE_FILTERS: Readonly<
  Record<(typeof BALANCE_OPERATORS)[number], (operand: Filter) => Filter>
> = {
  e: (operand) => ({ $match: operand }),
  ne: (operand) => ({ $not: { $match: operand } }),
  lt: (operand) => ({ $lt: operand }),
  lte: (operand) => ({ $lte: operand }),
  gt: (operand) => ({ $gt: operand }),
  gte: (operand) => ({ $gte: operand }),
};

const allOf = (filters: readonly Filter[]): string | undefined => toFilterText({ $and: filters });

const matches = (values: Readonly<Record<string, string | undefined>>): Filter[] =>
  Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ $match: { [key]: value } }],
  );

/** Filters for dates from a start on and before an end. */
function periodOf(
  key: string,
  query: {
    readonly startTime?: Timestamp | undefined;
    readonly start_time?: Timestamp | undefined;
    readonly endTime?: Timestamp | undefined;
    readonly end_time?: Timestamp | undefined;
  },
): Filter[] {
  const { startTime = query.start_time, endTime = query.end_time } = query;
  return [
    ...(startTime === undefined ? [] : [{ $gte: { [key]: formatTimestamp(startTime) } }]),
    ...(endTime === undefined ? [] : [{ $lt: { [key]: formatTimestamp(endTime) } }]),
  ];
}

/** Filters for ids behind a given one, in a list with descending ids. */
const before = (id: bigint | undefined): Filter[] => (id === undefined ? [] : [{ $lt: { id } }]);

const METADATA_PARAM = /^metadata\[.*\]$/s;

/** Filters for the parameters `metadata[key]=value`, whose names are those of the filter language. */
const metadataOf = (query: Readonly<Record<string, unknown>>): Filter[] =>
  Object.entries(query)
    .filter(([name]) => METADATA_PARAM.test(name))
    .map(([name, value]) => {
      if (typeof value === "string") return { $match: { [name]: value } };
      throw new AppError("VALIDATION", `query parameter '${name}': expected one value`);
    });
