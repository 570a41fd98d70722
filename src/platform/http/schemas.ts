import { z } from "@hono/zod-openapi";
import { ERROR_CODES } from "../errors.ts";
import type { Page } from "../pagination.ts";
import { formatTimestamp, parseTimestamp, type Timestamp } from "../time.ts";

/** The body of every failed request. */
export const ErrorResponse = z
  .object({
    errorCode: z.enum(ERROR_CODES),
    errorMessage: z.string().openapi({ example: "[VALIDATION] the body is not valid JSON" }),
    details: z.string().optional(),
  })
  .openapi("Error");

/** An integer of any size in an answer. */
export const BigInteger = z.bigint().openapi({ type: "integer", format: "bigint" });

/** An integer of any size in a request: `1.0` and `1e3` are refused, as they are not integer literals. */
export const BigIntegerInput = z
  .union([z.int(), z.bigint()], { error: "expected an integer" })
  .transform(BigInt)
  .openapi({ type: "integer", format: "bigint" });

/** A non-negative integer in an answer: ids and counts. */
export const Count = z.int().min(0);

/** A timestamp in a request; RFC 3339 with a zone. */
export const TimestampInput = z
  .string()
  .transform((text, context): Timestamp => {
    const timestamp = parseTimestamp(text);
    if (timestamp !== undefined) return timestamp;
    context.addIssue({
      code: "custom",
      message: "expected an RFC 3339 timestamp with a zone, such as 2026-03-01T09:30:00Z",
    });
    return z.NEVER;
  })
  .openapi({ type: "string", format: "date-time" });

/** A timestamp in an answer, in the wire form. */
export const TimestampOutput = z.string().openapi({ format: "date-time" });

/** The wire form of an optional timestamp, as an object to spread. */
export const optionalTimestamp = <K extends string>(
  key: K,
  timestamp: Timestamp | undefined,
): Partial<Record<K, string>> =>
  (timestamp === undefined ? {} : { [key]: formatTimestamp(timestamp) }) as Partial<
    Record<K, string>
  >; // a computed key widens to string

const TRUE_TEXTS = new Set(["true", "1"]);

/** A boolean query parameter: true for `true` and `1` in any case, false for everything else. */
export const BooleanParam = z
  .string()
  .optional()
  .transform((text) => text !== undefined && TRUE_TEXTS.has(text.toLowerCase()))
  .openapi({ type: "boolean" });

/** Text-to-text metadata. Any key is legal, `__proto__` included, which `z.record` would drop. */
export type Metadata = Readonly<Record<string, string>>;
export const MetadataSchema = z
  .custom<Metadata>()
  .superRefine((value: unknown, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      context.addIssue({ code: "custom", message: "expected an object of texts" });
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === "string") continue;
      // One fault is enough to refuse it, and there may be a million.
      if (context.issues.length > 0) return;
      context.addIssue({ code: "custom", message: "expected a text", path: [key] });
    }
  })
  .openapi({ type: "object", additionalProperties: { type: "string" } });

/** `{"data": ...}` */
export const dataOf = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** `{"cursor": {...}}` */
export const cursorOf = <T extends z.ZodType>(schema: T) =>
  z.object({
    cursor: z.object({
      pageSize: z.int().min(1),
      hasMore: z.boolean(),
      previous: z.string().optional(),
      next: z.string().openapi({ description: "Empty on the last page." }),
      data: z.array(schema),
    }),
  });

/** The envelope of a page; `next` is the empty text on the last one. */
export function toCursorView<T>({ pageSize, hasMore, previous, next, data }: Page<T>) {
  return {
    cursor: {
      pageSize,
      hasMore,
      ...(previous === undefined ? {} : { previous }),
      next: next ?? "",
      data: [...data],
    },
  };
}
