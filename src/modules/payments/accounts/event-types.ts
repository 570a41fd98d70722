import { z } from "@hono/zod-openapi";
import { paymentEvent, rawDataOf } from "#modules/payments/common/events.ts";
import { ACCOUNT_TYPES, type AccountType } from "#modules/payments/core/enums.ts";
import {
  encodeConnectorId,
  encodeOwnedId,
  idempotencyKeyOf,
  type OwnedId,
  toOwnedJson,
} from "#modules/payments/core/ids.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export const ACCOUNT_EVENT_TYPES = {
  SAVED_ACCOUNT: {
    description: "An account was stored for the first time.",
    payload: z.object({
      id: z.string(),
      provider: z.string(),
      connectorID: z.string(),
      createdAt: TimestampOutput,
      reference: z.string(),
      type: z.enum(ACCOUNT_TYPES),
      rawData: z.unknown().openapi({ description: "Null if it is long." }),
      defaultAsset: z.string().optional(),
      name: z.string().optional(),
      metadata: MetadataSchema.optional(),
    }),
    example: {
      id: "eyJDb25uZWN0b3JJRCI6eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifSwiUmVmZXJlbmNlIjoiYWNjLTEifQ",
      provider: "generic",
      connectorID:
        "eyJQcm92aWRlciI6ImdlbmVyaWMiLCJSZWZlcmVuY2UiOiIxMTExMTExMS0yMjIyLTQzMzMtODQ0NC01NTU1NTU1NTU1NTUifQ",
      createdAt: "2026-03-01T09:30:00Z",
      reference: "acc-1",
      type: "INTERNAL",
      rawData: { id: "acc-1", accountName: "Main" },
      defaultAsset: "EUR/2",
      name: "Main",
    },
  },
} as const satisfies EventTypeTable;

/** The data of the event for a new account. */
export interface SavedAccount {
  readonly id: OwnedId;
  readonly createdAt: Timestamp;
  readonly type: AccountType;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The provider's or client's data, as JSON. */
  readonly raw: string;
}

export function savedAccountEvent(account: SavedAccount, date: Timestamp): OutboxEvent {
  const { id, createdAt, type, name, defaultAsset, metadata, raw } = account;
  const event = paymentEvent({
    type: "SAVED_ACCOUNT" satisfies keyof typeof ACCOUNT_EVENT_TYPES,
    connector: id.connector,
    key: idempotencyKeyOf(toOwnedJson(id)),
    date,
    payload: {
      id: encodeOwnedId(id),
      provider: id.connector.provider,
      connectorID: encodeConnectorId(id.connector),
      createdAt: formatTimestamp(createdAt),
      reference: id.reference,
      type,
      rawData: rawDataOf(raw),
      ...(defaultAsset === undefined ? {} : { defaultAsset }),
      ...(name === undefined ? {} : { name }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    },
  });
  return { event };
}
