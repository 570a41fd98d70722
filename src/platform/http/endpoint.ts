import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { accessOf, enter } from "./access.ts";
import {
  type AnyAnswer,
  type PagedAnswer,
  respond,
  respondInPages,
  respondInTexts,
  textsOfAnswer,
  wantsTexts,
} from "./answers.ts";
import type { Scope } from "./authenticator.ts";
import {
  BODY_BYTES_MAX,
  contentTypeOf,
  parseBody,
  parseForm,
  readChunks,
  readText,
} from "./body.ts";
import { commonJsonAnswer } from "./common-headers.ts";
import type { AppEnv } from "./context.ts";
import { failureIn, KEPT_LENGTH_MAX } from "./failures/failure-in.ts";
import {
  asObject,
  headersOf,
  namesOf,
  paramsReader,
  parseEmptyBody,
  parsePart,
  queryReader,
} from "./request-parts.ts";
import { type Answer, errorResponses, type Responses, type ResponseSpec } from "./responses.ts";
import { ErrorResponse } from "./schemas.ts";
import type { WorkKind } from "#platform/admission/work-kinds.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import { unsupported } from "#platform/validation.ts";

export { empty, errors, json, longList, texts } from "./responses.ts";
export type { Answer, Responses, ResponseSpec } from "./responses.ts";

/**
 * One operation of the HTTP API: registers it with the OpenAPI document, checks the token, parses and validates what the
 * request carries, calls the handler, and writes its answer. Modules read requests and write answers in no other way.
 */
export interface EndpointSpec<
  P extends z.ZodType,
  Q extends z.ZodType,
  H extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
> {
  readonly method: Method;
  /** Path below the app that it is registered on, with `{name}` for parameters. */
  readonly path: string;
  /** Other spellings of the path that clients use; the document does not show them. */
  readonly aliases?: readonly string[];
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  /** What the token must allow; `"public"` needs no token. */
  readonly scope: Scope | "public";
  /** Whether it honours the ledgers that a token is bound to, where its path names none. Others are closed to such a token. */
  readonly honoursLedgers?: boolean;
  /** Of which kind the operation's work is, whose budget the caller has a share of; an ordinary request by default. A function says it by the request. */
  readonly work?: WorkKind | ((c: Context<AppEnv>) => WorkKind);
  readonly params?: P;
  readonly query?: Q;
  /** The headers that the handler reads, besides those that every request may have. */
  readonly headers?: H;
  /**
   * Parameters of the API that this version does not support. A request that has one is refused with the parameter's
   * name.
   */
  readonly unsupportedQuery?: readonly string[];
  readonly body?: B;
  /** How the body is written, where it is not JSON: a form's schema is an object of texts. */
  readonly bodyKind?: BodyKind;
  /** The kind of the failure of a body that is absent, malformed or of wrong types, where it is not `VALIDATION`. */
  readonly bodyFailure?: FailureKind;
  /** How bodies of other content types are read: what these give goes through the same schema. */
  readonly otherBodies?: Readonly<Record<string, (text: string) => unknown>>;
  /** Largest body in bytes, where it is not `BODY_BYTES_MAX`. */
  readonly bodyBytesMax?: number;
  /** What is made of a JSON body before the schema sees it. */
  readonly normalizeBody?: (value: unknown) => unknown;
  /** Reads the JSON bodies that most requests have, in less time than the schema, and gives what it would; undefined leaves a body to the schema. */
  readonly plainBody?: (value: unknown) => z.output<B> | undefined;
  /**
   * The fields of a JSON body that the list of failed requests may show, none by default: `reference`, or `postings.amount` for a field of
   * each item of a list. Fields with secrets, metadata and scripts are never among them.
   */
  readonly recordedFields?: readonly string[];
  /** Bodies of other content types, which the handler gets as they arrive. */
  readonly streams?: Streams<P, Q>;
  readonly responses: R;
  /** Refuses a request because of its headers or query, before the body is read. */
  readonly before?: (c: Context<AppEnv>) => void;
  /** Whether the header `Formance-Bigint-As-String` makes the answer print its amounts as texts. */
  readonly bigintAsString?: boolean;
  /** Writes the answer of an expected failure if the protocol of the operation has its own error body. */
  readonly failure?: (error: AppError, c: Context<AppEnv>) => Answer<NoInfer<R>>;
}

