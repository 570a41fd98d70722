import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Parameters, parseForm } from "./body.ts";
import type { AppEnv } from "./context.ts";
import { toValidationError } from "#platform/validation.ts";

/** Query parameters as the schema sees them. */
export function queryOf({ req: { url } }: Context<AppEnv>): Parameters {
  const [path = ""] = url.split("#", 1);
  const start = path.indexOf("?");
  return start === -1 ? {} : parseForm(path.slice(start + 1), "query");
}

/** The names of the headers that a schema describes; none where there is no schema. */
export const headerNames = (schema: z.ZodType | undefined): readonly string[] =>
  schema === undefined ? [] : Object.keys(asObject(schema).shape);

/** The headers of these names. A request may write their names in letters of any size. */
export function headersOf(names: readonly string[], c: Context<AppEnv>) {
  const headers: Record<string, string | undefined> = {};
  for (const name of names) headers[name] = c.req.header(name);
  return headers;
}

/** A part of a request in the form of its schema. Throws `VALIDATION` naming the part, if it does not fit. */
export function parsePart<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  what: string,
): z.output<S> {
  if (schema === undefined) return undefined as z.output<S>; // the handler of such a spec sees `unknown`
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, what);
}

/** Parses the queries of many requests. Most have none, which is parsed once. */
export function queryParser<S extends z.ZodType>(
  schema: S | undefined,
): (given: Parameters) => z.output<S> {
  let ofNone: { readonly query: z.output<S> } | undefined;
  return (given) => {
    for (const _name in given) return parsePart(schema, given, QUERY);
    ofNone ??= { query: frozen(parsePart(schema, given, QUERY)) };
    return ofNone.query;
  };
}

const QUERY = "query parameter";

/** The same value, which nobody can change: other requests get it, too. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}

/** The schema of parameters or headers, whose members have their names. */
export function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new Error("parameters are described by an object schema");
}
