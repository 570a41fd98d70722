import { type OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { html } from "hono/html";
import { assertOwnPage } from "./browser.ts";
import { layout, type Markup, PAGE_HEADERS } from "./layout.ts";
import { PageError } from "./page-error.ts";
import { issuerOf } from "#modules/auth/verification/issuer.ts";
import { takeRate } from "#platform/admission/rates.ts";
import { systemClock } from "#platform/clock.ts";
import { ANONYMOUS, type ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { readText } from "#platform/http/body.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { addressOf } from "#platform/http/sender/address.ts";
import { stringifyJson } from "#platform/json.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { parseRequestJson } from "#platform/request-json.ts";

/** A request for a page, or a form. */
export interface PageRequest {
  readonly c: Context<AppEnv>;
  readonly context: ServiceContext;
  /** The issuer of this server for the request. */
  readonly issuer: string;
  /** Parameters of the URL, fields of the form, or those fields of the JSON object that are texts. */
  readonly params: URLSearchParams;
}

type HeaderFields = Readonly<Record<string, string>>;

export type PageAnswer =
  | {
      readonly kind: "page";
      readonly status?: number;
      readonly page: Markup;
      readonly headers?: HeaderFields;
    }
  | { readonly kind: "text"; readonly status: number; readonly text: string }
  | {
      readonly kind: "json";
      readonly status?: number;
      readonly body: object;
      readonly headers?: HeaderFields;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "redirect"; readonly to: string };

export interface PageSpec {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Whether other sites may send the form. It is an application's request to log somebody in or out. */
  readonly fromAnywhere?: boolean;
  /** Whether a script sends the request: an object of JSON instead of a form, whose errors are answered in JSON, too. */
  readonly isJson?: boolean;
}

/** Largest form, in bytes. */
const FORM_BYTES_MAX = 64 * 1024;

/**
 * Registers a page for people. Pages are no operations of the API: they answer HTML, need no token, and are the only routes that
 * read cookies. A request counts against the rate of its address before anything is read, because nobody is logged in yet.
 */
export function registerPage(
  app: OpenAPIHono<AppEnv>,
  spec: PageSpec,
  handler: (request: PageRequest) => Promise<PageAnswer>,
): void {
  app.on(spec.method, spec.path, async (c) => {
    try {
      await takeRate(c.env.PAGE_RATE, addressOf(c.req.raw, c.env));
      const issuer = issuerOf(platformSettings.of(c.env).FLORIN_PUBLIC_URL, c.req.url);
      if (spec.method === "POST" && spec.fromAnywhere !== true) assertOwnPage(c.req.raw, issuer);
      const request = { c, issuer, context: contextOf(c), params: await paramsOf(c, spec) };
      return await toResponse(c, spec, await handler(request));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return toResponse(c, spec, spec.isJson === true ? errorJson(error) : errorPage(error));
    }
  });
}

/**
 * Redirects a form of a client's page to a link with the same parameters. Browsers send no cookies with a form of another site,
 * but send them when they follow the link.
 */
export function registerFormAsLink(app: OpenAPIHono<AppEnv>, path: string): void {
  const spec = { method: "POST", path, fromAnywhere: true } as const;
  registerPage(app, spec, async ({ issuer, params }) => ({
    kind: "redirect",
    to: `${issuer}${path}?${params.toString()}`,
  }));
}

const contextOf = (c: Context<AppEnv>): ServiceContext => ({
  env: c.env,
  principal: ANONYMOUS,
  requestId: c.get("request").id,
  clock: systemClock,
});

async function paramsOf(c: Context<AppEnv>, spec: PageSpec): Promise<URLSearchParams> {
  if (spec.method === "GET") return new URL(c.req.url).searchParams;
  const text = await readText(c.req.raw, FORM_BYTES_MAX);
  if (spec.isJson !== true) return new URLSearchParams(text);
  const fields = Object.entries(parseRequestJson(text, "the body") ?? {});
  const texts = fields.filter((field): field is [string, string] => typeof field[1] === "string");
  return new URLSearchParams(texts);
}

async function toResponse(
  c: Context<AppEnv>,
  { method }: PageSpec,
  answer: PageAnswer,
): Promise<Response> {
  const headers = "headers" in answer ? answer.headers : undefined;
  for (const [name, value] of Object.entries({ ...PAGE_HEADERS, ...headers }))
    c.header(name, value);
  if (answer.kind === "redirect") {
    c.header("location", answer.to);
    // After a form, 303 makes the browser go on with GET and leave the form's fields behind.
    return c.body(null, method === "POST" ? 303 : 302);
  }
  if (answer.kind === "json") {
    c.header("content-type", "application/json");
    return withStatus(c.body(stringifyJson(answer.body)), answer.status ?? 200);
  }
  if (answer.kind === "empty") return c.body(null, 204);
  if (answer.kind === "text") return withStatus(c.text(answer.text), answer.status);
  return withStatus(await c.html(answer.page), answer.status ?? 200);
}

const withStatus = (response: Response, status: number): Response =>
  new Response(response.body, { status, headers: response.headers });

/** The page that shows an error to a person. */
function errorPage(error: AppError): PageAnswer {
  const { text, ...rest } = shownError(error);
  const page = layout({ title: "That did not work", body: html`<p role="alert">${text}</p>` });
  return { kind: "page", page, ...rest };
}

/** The error as the API shows errors, for a script. */
function errorJson(error: AppError): PageAnswer {
  const { text, ...rest } = shownError(error);
  const errorCode = CODES[rest.status] ?? "VALIDATION";
  const body = { errorCode, errorMessage: `[${errorCode}] ${text}` };
  return { kind: "json", body, ...rest };
}

const CODES: Readonly<Record<number, string>> = {
  404: "NOT_FOUND",
  500: "INTERNAL",
  503: "INTERNAL",
};

function shownError(error: AppError) {
  const status = error instanceof PageError ? error.status : (STATUSES[error.kind] ?? 500);
  const text = status < 500 ? error.message : "Something went wrong on our side. Try again later.";
  const retryAfter = error.retryAfterSeconds;
  const headers: HeaderFields =
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return { status, text, headers };
}

const STATUSES: Readonly<Record<string, number>> = {
  VALIDATION: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  BODY_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
};
