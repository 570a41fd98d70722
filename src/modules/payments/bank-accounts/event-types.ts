import { z } from "@hono/zod-openapi";
import type { BankAccountWithNumbers } from "./bank-account.ts";
import { paymentEvent } from "#modules/payments/common/events.ts";
import {
  canonicalJson,
  encodeConnectorId,
  encodeOwnedId,
  idempotencyKeyOf,
} from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { MetadataSchema, TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

export const BANK_ACCOUNT_EVENT_TYPES = {
  SAVED_BANK_ACCOUNT: {
    description:
      "A bank account was created, or a connector has made an account of it. Its numbers are masked.",
    payload: z.object({
      id: z.string(),
      createdAt: TimestampOutput,
      name: z.string(),
      accountNumber: z.string().optional(),
      iban: z.string().optional(),
      swiftBicCode: z.string().optional(),
      country: z.string().optional(),
      metadata: MetadataSchema.optional(),
      relatedAccounts: z
        .array(
          z.object({
            createdAt: TimestampOutput,
            accountID: z.string(),
            connectorID: z.string(),
            provider: z.string(),
          }),
        )
        .optional(),
    }),
    example: {
      id: "6f1d7c1e-3a52-4c57-9d83-0d1c6f0a7b11",
      createdAt: "2026-07-01T10:00:00Z",
      name: "Rent",
      iban: "FR76*******************0189",
      swiftBicCode: "BNPAFRPP",
      country: "FR",
      metadata: { tenant: "42" },
    },
  },
  SAVED_BANK_ACCOUNT_METADATA: {
    description:
      "A request has added to the metadata of a bank account, or replaced values of it; the payload has what it gave.",
    payload: z.object({ id: z.string(), metadata: MetadataSchema }),
    example: { id: "6f1d7c1e-3a52-4c57-9d83-0d1c6f0a7b11", metadata: { tenant: "43" } },
  },
} as const satisfies EventTypeTable;

/** The event for metadata that a request has given a bank account. Each request has an event of its own. */
export const savedBankAccountMetadataEvent = (
  id: string,
  metadata: Readonly<Record<string, string>>,
  { changeId, date }: { readonly changeId: string; readonly date: Timestamp },
): PlatformEvent =>
  paymentEvent({
    type: "SAVED_BANK_ACCOUNT_METADATA" satisfies keyof typeof BANK_ACCOUNT_EVENT_TYPES,
    key: `metadata:${id}:${changeId}`,
    date,
    payload: { id, metadata },
  });

/**
 * The event for a new bank account, or for one more related account. The caller masks the numbers. The event has the same id if it
 * is made again for the same bank account, last related account and metadata.
 */
export function savedBankAccountEvent(
  maskedAccount: Omit<BankAccountWithNumbers, "key">,
  date: Timestamp,
): PlatformEvent {
  const { id, createdAt, name, country, metadata, numbers, related } = maskedAccount;
  const last = related.at(-1);
  const key = idempotencyKeyOf({
    id,
    lastAccountID: last === undefined ? "" : encodeOwnedId(last.id),
    metadataHash: idempotencyKeyOf(canonicalJson(metadata)),
  });
  return paymentEvent({
    type: "SAVED_BANK_ACCOUNT" satisfies keyof typeof BANK_ACCOUNT_EVENT_TYPES,
    key,
    date,
    payload: {
      id,
      createdAt: formatTimestamp(createdAt),
      name,
      ...numbers,
      ...(country === undefined ? {} : { country }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(related.length === 0
        ? {}
        : {
            relatedAccounts: related.map((it) => ({
              createdAt: formatTimestamp(it.createdAt),
              accountID: encodeOwnedId(it.id),
              connectorID: encodeConnectorId(it.id.connector),
              provider: it.id.connector.provider,
            })),
          }),
    },
  });
}
