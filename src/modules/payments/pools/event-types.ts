import { z } from "@hono/zod-openapi";
import { type Pool, POOL_ACCOUNTS_MAX } from "./pool.ts";
import { paymentEvent } from "#modules/payments/common/events.ts";
import { POOL_TYPES } from "#modules/payments/core/enums.ts";
import { encodeOwnedId, idempotencyKeyOf, type OwnedId } from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { parseJson } from "#platform/json.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export const POOL_EVENT_TYPES = {
  SAVED_POOL: {
    description: `A pool was created, or its accounts or its query have changed. For a dynamic pool, the accounts are those that its query finds at this time, at most ${POOL_ACCOUNTS_MAX.toLocaleString("en-US")} of them.`,
    payload: z.object({
      id: z.string(),
      name: z.string(),
      createdAt: TimestampOutput,
      type: z.enum(POOL_TYPES),
      query: z.record(z.string(), z.unknown()).nullable(),
      accountIDs: z.array(z.string()),
    }),
    example: {
      id: "6f1d7c1e-3a52-4c57-9d83-0d1c6f0a7b11",
      name: "treasury",
      createdAt: "2026-07-01T10:00:00Z",
      type: "DYNAMIC",
      query: { $match: { default_asset: "EUR/2" } },
      accountIDs: [],
    },
  },
  DELETED_POOL: {
    description: "A pool was deleted.",
    payload: z.object({ id: z.string(), createdAt: TimestampOutput }),
    example: { id: "6f1d7c1e-3a52-4c57-9d83-0d1c6f0a7b11", createdAt: "2026-07-01T10:00:00Z" },
  },
} as const satisfies EventTypeTable;

/** The event for a changed pool. Each change has its own event, even if the accounts are those of an earlier change. */
export function savedPoolEvent(
  pool: Omit<Pool, "key" | "accounts">,
  accounts: readonly OwnedId[],
  date: Timestamp,
): PlatformEvent {
  const { id, name, createdAt, type, query, changeId } = pool;
  const accountIDs = accounts.map(encodeOwnedId);
  return paymentEvent({
    type: "SAVED_POOL" satisfies keyof typeof POOL_EVENT_TYPES,
    key: idempotencyKeyOf({ ID: id, RelatedAccounts: accountIDs, Change: changeId }),
    date,
    payload: {
      id,
      name,
      createdAt: formatTimestamp(createdAt),
      type,
      query: query === undefined ? null : parseJson(query),
      accountIDs,
    },
  });
}

export const deletedPoolEvent = (id: string, date: Timestamp): PlatformEvent =>
  paymentEvent({
    type: "DELETED_POOL" satisfies keyof typeof POOL_EVENT_TYPES,
    key: id,
    date,
    payload: { id, createdAt: formatTimestamp(date) },
  });
