import { z } from "@hono/zod-openapi";
import type { ErrorStatus } from "#platform/errors.ts";
import { type ItemsText, type JsonText, quoteJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";

export { BigIntegerInput, MetadataSchema, TimestampInput } from "#platform/validation.ts";

/** The body of every failed request. */
export const ErrorResponse = z
  .object({
    /** The code; the API document lists the codes of all modules. */
    errorCode: z.string(),
    errorMessage: z.string().openapi({ example: "[VALIDATION] the body is not valid JSON" }),
    details: z.string().optional(),
  })
  .openapi("Error");

/** An integer of any size in an answer. */
export const BigInteger = z.bigint().openapi({ type: "integer", format: "bigint" });

/** A non-negative integer in an answer: ids and counts. */
export const Count = z.int().min(0);

/** A timestamp in an answer, in the wire form. */
export const TimestampOutput = z.string().openapi({ format: "date-time" });

const TRUE_TEXTS = new Set(["true", "1"]);

/** A boolean query parameter: true for `true` and `1` in any case, false for everything else. */
export const BooleanParam = z
  .string()
  .optional()
  .transform((text) => text !== undefined && TRUE_TEXTS.has(text.toLowerCase()))
  .openapi({ type: "boolean" });

const PositionResponse = z
  .object({ line: z.int().min(0), character: z.int().min(0) })
  .openapi("SourcePosition", {
    description: "As in the Language Server Protocol: from 0, characters in UTF-16 code units.",
  });

/** A range of a source text, in the form of the Language Server Protocol. */
export const RangeResponse = z
  .object({ start: PositionResponse, end: PositionResponse })
  .openapi("SourceRange", { description: "The end is exclusive." });

/** Descriptions of error answers, by status. */
export const ERROR_DESCRIPTIONS: Readonly<Record<ErrorStatus, string>> = {
  400: "The request is refused: `errorCode` says why",
  401: "The token is absent, invalid, expired or lacks the scope",
  404: "Not found",
  405: "The path has no such method",
  409: "The request conflicts with what is stored",
  412: "Two options of the request exclude each other",
  413: "The request is too large",
  415: "The request has a body of another type",
  429: "Too many requests of this kind: try again after the seconds in `Retry-After`",
  500: "An unexpected error",
  503: "Too busy, or the deployment is disarmed and would have to call another server: nothing was stored, try again after the seconds in `Retry-After`",
  507: "Storage is full: nothing was written",
};

/** The schema of `{"data": ...}`. */
export const dataOf = <T extends z.ZodType>(schema: T) => z.object({ data: schema });

/** The schema of a page: `{"cursor": {...}}`. */
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

/** The JSON of `{"data": ...}` around serialised data. */
export const dataText = <T>(written: JsonText<T>): JsonText<{ data: T }> =>
  `{"data":${written}}` as JsonText<{ data: T }>; // The text has the form of its type.

/** The JSON of `toCursorView`'s envelope around serialised items. */
export function cursorText<T>({
  pageSize,
  hasMore,
  previous,
  next = "",
  data,
}: Page<ItemsText<T>>): JsonText<ReturnType<typeof toCursorView<T>>> {
  const before = previous === undefined ? "" : `"previous":${quoteJson(previous)},`;
  return `{"cursor":{"pageSize":${pageSize},"hasMore":${hasMore},${before}"next":${quoteJson(next)},"data":[${data.join(",")}]}}` as ReturnType<
    typeof cursorText<T>
  >; // The text has the form of its type.
}

/** The envelope of a page; `next` is empty on the last page. */
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
