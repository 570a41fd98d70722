import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../../platform/http/context.ts";
import { filterOf, type ListRules, toPageQuery } from "../../../platform/http/listing.ts";
import type { PageQuery } from "../../../platform/pagination.ts";
import type { Settings } from "../../../platform/settings.ts";
import { assertIdempotencyKey } from "../commands.ts";
import type { CountQuery as CountOf, SingleRead } from "../core/reads.ts";
import type { WriteOptions } from "../object/engine.ts";
import type {
  AccountListQuery,
  CountQuery,
  SingleQuery,
  TransactionListQuery,
} from "../schemas.ts";

/** What all writes take besides their command. */
export function writeOptions(
  c: Context<AppEnv>,
  { dryRun }: { readonly dryRun: boolean },
): WriteOptions {
  const idempotencyKey = c.req.header("idempotency-key") ?? "";
  assertIdempotencyKey(idempotencyKey);
  return { idempotencyKey, dryRun };
}

export const replayHeaders = (isReplay: boolean): Record<string, string> =>
  isReplay ? { "idempotency-hit": "true" } : {};

/** What `expand` asks for; unknown values are ignored. */
export const toExpansion = (expand: readonly string[]) => ({
  volumes: expand.includes("volumes"),
  effectiveVolumes: expand.includes("effectiveVolumes"),
});

/** What a list request consists of. */
export interface ListRequest<Q> {
  readonly ledger: string;
  readonly query: Q;
  /** A filter, where the query has none. */
  readonly body: unknown;
  readonly settings: Settings;
}

const TRANSACTION_RULES: ListRules = {
  columns: {
    id: "integer",
    timestamp: "date",
    inserted_at: "date",
    updated_at: "date",
    reverted_at: "date",
  },
  column: "id",
  order: "desc",
};

/** `order=effective` and `reverse` are the older ways to sort; `sort` wins over both. */
export function toTransactionQuery(
  request: ListRequest<z.output<typeof TransactionListQuery>>,
): PageQuery {
  const { order, reverse } = request.query;
  const rules: ListRules = {
    ...TRANSACTION_RULES,
    ...(order === "effective" ? { column: "timestamp" } : {}),
    ...(reverse ? { order: "asc" as const } : {}),
  };
  return toListQuery("transactions", request, rules);
}

const ACCOUNT_RULES: ListRules = {
  columns: { address: "text", first_usage: "date", insertion_date: "date", updated_at: "date" },
  column: "address",
  order: "asc",
};

export const toAccountQuery = (
  request: ListRequest<z.output<typeof AccountListQuery>>,
): PageQuery => toListQuery("accounts", request, ACCOUNT_RULES);

/** A page of a list that takes expansions. */
function toListQuery(
  name: string,
  { ledger, query, body, settings }: ListRequest<z.output<typeof AccountListQuery>>,
  rules: ListRules,
): PageQuery {
  return toPageQuery(
    { ...query, expand: splitList(query.expand), where: filterOf(query, body) },
    { ...rules, list: listName(ledger, name) },
    settings,
  );
}

/** Names a list in its cursors. */
export const listName = (ledger: string, resource: string): string => `${ledger}/${resource}`;

/** What a count is about. */
export const toCountQuery = (query: z.output<typeof CountQuery>, body: unknown): CountOf => ({
  where: filterOf(query, body),
  pit: query.pit,
});

/** What a single read shows. */
export const toSingleRead = ({ expand, pit }: z.output<typeof SingleQuery>): SingleRead => ({
  ...toExpansion(expand),
  pit,
});

/** On lists, each `expand` may name several things, separated by commas. */
const splitList = (expand: readonly string[]): string[] =>
  expand.flatMap((value) => value.split(","));
