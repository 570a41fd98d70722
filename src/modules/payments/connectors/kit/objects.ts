import { z } from "zod";
import { InvalidObjectError } from "#modules/payments/connectors/connector-error.ts";
import { decimalSource, parseJson, stringifyJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
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

/** A number with or without a fraction, written as a text or as a number, as the text of it. */
export const DecimalText = z
  .union([z.string(), z.int(), z.bigint(), z.symbol()])
  .transform((value) => (typeof value === "symbol" ? decimalSource(value) : String(value)))
  .pipe(z.string().regex(/^-?\d{1,200}(?:\.\d{1,50})?$/));

/** Seconds since 1970. */
export const UnixSeconds = z.int().transform((seconds) => fromMillis(seconds * 1000));

/** An id that is a text or a number, as a text. */
export const Id = z.union([Text, z.int(), z.bigint()]).transform(String);

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

/** The JSON of a delivery. A text that is none is undefined, which no schema takes. */
export function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** The row of a table by its name; undefined for a name that the table does not have: providers add values without notice. */
export const rowOf = <Row>(
  table: Readonly<Record<string, Row>>,
  name: string | null | undefined,
): Row | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

/** A value of a provider in the form of its schema. Throws `InvalidObjectError`. */
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
  throw new InvalidObjectError(`${where} of the provider is not valid: ${issue?.message}`);
}
