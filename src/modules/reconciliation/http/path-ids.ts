import { z } from "@hono/zod-openapi";
import { parseUuid } from "#modules/reconciliation/core/uuid.ts";
import { AppError } from "#platform/errors.ts";

/** Longest part of a text that a message repeats, in characters. */
const SHOWN_MAX = 80;

/** The UUID in a text, in lower case. Throws `INVALID_ID`. */
export function toUuid(text: string): string {
  const id = parseUuid(text);
  if (id !== undefined) return id;
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  throw new AppError("INVALID_ID", `'${shown}' is not a UUID: invalid id`);
}

/** A parameter of a path that is a UUID, in any of the forms of `parseUuid`. */
export const uuidParam = () =>
  z.string().transform(toUuid).openapi({ type: "string", format: "uuid" });
