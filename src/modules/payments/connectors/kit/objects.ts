import { z } from "zod";
import { InvalidObjectError } from "#modules/payments/connectors/connector-error.ts";
import { decimalSource, parseJson, stringifyJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import { TimestampInput } from "#platform/validation.ts";

/** The parts of schemas of providers' objects. */

/** An id or another text that must not be empty. */
export const Text = z.string().min(1);
export const Date3339 = TimestampInput;
/** An integer number of minor units, as a text or a number. */
export const Amount = z
  .union([z.string().regex(/^[+-]?\d{1,200}$/), z.int(), z.bigint()])
  .transform((value) => BigInt(typeof value === "string" ? value.replace(/^\+/, "") : value));

/** A number with or without a fraction, as a text or a number; the output is its text. */
export const DecimalText = z
  .union([z.string(), z.int(), z.bigint(), z.symbol()])
  .transform((value) => (typeof value === "symbol" ? decimalSource(value) : String(value)))
  .pipe(z.string().regex(/^-?\d{1,200}(?:\.\d{1,50})?$/));

/** A time in seconds since 1970. */
export const UnixSeconds = z.int().transform((seconds) => fromMillis(seconds * 1000));

/** An id, as a text or a number; the output is a text. */
export const Id = z.union([Text, z.int(), z.bigint()]).transform(String);

/** Metadata of texts. Other values become JSON text, so that no value of a provider is lost. */
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

/** A text that may be absent, null or empty; the output for all three is undefined. */
export const OptionalText = z
  .string()
  .nullish()
  .transform((text) => (text === null || text === "" ? undefined : text));

/** The JSON value of a text; undefined for a text that is not JSON, so that no schema accepts it. */
export function parseBody(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}

/** The row of a table by its name; undefined for a name without a row, because providers add values without notice. */
export const rowOf = <Row>(
  table: Readonly<Record<string, Row>>,
  name: string | null | undefined,
): Row | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

/** A value of a provider, parsed by a schema; `what` names the value in errors. Throws `InvalidObjectError`. */
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