/** How an operation takes bodies of unknown length. */
export interface Streams<P extends z.ZodType, Q extends z.ZodType> {
  /** The document's description of each content type. */
  readonly contentTypes: Readonly<Record<string, z.ZodType>>;
  readonly handler: (parsed: ParsedStream<z.output<P>, z.output<Q>>) => Promise<PagedAnswer>;
}

export type Method = "get" | "head" | "post" | "put" | "patch" | "delete";
export type BodyKind = keyof typeof CONTENT_TYPES;
const CONTENT_TYPES = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  /** Of any type: the handler gets its chunks as they arrive. */
  chunks: "application/octet-stream",
} as const;

/** The schema of a body that is `chunks`. */
export const Chunks = z
  .custom<AsyncIterable<Uint8Array>>()
  .openapi({ type: "string", format: "binary" });

export interface Parsed<P, Q, H, B> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly context: ServiceContext;
  readonly c: Context<AppEnv>;
}

/** A request with a body that is still arriving. */
export interface ParsedStream<P, Q> {
  readonly params: P;
  readonly query: Q;
  readonly contentType: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly c: Context<AppEnv>;
}

const None = z.unknown();

export function endpoint<
  P extends z.ZodType = typeof None,
  Q extends z.ZodType = typeof None,
  H extends z.ZodType = typeof None,
  B extends z.ZodType = typeof None,
  const R extends Responses = Responses,
>(
  app: OpenAPIHono<AppEnv>,
  spec: EndpointSpec<P, Q, H, B, R>,
  handler: (
    parsed: Parsed<z.output<P>, z.output<Q>, z.output<H>, z.output<B>>,
  ) => Answer<NoInfer<R>> | Promise<Answer<NoInfer<R>>>,
): void {
  register(app, spec);
  const paths = [spec.path, ...(spec.aliases ?? [])].map(toRoutePath);
  // Hono answers HEAD through the GET handlers, so the two share a route and are distinguished here.
  const verb = spec.method === "head" ? "get" : spec.method;
  const names = namesOf(spec.headers);
  const isPublic = spec.scope === "public";
  const readParams = paramsReader(spec.params, isPublic);
  const readQuery = queryReader(spec.query, isPublic);
  const access = accessOf(app, spec);
  const { unsupportedQuery = [], work = "request" } = spec;
  const isJson = spec.bodyKind === undefined && spec.otherBodies === undefined;
  app.on(verb.toUpperCase(), paths, async (c, next) => {
    if (verb === "get" && c.req.raw.method.toLowerCase() !== spec.method) return next();
    const request = c.get("request");
    request.operation = spec;
    try {
      const entering = enter(c, access, typeof work === "string" ? work : work(c));
      if (entering !== undefined) await entering;
      const { isWalk, parse: parseQuery } = readQuery(c);
      if (!isWalk && unsupportedQuery.length > 0) assertSupported(unsupportedQuery, c);
      spec.before?.(c);
      const parsed = {
        params: readParams(c.req.param()),
        query: parseQuery(),
        headers: parsePart(spec.headers, headersOf(names, c), "header"),
        context: c.get("context"),
        c,
      };
      const contentType = spec.streams === undefined ? "" : contentTypeOf(c.req.raw);
      if (spec.streams !== undefined && Object.hasOwn(spec.streams.contentTypes, contentType)) {
        const stream = { contentType, chunks: readChunks(c.req.raw) };
        const answer = await spec.streams.handler({ ...parsed, ...stream });
        if (answer.status >= 400) request.failure = failureIn(answer);
        return await respondInPages(answer, { request });
      }
      const answer: AnyAnswer = await handler({
        ...parsed,
        body:
          isWalk || (isJson && c.req.raw.body === null)
            ? withBodyFailure(spec, () => parseEmptyBody(spec.body))
            : await withBodyFailure(spec, () => parseBodyPart(spec, c)),
      });
      const response = send(answer, spec, c);
      return response instanceof Promise ? await response : response;
    } catch (error) {
      if (spec.failure === undefined || !(error instanceof AppError)) throw error;
      return respond(spec.failure(error, c));
    }
  });
}

