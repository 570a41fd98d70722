import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Parameters, parseForm } from "./body.ts";
import type { AppEnv } from "./context.ts";
import { AppError } from "#platform/errors.ts";
import { FifoCache, frozen } from "#platform/memo.ts";
import { toValidationError } from "#platform/validation.ts";

export interface ReadQuery<Q> {
  /** Whether the request continues a list: its cursor holds the whole query, and other parameters except the page size are ignored. */
  readonly isWalk: boolean;
  /** Gives the query in the form of its schema, frozen. Throws `VALIDATION` for a query that does not fit. */
  readonly parse: () => Q;
}

/**
 * Reads the queries of many requests. Clients repeat queries, and most requests have none, so that recent queries are cached by their text.
 * A query of a public operation may contain a login code, so that only the empty query of a public operation is cached.
 */
export function queryReader<S extends z.ZodType>(
  schema: S | undefined,
  isPublic = false,
): (c: Context<AppEnv>) => ReadQuery<z.output<S>> {
  const cached = new FifoCache<ReadQuery<z.output<S>>>(boundsOf(isPublic));
  return (c) => {
    const text = queryTextOf(c);
    const known = cached.get(text);
    if (known !== undefined) return known;
    const given = text === "" ? {} : parseForm(text, "query");
    const isWalk = followsCursor(schema, given);
    if (text !== "" && isOwnRoute(c)) assertKnown(namesOf(schema), given);
    const parse = (): z.output<S> => {
      const query = frozen(parsePart(schema, isWalk ? walkOf(given) : given, QUERY));
      cached.set(text, { isWalk, parse: () => query });
      return query;
    };
    return { isWalk, parse };
  };
}

const QUERY = "query parameter";
/** Paths of Florin's own operations, where unknown parameters are errors: no client depends on their being ignored. */
const OWN_ROUTES = "/api/florin/v1/";

function isOwnRoute(c: Context<AppEnv>): boolean {
  const { url } = c.get("request");
  return url.slice(0, url.indexOf("?")).includes(OWN_ROUTES);
}

/** Throws `VALIDATION` for an unknown parameter: a list would ignore a filter with a misspelt name and show all rows. */
function assertKnown(names: readonly string[], given: Parameters): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? "none" : names.join(", ");
  throw new AppError(
    "VALIDATION",
    `there is no query parameter '${unknown.slice(0, 80)}' here; the parameters are: ${known}`,
  );
}

/** The text of the query, without the question mark; empty if there is none. */
export function queryTextOf(c: Context<AppEnv>): string {
  const { url } = c.get("request");
  const start = url.indexOf("?");
  if (start === -1) return "";
  const end = url.indexOf("#");
  return end === -1 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/**
 * Parses the parameters of many paths, each parameter by its own schema. Recent values of the first parameter, in most paths the ledger,
 * are cached and frozen, except those of a public operation.
 */
export function paramsReader<S extends z.ZodType>(
  schema: S | undefined,
  isPublic = false,
): (params: Readonly<Record<string, string>>) => z.output<S> {
  const parseAll = (params: Readonly<Record<string, string>>) =>
    parsePart<S>(schema, params, "path parameter");
  // A schema with checks of its own tests parameters together.
  if (schema === undefined || asObject(schema).def.checks !== undefined) return parseAll;
  const members = Object.entries<z.core.$ZodType>(asObject(schema).shape);
  const readers = members.map(
    ([name, member], index) =>
      [name, index === 0 ? cachingReader(member, isPublic) : partReader(member)] as const,
  );
  return (params) => {
    const parsed: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const part = read(params[name]);
      if (part === undefined) return parseAll(params); // `parseAll` throws the error for the part that does not fit.
      parsed[name] = part.value;
    }
    return parsed as z.output<S>; // Each member was parsed by its schema.
  };
}

/** Parses a text by a schema; undefined for a text that does not fit. */
type PartReader = (text: string | undefined) => { readonly value: unknown } | undefined;

const partReader =
  (schema: z.core.$ZodType): PartReader =>
  (text) => {
    const { success, data } = z.safeParse(schema, text);
    return success ? { value: data } : undefined;
  };

function cachingReader(schema: z.core.$ZodType, isPublic: boolean): PartReader {
  const cached = new FifoCache<{ readonly value: unknown }>(boundsOf(isPublic));
  const read = partReader(schema);
  return (text) => {
    if (text === undefined) return read(text);
    const known = cached.get(text);
    if (known !== undefined) return known;
    const part = read(text);
    if (part !== undefined) cached.set(text, frozen(part));
    return part;
  };
}

/** Bounds of the cache for one part of an operation, in texts. */
const PART_CACHE = { sizeMax: 16, keyLengthMax: 512 };
/** Bounds of the cache for a public operation, whose parameters may be secrets, which must not stay in memory. */
const EMPTY_ONLY = { sizeMax: 1, keyLengthMax: 0 };

const boundsOf = (isPublic: boolean) => (isPublic ? EMPTY_ONLY : PART_CACHE);

const followsCursor = (schema: z.ZodType | undefined, given: Parameters): boolean =>
  given["cursor"] !== undefined && schema instanceof z.ZodObject && "cursor" in schema.shape;

/** The parameters that count in a request with a cursor. */
const walkOf = (given: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(given).filter(([name]) => name === "cursor" || name === "pageSize"),
  );

/** The names of the headers or parameters of a schema; none without a schema. */
export const namesOf = (schema: z.ZodType | undefined): readonly string[] =>
  schema === undefined ? [] : Object.keys(asObject(schema).shape);

/** The headers with these names, which are case-insensitive. */
export function headersOf(names: readonly string[], c: Context<AppEnv>) {
  const headers: Record<string, string | undefined> = {};
  for (const name of names) headers[name] = c.req.header(name);
  return headers;
}

/** Parses a part of a request by its schema. Throws `VALIDATION`, naming the part, if the part does not fit. */
export function parsePart<S extends z.ZodType>(
  schema: S | undefined,
  value: unknown,
  what: string,
): z.output<S> {
  if (schema === undefined) return undefined as z.output<S>; // Without a schema, the handler sees `unknown`.
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, what);
}

/** Parses an empty body by its schema. Throws `VALIDATION` if the operation requires a body. */
export function parseEmptyBody<S extends z.ZodType>(schema: S | undefined): z.output<S> {
  if (schema === undefined) return undefined as z.output<S>; // Without a schema, the handler sees `unknown`.
  const empty = schema.safeParse(undefined);
  if (!empty.success) throw new AppError("VALIDATION", "the body is empty");
  return empty.data;
}

/** The object schema of parameters or headers. Throws for any other schema. */
export function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new Error("parameters are described by an object schema");
}
