import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../../platform/http/context.ts";
import { type ListRules, toPageQuery } from "../../../platform/http/listing.ts";
import type { PageQuery } from "../../../platform/pagination.ts";
import type { Settings } from "../../../platform/settings.ts";
import { assertIdempotencyKey } from "../commands.ts";
import type { WriteOptions } from "../object/engine.ts";
import type { AccountListQuery, TransactionListQuery } from "../schemas.ts";

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

const TRANSACTION_RULES: ListRules = {
  columns: { id: "integer", timestamp: "date", inserted_at: "date", updated_at: "date" },
  column: "id",
  order: "desc",
};

/** `order=effective` and `reverse` are the older ways to sort; `sort` wins over both. */
export function toTransactionQuery(
  query: z.output<typeof TransactionListQuery>,
  settings: Settings,
): PageQuery {
  const rules: ListRules = {
    ...TRANSACTION_RULES,
    ...(query.order === "effective" ? { column: "timestamp" } : {}),
    ...(query.reverse ? { order: "asc" as const } : {}),
  };
  return toPageQuery({ ...query, expand: splitList(query.expand) }, rules, settings);
}

const ACCOUNT_RULES: ListRules = { columns: { address: "text" }, column: "address", order: "asc" };

export const toAccountQuery = (
  query: z.output<typeof AccountListQuery>,
  settings: Settings,
): PageQuery => toPageQuery({ ...query, expand: splitList(query.expand) }, ACCOUNT_RULES, settings);

/** On lists, each `expand` may name several things, separated by commas. */
const splitList = (expand: readonly string[]): string[] =>
  expand.flatMap((value) => value.split(","));
