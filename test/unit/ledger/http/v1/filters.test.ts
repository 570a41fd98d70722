import { describe, expect, test } from "vitest";
import { parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import {
  accountFilter,
  aggregateFilter,
  logFilter,
  transactionFilter,
} from "#modules/ledger/http/v1/filters.ts";
import {
  AccountFilterQuery,
  AggregateQuery,
  LogListQuery,
  TransactionFilterQuery,
  TransactionListQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { FILTER_NODES_MAX } from "#platform/filter/filter.ts";

/** The conjunction of some filters as JSON. */
const all = (...filters: readonly string[]): string => `{"$and":[${filters.join(",")}]}`;

describe("the parameters of version 1 are filters", () => {
  test.each([
    [{ reference: "r" }, '{"$match":{"reference":"r"}}'],
    [{ account: "users:" }, '{"$match":{"account":"users:"}}'],
    [{ source: "a" }, '{"$match":{"source":"a"}}'],
    [{ destination: "b" }, '{"$match":{"destination":"b"}}'],
    [{ startTime: "2025-01-01T02:00:00+02:00" }, '{"$gte":{"timestamp":"2025-01-01T00:00:00Z"}}'],
    [{ start_time: "2025-01-01T00:00:00Z" }, '{"$gte":{"timestamp":"2025-01-01T00:00:00Z"}}'],
    [{ endTime: "2025-01-01T00:00:00.5Z" }, '{"$lt":{"timestamp":"2025-01-01T00:00:00.5Z"}}'],
    [{ end_time: "2025-01-01T00:00:00Z" }, '{"$lt":{"timestamp":"2025-01-01T00:00:00Z"}}'],
    [{ "metadata[a]": "b" }, '{"$match":{"metadata[a]":"b"}}'],
    [{ "metadata[a[b]]": "c" }, '{"$match":{"metadata[a[b]]":"c"}}'],
    [{ "metadata[__proto__]": '"' }, String.raw`{"$match":{"metadata[__proto__]":"\""}}`],
    [{ "metadata[a\nb]": "c" }, String.raw`{"$match":{"metadata[a\nb]":"c"}}`],
    [{ after: "18446744073709551615" }, '{"$lt":{"id":18446744073709551615}}'],
  ])("the parameters of version 1 are filters of transactions: %j", (query, filter) => {
    const where = transactionFilter(TransactionFilterQuery.parse(query));
    expect(where).toBe(all(filter));
    expect(parseLedgerFilter("transactions", where)).toMatchObject({ kind: "all" });
  });

  test("the parameters of version 1 are filters which all have to match", () => {
    const query = { account: "a", reference: "r", "metadata[k]": "v", "metadata[l]": "w" };
    expect(transactionFilter(TransactionFilterQuery.parse(query))).toBe(
      all(
        '{"$match":{"reference":"r"}}',
        '{"$match":{"account":"a"}}',
        '{"$match":{"metadata[k]":"v"}}',
        '{"$match":{"metadata[l]":"w"}}',
      ),
    );
  });

  const huge = `-${"9".repeat(100)}`;
  test.each([
    [{ address: "users:..." }, '{"$match":{"address":"users:..."}}'],
    [{ balance: "5" }, '{"$gte":{"balance":5}}'],
    [{ balance: "5", balanceOperator: "e" }, '{"$match":{"balance":5}}'],
    [{ balance: "5", balanceOperator: "ne" }, '{"$not":{"$match":{"balance":5}}}'],
    [{ balance: "5", balanceOperator: "lt" }, '{"$lt":{"balance":5}}'],
    [{ balance: "5", balanceOperator: "lte" }, '{"$lte":{"balance":5}}'],
    [{ balance: huge, balanceOperator: "gt" }, `{"$gt":{"balance":${huge}}}`],
    [{ "metadata[a]": "b" }, '{"$match":{"metadata[a]":"b"}}'],
  ])("the parameters of version 1 are filters of accounts: %j", (query, filter) => {
    const where = accountFilter(AccountFilterQuery.parse(query));
    expect(where).toBe(all(filter));
    expect(parseLedgerFilter("accounts", where)).toMatchObject({ kind: "all" });
  });

  test("the parameters of version 1 are filters of sums", () => {
    const where = aggregateFilter(AggregateQuery.parse({ address: "users:" }));
    expect(where).toBe(all('{"$match":{"address":"users:"}}'));
    expect(parseLedgerFilter("balances", where)).toMatchObject({ kind: "all" });
  });

  test("the parameters of version 1 are filters of log entries, which have only two types", () => {
    const types = '{"$in":{"type":["NEW_TRANSACTION","SET_METADATA"]}}';
    expect(logFilter(LogListQuery.parse({}))).toBe(all(types));
    const where = logFilter(
      LogListQuery.parse({
        after: "7",
        startTime: "2025-01-01T00:00:00Z",
        end_time: "2026-01-01T00:00:00Z",
      }),
    );
    expect(where).toBe(
      all(
        types,
        '{"$gte":{"date":"2025-01-01T00:00:00Z"}}',
        '{"$lt":{"date":"2026-01-01T00:00:00Z"}}',
        '{"$lt":{"id":7}}',
      ),
    );
    expect(parseLedgerFilter("logs", where)).toMatchObject({ kind: "all" });
  });

  test("version 1 has no filter without parameters", () => {
    expect(transactionFilter(TransactionListQuery.parse({}))).toBeUndefined();
    expect(accountFilter(AccountFilterQuery.parse({ balanceOperator: "lt" }))).toBeUndefined();
    expect(aggregateFilter(AggregateQuery.parse({}))).toBeUndefined();
  });
});

describe("parameters of version 1", () => {
  test.each([
    [AccountFilterQuery, { balance: "1e3" }],
    [AccountFilterQuery, { balance: "1.0" }],
    [AccountFilterQuery, { balance: "9".repeat(1001) }],
    [AccountFilterQuery, { balance: "1", balanceOperator: "eq" }],
    [AccountFilterQuery, { address: ["a", "b"] }],
    [AccountFilterQuery, { metadata: "k" }],
    [TransactionListQuery, { after: "-1" }],
    [TransactionListQuery, { startTime: "yesterday" }],
  ])("parameters of version 1 are refused if they are invalid: %#", (schema, query) => {
    expect(schema.safeParse(query).success).toBe(false);
  });

  test("parameters of version 1 name each metadata key once, and not too many of them", () => {
    const twice = TransactionFilterQuery.parse({ "metadata[k]": ["v", "w"] });
    expect(() => transactionFilter(twice)).toThrow(AppError);
    const keys = Array.from({ length: FILTER_NODES_MAX }, (_, index) => [
      `metadata[${index}]`,
      "v",
    ]);
    const many = TransactionFilterQuery.parse(Object.fromEntries(keys));
    expect(() => transactionFilter(many)).toThrow(`${FILTER_NODES_MAX}`);
  });

  test.each([
    [undefined, true],
    ["true", true],
    ["1", true],
    ["false", false],
  ])(
    "parameters of version 1 sum by the date of insertion where useInsertionDate is %j: %j",
    (text, expected) => {
      expect(AggregateQuery.parse({ useInsertionDate: text }).useInsertionDate).toBe(expected);
    },
  );
});