/** Sends the answer of a handler, at once unless it is made while it is sent. */
function send(
  answer: AnyAnswer,
  spec: Pick<AnySpec, "responses" | "bigintAsString">,
  c: Context<AppEnv>,
): Response | Promise<Response> {
  const request = c.get("request");
  if (answer.status >= 400) request.failure = failureIn(answer);
  const texts = textsOfAnswer(answer);
  if (texts !== undefined) {
    const { status } = answer;
    const contentType = spec.responses[status]?.contentType ?? CONTENT_TYPES.json;
    return respondInTexts(texts, { status, contentType, request });
  }
  const response = respond(answer, {
    wantsTexts: () => spec.bigintAsString === true && wantsTexts(c),
    common: commonJsonAnswer(request.id, { isSilent: request.deployment.isOpenToAll }),
  });
  request.hasCommonHeaders = true;
  return response;
}

const toRoutePath = (path: string): string =>
  path === "" ? "/" : path.replaceAll(/\{([^}]+)\}/g, ":$1");

function assertSupported(names: readonly string[], c: Context<AppEnv>): void {
  if (!c.req.url.includes("?")) return;
  for (const name of names) {
    const value = c.req.query(name) ?? "";
    if (value !== "" && value !== "false") throw unsupported(name);
  }
}

/** Runs the parser of a body, whose failure gets the kind that the operation names. */
function withBodyFailure<T>({ bodyFailure }: Pick<AnySpec, "bodyFailure">, parse: () => T): T {
  if (bodyFailure === undefined) return parse();
  try {
    const parsed = parse();
    return parsed instanceof Promise
      ? (parsed.catch((error: unknown) => refuseAs(bodyFailure, error)) as T) // the promise still gives the parsed body
      : parsed;
  } catch (error) {
    return refuseAs(bodyFailure, error);
  }
}

function refuseAs(kind: FailureKind, error: unknown): never {
  if (!(error instanceof AppError) || error.kind !== "VALIDATION") throw error;
  const { message, details } = error;
  throw new AppError(kind, message, {
    cause: error,
    ...(details === undefined ? {} : { details }),
  });
}

async function parseBodyPart<S extends z.ZodType>(
  spec: BodySpec & {
    readonly body?: S;
    readonly plainBody?: (value: unknown) => z.output<S> | undefined;
  },
  c: Context<AppEnv>,
): Promise<z.output<S>> {
  if (spec.body === undefined) return undefined as z.output<S>; // the handler of such a spec sees `unknown`
  if (spec.bodyKind === "chunks") return readChunks(c.req.raw) as z.output<S>; // the schema is `Chunks`
  const text = await readText(c.req.raw, spec.bodyBytesMax ?? BODY_BYTES_MAX);
  if (text.length <= KEPT_LENGTH_MAX) c.get("request").body = text;
  const { normalizeBody = (parsed) => parsed } = spec;
  const value = normalizeBody(bodyParserOf(spec, c)(text));
  if (value === undefined) return parseEmptyBody(spec.body);
  return spec.plainBody?.(value) ?? parsePart(spec.body, value, "body");
}

function bodyParserOf(
  { bodyKind, otherBodies }: Pick<AnySpec, "bodyKind" | "otherBodies">,
  c: Context<AppEnv>,
): (text: string) => unknown {
  const standard = bodyKind === "form" ? parseForm : parseBody;
  if (otherBodies === undefined) return standard;
  const contentType = contentTypeOf(c.req.raw);
  const other = Object.hasOwn(otherBodies, contentType) ? otherBodies[contentType] : undefined;
  return other ?? standard;
}

