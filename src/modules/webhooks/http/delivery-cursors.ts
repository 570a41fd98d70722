import { Buffer } from "node:buffer";
import { z } from "@hono/zod-openapi";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/**
 * Encodes a cursor of deliveries: base64url of JSON. It contains the whole request, so the next page needs nothing else; clients
 * may repeat the filters.
 */
export const encodeCursor = (value: unknown): string =>
  Buffer.from(stringifyJson(value)).toString("base64url");

/** Decodes a cursor. Throws `VALIDATION` for a text that is no cursor of this schema. */
export function decodeCursor<T extends z.ZodType>(
  cursor: string,
  schema: T,
  message: string,
): z.output<T> {
  try {
    return schema.parse(parseJson(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    throw new AppError("VALIDATION", message, { cause });
  }
}

const Ms = z.int().min(-62_135_596_800_000).max(253_402_300_799_999);

export const Position = z.strictObject({ createdMs: Ms, id: z.uuid() });

export const DeliveryCursor = z.strictObject({
  after: Position,
  configIds: z.array(z.uuid()).optional(),
  statuses: z
    .array(z.enum(["pending", "delivering", "succeeded", "failed", "cancelled"]))
    .optional(),
  fromMs: Ms.optional(),
  toMs: Ms.optional(),
});

export const AttemptCursor = z.strictObject({
  generation: z.int().min(0),
  number: z.int().min(0),
});

export const ReplayCursor = z.strictObject({
  after: Position,
  fromMs: Ms,
  toMs: Ms,
  statuses: z.array(z.enum(["failed", "pending"])),
  configIds: z.array(z.uuid()).optional(),
});
