// A namespace import keeps unused parts of the library, such as the languages of its messages, out of the bundle.
import * as z from "zod";
import { AppError } from "./errors.ts";
import { parseTimestamp, type Timestamp } from "./time.ts";

/**
 * Schemas for parts of requests, for the HTTP API and for callers that accept the same input without HTTP. The OpenAPI document uses their
 * descriptions.
 */

/** An integer of any size in a request. `1.0` and `1e3` are refused, because they are no integer literals. */
export const BigIntegerInput = z
  .union([z.int(), z.bigint()], { error: "expected an integer" })
  .transform(BigInt)
  .meta({ type: "integer", format: "bigint" });

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
  .meta({ type: "string", format: "date-time" });

/** Metadata maps texts to texts. Any key is legal, also `__proto__`, which `z.record` would drop. */
export const MetadataSchema = z
  .custom<Readonly<Record<string, string>>>()
  .superRefine((value: unknown, context) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      context.addIssue({ code: "custom", message: "expected an object of texts" });
      return;
    }
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === "string") continue;
      // One problem is enough to refuse input that may have a million problems.
      if (context.issues.length > 0) return;
      context.addIssue({ code: "custom", message: "expected a text", path: [key] });
    }
  })
  .meta({ type: "object", additionalProperties: { type: "string" } });

/** The error for input that does not fit its schema. The message has the first problem with its path; `details` has all problems. */
export function toValidationError(error: z.ZodError, what: string): AppError {
  const places = error.issues.map((issue) => {
    const place = issue.path.map(String).join(".");
    return place === "" ? `${what}: ${issue.message}` : `${what} '${place}': ${issue.message}`;
  });
  const [first = `${what} is not valid`] = places;
  return new AppError("VALIDATION", first, {
    cause: error,
    ...(places.length > 1 ? { details: places.slice(0, DETAILS_MAX).join("\n") } : {}),
  });
}

/** Most problems that one error lists. */
const DETAILS_MAX = 20;

/** A parameter or field that is part of the API and that this version does not serve. */
export const unsupported = (name: string): AppError =>
  new AppError("VALIDATION", `'${name}' is not supported by this version of Florin`);