type BodySpec = Pick<AnySpec, "bodyKind" | "otherBodies" | "bodyBytesMax" | "normalizeBody">;
type AnySpec = EndpointSpec<z.ZodType, z.ZodType, z.ZodType, z.ZodType, Responses>;

/** What the common errors of an operation depend on. */
interface OperationShape {
  readonly scope: Scope | "public";
  readonly body?: z.ZodType;
  readonly bodyKind?: BodyKind;
  readonly failure?: unknown;
}

/** The errors of every operation, because any request can have a broken URL or meet a deployment that is busy or full. */
function commonErrors({ scope, body, bodyKind, failure }: OperationShape): Responses {
  const isLimited = body !== undefined && bodyKind !== "chunks" && failure === undefined;
  return errorResponses([
    400,
    ...(scope === "public" ? [] : [401 as const]),
    ...(isLimited ? [413 as const] : []),
    429,
    500,
    503,
    507,
  ]);
}

/**
 * An operation may declare its own error answer for a status. The common error answer of that status stays possible,
 * because checks before the handler use it.
 */
const withCommonErrors = (status: string, schema: z.ZodType): z.ZodType =>
  Number(status) < 400 || schema === ErrorResponse ? schema : z.union([schema, ErrorResponse]);

function register<
  P extends z.ZodType,
  Q extends z.ZodType,
  H extends z.ZodType,
  B extends z.ZodType,
  R extends Responses,
>(app: OpenAPIHono<AppEnv>, spec: EndpointSpec<P, Q, H, B, R>): void {
  const { scope } = spec;
  app.openAPIRegistry.registerPath({
    method: spec.method,
    path: spec.path === "" ? "/" : spec.path,
    operationId: spec.operationId,
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...(spec.tags === undefined ? {} : { tags: [...spec.tags] }),
    security: scope === "public" ? [] : [{ oauth2: [scope] }, { token: [] }],
    request: {
      ...(spec.params === undefined ? {} : { params: asObject(spec.params) }),
      ...(spec.query === undefined ? {} : { query: asObject(spec.query) }),
      ...(spec.headers === undefined ? {} : { headers: asObject(spec.headers) }),
      ...(spec.body === undefined
        ? {}
        : {
            body: {
              required: !spec.body.safeParse(undefined).success,
              content: bodyContent(spec.body, spec),
            },
          }),
    },
    responses: Object.fromEntries(
      Object.entries({ ...commonErrors(spec), ...spec.responses }).map(([status, response]) => [
        status,
        {
          description: response.description,
          ...(response.headers === undefined ? {} : { headers: response.headers }),
          ...contentOf(status, response),
        },
      ]),
    ),
  });
}

/** The schemas of a body, by content types. */
function bodyContent(
  body: z.ZodType,
  {
    bodyKind = "json",
    otherBodies = {},
    streams,
  }: Pick<AnySpec, "bodyKind" | "otherBodies"> & {
    readonly streams?: Pick<Streams<z.ZodType, z.ZodType>, "contentTypes">;
  },
) {
  const schemas: [string, z.ZodType][] = [
    [CONTENT_TYPES[bodyKind], body],
    // A client sends them as they are.
    ...Object.keys(otherBodies).map((type): [string, z.ZodType] => [type, Chunks]),
    ...Object.entries(streams?.contentTypes ?? {}),
  ];
  return Object.fromEntries(schemas.map(([contentType, schema]) => [contentType, { schema }]));
}

function contentOf(status: string, { schema, contentType = CONTENT_TYPES.json }: ResponseSpec) {
  if (schema !== undefined) {
    return { content: { [contentType]: { schema: withCommonErrors(status, schema) } } };
  }
  const isText = contentType !== CONTENT_TYPES.json;
  return isText ? { content: { [contentType]: { schema: z.string() } } } : {};
}
