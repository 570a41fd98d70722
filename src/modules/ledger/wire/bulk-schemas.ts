import { z } from "@hono/zod-openapi";
import { SchemaVersionParam, TransactionResponse } from "./schemas.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX, ledgerErrors } from "#ledger-engine";
import { BooleanParam, Count } from "#platform/http/schemas.ts";

export const BulkQuery = z.object({
  atomic: BooleanParam,
  continueOnFailure: BooleanParam,
  parallel: BooleanParam,
  schemaVersion: SchemaVersionParam,
});

/** The body of a bulk. Its elements are parsed one by one later, so that their number is known first. */
export const BulkRequest = z
  .array(z.unknown())
  .nullable()
  .openapi({
    type: "array",
    items: {
      type: "object",
      required: ["action", "data"],
      properties: {
        action: {
          type: "string",
          enum: ["CREATE_TRANSACTION", "ADD_METADATA", "REVERT_TRANSACTION", "DELETE_METADATA"],
        },
        ik: { type: "string", maxLength: IDEMPOTENCY_KEY_LENGTH_MAX },
        data: { type: "object" },
      },
    },
  });

/**
 * A stream of elements. Its type is bytes, because generators of clients have no other way to write a content type that they do not know.
 * For the same reason, the examples of streams are in the descriptions.
 */
export const BulkJsonStream = z.string().openapi({
  format: "binary",
  description: [
    "The elements one after the other, with or without white space between them. They are executed as they arrive. A stream has at most 100,000 elements of 4 MiB each; an atomic one has at most 10,000 elements and 8 MiB.",
    '```json\n{"action":"REVERT_TRANSACTION","data":{"id":1}}\n{"action":"REVERT_TRANSACTION","data":{"id":2}}\n```',
  ].join("\n\n"),
});

export const BulkScriptStream = z.string().openapi({
  format: "binary",
  description: [
    "Transactions as scripts, each between a line `//script` and a line `//end`; `//script ik=KEY` gives it an idempotency key. They are executed as they arrive, within the limits of the JSON stream; a line has 64 KiB at most.",
    "```\n//script ik=topup-7\nsend [EUR/2 1500] (\n  source = @world\n  destination = @users:42\n)\n//end\n```",
  ].join("\n\n"),
});

export const BulkResultResponse = z
  .object({
    errorCode: z.enum(ledgerErrors.codes).optional(),
    errorDescription: z.string().optional(),
    data: TransactionResponse.optional(),
    responseType: z.string(),
    logID: Count,
  })
  .openapi("BulkResult");

export const BulkResponse = z
  .object({
    data: z.array(BulkResultResponse),
    errorCode: z.enum(ledgerErrors.codes).optional(),
    errorMessage: z.string().optional(),
    details: z.string().optional(),
  })
  .openapi("BulkResponse");
