import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  assertIdempotencyKey,
  type CountQuery as CountOf,
  type SingleRead,
  toExpansion,
  type WriteOptions,
} from "#ledger-engine";
import type { PageRead } from "#modules/ledger/answers/answer-client.ts";
import type { AmountForm } from "#modules/ledger/answers/result-json.ts";
import type {
  AccountListQuery,
  CountQuery,
  LogListQuery,
  SingleQuery,
  TransactionListQuery,
  WriteHeaders,
} from "#modules/ledger/wire/schemas.ts";
import { wantsTexts } from "#platform/http/answers.ts";
import { type AppEnv, filterOf, type ListRules, toPageQuery } from "#platform/http/index.ts";
import { queryTextOf } from "#platform/http/request-parts.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

const POSTING_FIELDS = ["source", "destination", "amount", "asset"];

/**
 * The fields of a transaction's body that the list of failed requests may show. Metadata, scripts and their variables may hold anything, and
 * are not among them.
 */
export const TRANSACTION_FIELDS: readonly string[] = [
  ...POSTING_FIELDS.map((name) => `postings.${name}`),
  "reference",
  "timestamp",
  "script.template",
  "runtime",
  "force",
];

/** Options of a write, which all writes take besides their command. */
export function writeOptions(
  headers: z.output<typeof WriteHeaders>,
  query: Omit<WriteOptions, "idempotencyKey">,
): WriteOptions {
  const idempotencyKey = headers["Idempotency-Key"] ?? "";
  assertIdempotencyKey(idempotencyKey);
  const { dryRun, schemaVersion = "" } = query;
  return { idempotencyKey, dryRun, schemaVersion };
}

export const replayHeaders = (isReplay: boolean): Record<string, string> =>
  isReplay ? { "idempotency-hit": "true" } : {};

/** The form of amounts in the answer, as the request wants it. */
export const amountsOf = (c: Context<AppEnv>): { readonly amounts: AmountForm } => ({
  amounts: wantsTexts(c) ? "text" : "integer",
});

/** The read of a page whose query `toQuery` makes. A body may contain a filter, so that the query of the URL is not all. */
export const pageRead = (
  c: Context<AppEnv>,
  body: unknown,
  toQuery: () => PageQuery,
): PageRead => ({
  queryText: body === undefined ? queryTextOf(c) : undefined,
  toQuery,
  ...amountsOf(c),
});

export interface LedgerListRequest<Q> {
  readonly ledger: string;
  readonly query: Q;
  /** A filter, used where the query has none. */
  readonly body: unknown;
  readonly settings: PlatformSettings;
}

/** Sort columns and defaults of each list. The options of volumes are in cursors, in this order. */
export const LIST_RULES = {
  transactions: {
    columns: {
      id: "integer",
      timestamp: "date",
      inserted_at: "date",
      updated_at: "date",
      reverted_at: "date",
    },
    column: "id",
    order: "desc",
  },
  accounts: {
    columns: { address: "text", first_usage: "date", insertion_date: "date", updated_at: "date" },
    column: "address",
    order: "asc",
  },
  accountTree: {
    columns: { segment: "text" },
    column: "segment",
    order: "asc",
    options: { prefix: "" },
  },
  logs: { columns: { id: "integer", date: "date" }, column: "id", order: "desc" },
  importNotes: { columns: { id: "integer" }, column: "id", order: "asc" },
  volumes: {
    columns: { account: "text" },
    column: "account",
    order: "asc",
    options: { insertionDate: false, groupBy: 0 },
  },
  schemas: {
    columns: { created_at: "date", version: "text" },
    column: "created_at",
    order: "desc",
  },
} as const satisfies Record<string, ListRules>;

export const rulesOf = (ledger: string, resource: keyof typeof LIST_RULES): ListRules => ({
  ...LIST_RULES[resource],
  list: listName(ledger, resource),
});

/** The page of transactions that a request asks for. `order=effective` and `reverse` are the older ways to sort; `sort` overrides both. */
export function toTransactionQuery(
  request: LedgerListRequest<z.output<typeof TransactionListQuery>>,
): PageQuery {
  const { order, reverse } = request.query;
  return toListQuery(request, {
    ...rulesOf(request.ledger, "transactions"),
    ...(order === "effective" ? { column: "timestamp" } : {}),
    ...(reverse ? { order: "asc" as const } : {}),
  });
}

export const toAccountQuery = (
  request: LedgerListRequest<z.output<typeof AccountListQuery>>,
): PageQuery => toListQuery(request, rulesOf(request.ledger, "accounts"));

export const toLogQuery = ({
  ledger,
  query,
  body,
  settings,
}: LedgerListRequest<z.output<typeof LogListQuery>>): PageQuery =>
  toPageQuery({ ...query, where: filterOf(query, body) }, rulesOf(ledger, "logs"), settings);

/** The page of a list that takes expansions. */
const toListQuery = (
  { query, body, settings }: LedgerListRequest<z.output<typeof AccountListQuery>>,
  rules: ListRules,
): PageQuery =>
  toPageQuery(
    { ...query, expand: splitList(query.expand), where: filterOf(query, body) },
    rules,
    settings,
  );

/** The name of a list in its cursors. */
export const listName = (ledger: string, resource: string): string => `${ledger}/${resource}`;

export const toCountQuery = (query: z.output<typeof CountQuery>, body: unknown): CountOf => ({
  where: filterOf(query, body),
  pit: query.pit,
});

/** The expansions and the point in time of a single read. */
export const toSingleRead = ({ expand, pit }: z.output<typeof SingleQuery>): SingleRead => ({
  ...toExpansion(expand),
  pit,
});

/** Splits expansions. On lists, each `expand` may name several, separated by commas. */
export const splitList = (expand: readonly string[]): readonly string[] =>
  expand.length === 0 ? expand : expand.join(",").split(",");
