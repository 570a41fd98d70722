import { z } from "@hono/zod-openapi";
import { SchemaResponse, TransactionResponse } from "./wire/schemas.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { MetadataSchema } from "#platform/http/schemas.ts";

const Ledger = z.string().openapi({ description: "The name of the ledger." });
const Target = z.object({
  ledger: Ledger,
  targetType: z.enum(["ACCOUNT", "TRANSACTION"]),
  targetId: z
    .string()
    .openapi({ description: "The address of an account, or the id of a transaction." }),
});

const TRANSACTION = {
  postings: [{ source: "world", destination: "users:42:wallet", amount: 1000n, asset: "EUR/2" }],
  metadata: { order: "1789" },
  timestamp: "2026-03-01T09:30:00.25Z",
  reference: "order-1789",
  id: 7,
  insertedAt: "2026-03-01T09:30:00.25Z",
  updatedAt: "2026-03-01T09:30:00.25Z",
  reverted: false,
} as const;

/** The types of events of a ledger. Every entry of its log is an event. */
export const LEDGER_EVENT_TYPES = {
  COMMITTED_TRANSACTIONS: {
    description: "A transaction was committed.",
    payload: z.object({
      ledger: Ledger,
      transactions: z.array(TransactionResponse),
      accountMetadata: z.record(z.string(), MetadataSchema),
    }),
    example: { ledger: "shop", transactions: [TRANSACTION], accountMetadata: {} },
  },
  REVERTED_TRANSACTION: {
    description: "A transaction was reverted by another one.",
    payload: z.object({
      ledger: Ledger,
      revertedTransaction: TransactionResponse,
      revertTransaction: TransactionResponse,
    }),
    example: {
      ledger: "shop",
      revertedTransaction: {
        ...TRANSACTION,
        reverted: true,
        revertedAt: "2026-03-02T10:00:00Z",
        updatedAt: "2026-03-02T10:00:00Z",
      },
      revertTransaction: {
        postings: [
          { source: "users:42:wallet", destination: "world", amount: 1000n, asset: "EUR/2" },
        ],
        metadata: { "com.formance.spec/state/reverts": "7" },
        timestamp: "2026-03-02T10:00:00Z",
        id: 8,
        insertedAt: "2026-03-02T10:00:00Z",
        updatedAt: "2026-03-02T10:00:00Z",
        reverted: false,
      },
    },
  },
  SAVED_METADATA: {
    description: "Metadata of an account or a transaction was added or changed.",
    payload: Target.extend({ metadata: MetadataSchema }),
    example: {
      ledger: "shop",
      targetType: "ACCOUNT",
      targetId: "users:42:wallet",
      metadata: { tier: "gold" },
    },
  },
  DELETED_METADATA: {
    description: "A key of an account's or a transaction's metadata was deleted.",
    payload: Target.extend({ key: z.string() }),
    example: { ledger: "shop", targetType: "TRANSACTION", targetId: "7", key: "order" },
  },
  INSERTED_SCHEMA: {
    description: "A version of the ledger's schema was inserted.",
    payload: z.object({ ledger: Ledger, schema: SchemaResponse }),
    example: {
      ledger: "shop",
      schema: {
        version: "v1",
        createdAt: "2026-03-01T09:30:00Z",
        chart: { users: { $id: { ".self": {} } } },
        transactions: {},
      },
    },
  },
} as const satisfies EventTypeTable;
