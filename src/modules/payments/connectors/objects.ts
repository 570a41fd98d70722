import { z } from "zod";
import { ConnectorError } from "./connector-error.ts";
import { stringifyJson } from "#platform/json.ts";
import { TimestampInput } from "#platform/validation.ts";

/** The parts of what providers send. */

/** An id or another text that has to be there. */
export const Text = z.string().min(1);
/** A date as RFC 3339. */
export const Date3339 = TimestampInput;
/** An integer in minor units, written as a text or as a number. */
export const Amount = z
  .union([z.string().regex(/^[+-]?\d{1,200}$/), z.int(), z.bigint()])
  .transform((value) => BigInt(typeof value === "string" ? value.replace(/^\+/, "") : value));

/** Texts by names; other values are written as JSON, because no value of a provider is lost. */
export const Metadata = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((members) =>
    Object.fromEntries(
      Object.entries(members ?? {}).map(([name, value]) => [
        name,
        typeof value === "string" ? value : stringifyJson(value),
      ]),
    ),
  );

/** A text that may be absent, which is null or empty as well. */
export const OptionalText = z
  .string()
  .nullish()
  .transform((text) => (text === null || text === "" ? undefined : text));

/** A value of a provider in the form of its schema. Throws `ConnectorError`: a page with a bad item is not stored at all. */
export function parseObject<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: string,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  const where = place === "" ? what : `${what}: '${place}'`;
  throw new ConnectorError("invalid", `${where} of the provider is not valid: ${issue?.message}`);
}
