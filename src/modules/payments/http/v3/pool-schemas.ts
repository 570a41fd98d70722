import { z } from "@hono/zod-openapi";
import { POOL_TYPES } from "#modules/payments/core/enums.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import type { PoolBalance } from "#modules/payments/core/pool-balances.ts";
import type { Pool } from "#modules/payments/pools/pool.ts";
import { BigInteger, ok, TimestampOutput } from "#platform/http/index.ts";
import { parseJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

export const PoolResponse = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: TimestampOutput,
    type: z.enum(POOL_TYPES),
    query: z.record(z.string(), z.unknown()).optional(),
    poolAccounts: z.array(z.string()).openapi({
      description: "The accounts of a static pool. A dynamic pool finds its accounts at each read.",
    }),
  })
  .openapi("Pool");

const PoolBalanceResponse = z
  .object({
    asset: z.string(),
    amount: BigInteger,
    relatedAccounts: z
      .array(z.string())
      .openapi({ description: "The accounts that have a balance in the asset." }),
  })
  .openapi("PoolBalance");
const toPoolBalanceView = ({ asset, amount, accountIds }: PoolBalance) => ({
  asset,
  amount,
  relatedAccounts: [...accountIds],
});

export const POOL_BALANCES = ok.list("The balances", PoolBalanceResponse, toPoolBalanceView);

export const toPoolView = (pool: Pool) => ({
  id: pool.id,
  name: pool.name,
  createdAt: formatTimestamp(pool.createdAt),
  type: pool.type,
  ...toQueryView(pool),
  poolAccounts: pool.accounts.map(encodeOwnedId),
});

/** The query as an object to spread. Only JSON of objects is stored. */
export const toQueryView = ({ query }: Pick<Pool, "query">) =>
  query === undefined ? {} : { query: parseJson(query) as Record<string, unknown> };
