import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type Parameters, parseForm } from "./body.ts";
import type { AppEnv } from "./context.ts";
import { AppError } from "#platform/errors.ts";
import { frozen, Remembered, type RememberedBounds } from "#platform/memo.ts";
import { toValidationError } from "#platform/validation.ts";

/** What a request says in its query. */
export interface ReadQuery<Q> {
  /** Whether it goes on with a list: its cursor holds the whole query, and all but the page size is ignored. */
  readonly isWalk: boolean;
  /** The query as the schema makes it, which nobody can change. Throws `VALIDATION` if it does not fit. */
  readonly parse: () => Q;
}

/**
 * Reads the queries of many requests. Clients repeat them, and most have none, so that those of a moment ago are remembered by
 * their text. What a public operation is asked with may be a code of a login, so only its empty query is.
 */
export function queryReader<S extends z.ZodType>(
  schema: S | undefined,
  isPublic = false,
): (c: Context<AppEnv>) => ReadQuery<z.output<S>> {
  const remembered = new Remembered<ReadQuery<z.output<S>>>(boundsOf(isPublic));
  return (c) => {
    const text = queryTextOf(c);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const given = text === "" ? {} : parseForm(text, "query");
    const isWalk = followsCursor(schema, given);
    if (text !== "" && isOwnRoute(c)) assertKnown(namesOf(schema), given);
    const parse = (): z.output<S> => {
      const query = frozen(parsePart(schema, isWalk ? walkOf(given) : given, QUERY));
      remembered.add(text, { isWalk, parse: () => query });
      return query;
    };
    return { isWalk, parse };
  };
}

const QUERY = "query parameter";
/** Under these paths, nobody depends on parameters being ignored that an operation does not have. */
const OWN_ROUTES = "/api/florin/v1/";

function isOwnRoute(c: Context<AppEnv>): boolean {
  const { url } = c.get("request");
  return url.slice(0, url.indexOf("?")).includes(OWN_ROUTES);
}

/** Throws `VALIDATION` for a parameter that an operation does not have: a filter whose name is misspelt would show everything. */
function assertKnown(names: readonly string[], given: Parameters): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? "none" : names.join(", ");
  throw new AppError(
    "VALIDATION",
    `there is no query parameter '${unknown.slice(0, 80)}' here; the parameters are: ${known}`,
  );
}

/** What stands behind the question mark; empty for none. */
function queryTextOf(c: Context<AppEnv>): string {
  const { url } = c.get("request");
  const start = url.indexOf("?");
  if (start === -1) return "";
  const end = url.indexOf("#");
  return end === -1 ? url.slice(start + 1) : url.slice(start + 1, end);
}

/**
 * Parses the parameters of many paths, each by its own schema. What was made of the first one, which is the ledger in most, is remembered
 * for a moment, and nobody can change it; that of a public operation is not.
 */
export function paramsReader<S extends z.ZodType>(
  schema: S | undefined,
  isPublic = false,
): (params: Readonly<Record<string, string>>) => z.output<S> {
  const parseAll = (params: Readonly<Record<string, string>>) =>
    parsePart<S>(schema, params, "path parameter");
  // Such a schema tests parameters together.
  if (schema === undefined || asObject(schema).def.checks !== undefined) return parseAll;
  const members = Object.entries<z.core.$ZodType>(asObject(schema).shape);
  const readers = members.map(
    ([name, member], index) =>
      [name, index === 0 ? rememberingReader(member, isPublic) : partReader(member)] as const,
  );
  return (params) => {
    const parsed: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const part = read(params[name]);
      if (part === undefined) return parseAll(params); // which says what is wrong
      parsed[name] = part.value;
    }
    return parsed as z.output<S>; // each member is what its schema makes of it
  };
}

/** Gives what a schema makes of a text; undefined where that does not fit. */
type PartReader = (text: string | undefined) => { readonly value: unknown } | undefined;

const partReader =
  (schema: z.core.$ZodType): PartReader =>
  (text) => {
    const { success, data } = z.safeParse(schema, text);
    return success ? { value: data } : undefined;
  };

function rememberingReader(schema: z.core.$ZodType, isPublic: boolean): PartReader {
  const remembered = new Remembered<{ readonly value: unknown }>(boundsOf(isPublic));
  const read = partReader(schema);
  return (text) => {
    if (text === undefined) return read(text);
    const known = remembered.get(text);
    if (known !== undefined) return known;
    const part = read(text);
    if (part !== undefined) remembered.add(text, frozen(part));
    return part;
  };
}

/** How many texts of a part of an operation are remembered, and how long they are at most, in characters. */
const REMEMBERED: RememberedBounds = { countMax: 16, lengthMax: 512 };
/** Secrets must not stay in memory, and what a public operation is asked with may be one. */
const EMPTY_ONLY: RememberedBounds = { countMax: 1, lengthMax: 0 };

const boundsOf = (isPublic: boolean): RememberedBounds => (isPublic ? EMPTY_ONLY : REMEMBERED);

const followsCursor = (schema: z.ZodType | undefined, given: Parameters): boolean =>
  given["cursor"] !== undefined && schema instanceof z.ZodObject && "cursor" in schema.shape;

/** What counts of the query of a request that goes on with a list. */
const walkOf = (given: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(given).filter(([name]) => name === "cursor" || name === "pageSize"),
  );

/** The names of the headers or parameters that a schema describes; none where there is no schema. */
export const namesOf = (schema: z.ZodType | undefined): readonly string[] =>
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

/** What a schema makes of an empty body. Throws `VALIDATION` where there must be one. */
export function parseEmptyBody<S extends z.ZodType>(schema: S | undefined): z.output<S> {
  if (schema === undefined) return undefined as z.output<S>; // the handler of such a spec sees `unknown`
  const empty = schema.safeParse(undefined);
  if (!empty.success) throw new AppError("VALIDATION", "the body is empty");
  return empty.data;
}

/** The schema of parameters or headers, whose members have their names. */
export function asObject(schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new Error("parameters are described by an object schema");
}
