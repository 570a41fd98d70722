import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import type { HeldAmount } from "#modules/payments/core/balance-history.ts";
import {
  encodeConnectorId,
  encodeOwnedId,
  idempotencyKeyOf,
  type OwnedId,
  toOwnedJson,
} from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp, toMicros } from "#platform/time.ts";

export const BALANCE_EVENT_TYPES = {
  SAVED_BALANCE: {
    description:
      "A balance of an account was stored, or confirmed at a later time. Confirmations by polls are published while a webhook config, a trigger or an event stream consumes events of this type.",
    payload: z.object({
      accountID: z.string(),
      connectorID: z.string(),
      provider: z.string(),
      createdAt: TimestampOutput,
      lastUpdatedAt: TimestampOutput,
      asset: z.string(),
      balance: z.string().openapi({ description: "An integer in decimal digits." }),
    }),
    example: {
      accountID:
        "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoiYWNjLTEifQ",
      connectorID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
      provider: "generic",
      createdAt: "2026-03-01T09:30:00Z",
      lastUpdatedAt: "2026-03-01T10:00:00Z",
      asset: "EUR/2",
      balance: "1230",
    },
  },
} as const satisfies EventTypeTable;

/**
 * The event for the amount of an asset that an account holds. Its id follows from the account, the asset and both times of the balance, so that
 * a repetition has the same id; the amount and `date`, the time of the event, are not part of it.
 */
export function savedBalanceEvent(
  account: OwnedId,
  { asset, amount, createdAt, lastUpdatedAt }: HeldAmount & { readonly asset: string },
  date: Timestamp,
): OutboxEvent {
  const event = paymentEvent({
    type: "SAVED_BALANCE" satisfies keyof typeof BALANCE_EVENT_TYPES,
    connector: account.connector,
    key: idempotencyKeyOf({
      AccountID: toOwnedJson(account),
      Asset: asset,
      CreatedAt: toMicros(createdAt) * 1000n,
      LastUpdatedAt: toMicros(lastUpdatedAt) * 1000n,
    }),
    date,
    payload: {
      accountID: encodeOwnedId(account),
      connectorID: encodeConnectorId(account.connector),
      provider: account.connector.provider,
      createdAt: formatTimestamp(createdAt),
      lastUpdatedAt: formatTimestamp(lastUpdatedAt),
      asset,
      balance: amount.toString(),
    },
  });
  return { event };
}
