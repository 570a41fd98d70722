import { AppError } from "#platform/errors.ts";

/** An error about an invalid request. `place` names the invalid part of the request. */
export const invalid = (message: string, place?: string): AppError =>
  new AppError("VALIDATION", message, place === undefined ? {} : { details: shown(place) });

/** An error about a write that violates the schema that it names. */
export const schemaViolation = (version: string, what: string, details?: string): AppError =>
  new AppError(
    "VALIDATION",
    `schema version [${shown(version)}]: ${what}`,
    details === undefined ? {} : { details },
  );

/** The beginning of a text of a request, for a message. */
export const shown = (text: string): string =>
  text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;

/** Longest part of a request that a message repeats, in characters. */
const SHOWN_MAX = 200;

/** A decoded JSON object. Members are read with `memberOf` or as entries, because any name may be data, also `__proto__`. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of a decoded JSON object; undefined also for null, which clients in Go send for an absent member. */
export const memberOf = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;

/** An optional text member. Throws `VALIDATION` for a member of another type. */
export function textMember(object: JsonObject, name: string, place: string): string | undefined {
  const value = memberOf(object, name);
  if (value === undefined || typeof value === "string") return value;
  throw invalid(`invalid schema: \`${name}\` must be a text`, `${place}.${name}`);
}
