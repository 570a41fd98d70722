import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { GUIDE_SITE } from "./guide/site.ts";
import introduction from "./introduction.md" with { type: "text" };
import { MODULES } from "./modules.ts";
import { StorageWatch } from "./platform/objects/storage-watch.ts";
import { SWEEPS } from "./sweeps.ts";
import { CONSOLE_SITE } from "#console/site.ts";
import { authModule, authSettings } from "#modules/auth/index.ts";
import { admissionSettings } from "#platform/admission/admission-settings.ts";
import { NO_QUOTAS, type QuotaUse } from "#platform/admission/quotas.ts";
import { assert } from "#platform/assert.ts";
import type { ReadOwnApi, ServiceContext } from "#platform/context.ts";
import { deadLetterSettings } from "#platform/dead-letters/dead-letter-settings.ts";
import { makeDocument, registerSecurity } from "#platform/document/document.ts";
import { registerEventTypeList } from "#platform/document/event-type-list.ts";
import { registerEventTypes } from "#platform/document/event-types.ts";
import { documentRoutes } from "#platform/document/page.ts";
import { DOCUMENT_SITE } from "#platform/document/site.ts";
import { AppError, ErrorCatalogue, INTERNAL_MESSAGE } from "#platform/errors.ts";
import { failedRequestSettings } from "#platform/failed-requests/failed-request-settings.ts";
import { respond } from "#platform/http/answers.ts";
import { admit } from "#platform/http/arrival/admit.ts";
import { type Authenticator, refusedPrincipal } from "#platform/http/authenticator.ts";
import { addCommonHeaders, REQUEST_ID_HEADER } from "#platform/http/common-headers.ts";
import type { AppEnv, Deployment, RequestFacts } from "#platform/http/context.ts";
import { answerPreflight } from "#platform/http/cors.ts";
import { recordFailure } from "#platform/http/failures/record-failure.ts";
import { logRequest, SLOW_MS } from "#platform/http/failures/request-log.ts";
import {
  type CallOwnApi,
  internalAuthenticator,
  isInternal,
  ownApiCaller,
  ownApiReader,
} from "#platform/http/internal-calls.ts";
import { compressed } from "#platform/http/pages/compressed.ts";
import { type MethodFinder, methodFinder, routeFinder } from "#platform/http/routes.ts";
import { SegmentRouter } from "#platform/http/segment-router.ts";
import { isFromEdge } from "#platform/http/sender/edge.ts";
import { newId } from "#platform/ids.ts";
import { logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { type Module, scopesOf } from "#platform/modules/module.ts";
import { registerOperatorRoutes } from "#platform/modules/operate/routes.ts";
import type { NamedSettings } from "#platform/modules/operate/settings.ts";
import { moduleFinder } from "#platform/modules/resources.ts";
import { registerSites, type Site } from "#platform/modules/site.ts";
import { registerStatus } from "#platform/modules/status-routes.ts";
import { registerVersions } from "#platform/modules/versions.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import {
  assertServedMeanwhile,
  isOfData,
  isTakingBackup,
} from "#platform/restoration/restore-mode.ts";
import { assertSettings } from "#platform/settings.ts";
import { isOpaque, isStorageFull, storageFull } from "#platform/storage-full.ts";
import { Cause, runCaused } from "#platform/tracing/cause.ts";
import { describeSpan } from "#platform/tracing/span.ts";
import { countAnswer } from "#platform/traffic/count-answer.ts";
import { trafficSettings } from "#platform/traffic/traffic-settings.ts";
import { stateGuardOf } from "#platform/upgrade/state-guard.ts";
import { countRequest } from "#platform/work/turns.ts";

const SETTINGS: readonly NamedSettings[] = [
  { owner: "platform", table: platformSettings },
  { owner: "admission", table: admissionSettings },
  { owner: "dead-letters", table: deadLetterSettings },
  { owner: "failed-requests", table: failedRequestSettings },
  { owner: "traffic", table: trafficSettings },
  ...MODULES.map(({ name: owner, settings: table }) => ({ owner, table })),
];

export function createApp(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ router: new SegmentRouter(inOneStep) });
  for (const { name, partOf = name, routes, florinRoutes, rootRoutes } of MODULES) {
    app.route(`/api/${partOf}`, routes());
    if (florinRoutes !== undefined) app.route("/api/florin/v1", florinRoutes());
    if (rootRoutes !== undefined) app.route("/", rootRoutes());
  }
  registerVersions(app, MODULES);
  registerStatus(
    app,
    MODULES,
    SWEEPS.map(({ name }) => name),
  );
  registerOperatorRoutes(app, { modules: MODULES, sweeps: SWEEPS, settings: SETTINGS });
  registerEventTypeList(app, MODULES);
  registerDocument(app);
  registerSites(app, SITES);
  const methodsOf = methodFinder(app);
  app.notFound(async (c) => {
    const file = await findFile(c);
    if (file !== undefined) return file;
    throw unmatched(c, methodsOf);
  });
  return app;
}

/** A handler and its route, as Hono passes them to its router. */
type Routed = Parameters<OpenAPIHono<AppEnv>["router"]["add"]>[2];

/** Gives the answer or a promise of the answer, or nothing if the answer is in the context. */
type Answering = (c: Context<AppEnv>) => unknown;

/** Merges the handlers of a path into one. Each handler may pass the request on to the next handler. */
function inOneStep(routed: readonly Routed[]): Routed {
  const answer = routed.reduceRight<Answering>(
    (next, [handler]) =>
      (c): unknown =>
        handler(c, () => passOn(c, next)),
    (c) => c.notFound(),
  );
  const [, route = NO_ROUTE] = routed.at(-1) ?? [];
  return [(c: Context<AppEnv>) => serve(c, answer), route];
}

const NO_ROUTE: Routed[1] = { basePath: "/", path: "*", method: "ALL", handler: () => undefined };

/** Runs the next handlers, and puts their answer into the context, where the waiting handler finds it. */
async function passOn(c: Context<AppEnv>, next: Answering): Promise<void> {
  const answer = await next(c);
  if (answer instanceof Response) c.res = answer;
}

/** Serves a request: gives it an id, as the cause of everything that it leads to. */
function serve(c: Context<AppEnv>, answer: Answering): Promise<Response> {
  countRequest();
  const { raw } = c.req;
  const id = rayOf(raw, c.env) ?? newId();
  return isInternal(raw)
    ? answerIn(c, id, answer)
    : runCaused(Cause.ofRequest(id, raw.headers), () => answerIn(c, id, answer));
}

/** Answers a request, and logs and records it if it failed. */
async function answerIn(c: Context<AppEnv>, id: string, answer: Answering): Promise<Response> {
  const startedMs = Date.now();
  const { raw } = c.req;
  let request: RequestFacts | undefined;
  let response: Response;
  try {
    if (raw.method === "OPTIONS" && !isOpenToAll(c.env)) {
      response = answerPreflight();
    } else {
      const deployment = deploymentFor(c.env);
      request = factsOf(id, raw.url, deployment);
      c.set("request", request);
      admit(raw, request, c.env);
      const guard = stateGuardOf(c.env);
      const { path } = c.req;
      if (isTakingBackup(c.env)) assertServedMeanwhile(path);
      if (!guard.fits && isOfData(path)) await guard.assertFits();
      const given = await answer(c);
      response = given instanceof Response ? given : finishedIn(c);
    }
  } catch (error) {
    response = answerError(error, c, id);
  }
  request?.ticket?.release();
  if (request?.hasCommonHeaders !== true) {
    // `c.header` would copy a finished answer.
    const { headers } = response;
    headers.set(REQUEST_ID_HEADER, id);
    addCommonHeaders(headers, { isSilent: isOpenToAll(c.env) });
  }
  if (request?.quota !== undefined) addQuotaHeaders(response.headers, request.quota);
  const { status } = response;
  const durationMs = Math.max(0, Date.now() - startedMs); // The clock may step back.
  if (status >= 400 || durationMs >= SLOW_MS) {
    const { method } = raw;
    logRequest({ id, method, path: c.req.path, facts: request, response, durationMs });
  }
  if (request !== undefined) countAnswer(c, { status, durationMs, moduleOf });
  if (!isLocal(c.env)) {
    const context = c.get("context") as ServiceContext | undefined; // A request that was refused has none.
    describeSpan(request?.operation?.operationId ?? "", context?.principal.clientId ?? "");
  }
  if (status >= 400 && request !== undefined) {
    recordFailure(c, { request, status, startedMs, durationMs, routeOf });
  }
  return response;
}

/** The facts of a request that has just come. All requests have the same members in the same order, which the engine reads fastest. */
const factsOf = (id: string, url: string, deployment: Deployment): RequestFacts => ({
  id,
  url,
  deployment,
  hasCommonHeaders: false,
  operation: undefined,
  body: undefined,
  failure: undefined,
  ticket: undefined,
  quota: undefined,
});

function addQuotaHeaders(headers: Headers, quota: QuotaUse): void {
  for (const [name, value] of Object.entries(quota.headers())) headers.set(name, value);
}

function finishedIn(c: Context<AppEnv>): Response {
  assert(c.finalized, "a handler answers or passes the request on");
  return c.res;
}

const RAY = /^[0-9a-f]{16}(-[A-Z]{3})?$/;

/**
 * The name that Cloudflare's edge gives a request. In other deployments the header is set by the client, who could choose names of other
 * requests.
 */
function rayOf(request: Request, env: Env): string | undefined {
  if (isLocal(env)) return undefined;
  const ray = request.headers.get("cf-ray") ?? "";
  return RAY.test(ray) && isFromEdge(request, env) ? ray : undefined;
}

/** Whether the deployment has no edge in front. Wrong settings count as local: they are no concern of the request's name. */
const isLocal = memoByEnv((env: Env) => {
  try {
    return platformSettings.of(env).FLORIN_LOCAL;
  } catch {
    return true; // Florin then makes the name itself, and `deploymentFor` reports the wrong setting.
  }
});

/** Whether requests need no authentication. A wrong setting counts as such, so that no other origin may read the answer that reports it. */
const isOpenToAll = memoByEnv((env: Env) => {
  try {
    return authSettings.of(env).FLORIN_AUTH === "off";
  } catch {
    return true; // `deploymentFor` reports the wrong setting.
  }
});

/** The deployment of an environment, whose settings are checked once. Throws `SettingsError`. */
const deploymentFor = memoByEnv((env: Env): Deployment => {
  assertSettings(
    SETTINGS.map(({ table }) => table),
    { ...env },
  );
  const isOpen = isOpenToAll(env);
  const verify = authModule.authenticator(env);
  // With authentication off, every caller has all scopes.
  const authenticate: Authenticator = isOpen
    ? async (request, scope) => ({ ...(await verify(request, scope)), scopes: EVERY_SCOPE })
    : (request, scope) => (internalAuthenticator(request) ?? verify)(request, scope);
  return {
    settings: platformSettings.of(env),
    scopes: ALL_SCOPES,
    authenticate,
    quotas: isOpen ? NO_QUOTAS : authModule.quotas(env),
    readOwnApi: readOwnApiOf(env),
    isOpenToAll: isOpen,
  };
});

/** The reader of the deployment's own API. */
export const readOwnApiOf = memoByEnv((env: Env): ReadOwnApi => ownApiReader(app.fetch, env));

/** The caller of the deployment's own API. */
export const callOwnApiOf = memoByEnv((env: Env): CallOwnApi => ownApiCaller(app.fetch, env));

const ALL_SCOPES = ["openid", ...Object.keys(scopesOf(MODULES))];
const EVERY_SCOPE: ReadonlySet<string> = new Set(ALL_SCOPES);

/** Finds a file of a site. On Cloudflare, files are served before the Worker runs. */
async function findFile({ env, req }: Context<AppEnv>): Promise<Response | undefined> {
  if (req.method !== "GET" || req.path.startsWith("/api/")) return undefined;
  const known = req.header("if-none-match");
  const { ok, status, body, headers } = await env.ASSETS.fetch(req.raw.url, {
    headers: known === undefined ? {} : { "if-none-match": known },
  });
  if (status === 304) return new Response(null, { status, headers: new Headers(headers) });
  return ok
    ? compressed(req.raw, new Response(body, { headers: new Headers(headers) }))
    : undefined;
}

function unmatched(c: Context<AppEnv>, methodsOf: MethodFinder): AppError {
  const methods = methodsOf(c.req.path);
  if (methods.length === 0) return new AppError("NOT_FOUND", `no route ${c.req.path}`);
  return new AppError(
    "METHOD_NOT_ALLOWED",
    `${c.req.raw.method} is not allowed here; the path takes ${methods.join(", ")}`,
    { headers: { allow: [...methods, "OPTIONS"].join(", ") } },
  );
}

const ERRORS = new ErrorCatalogue(...MODULES.map(({ errors = {} }) => errors));

/** Makes the answer of an error. No other code writes error answers. */
function answerError(error: unknown, c: Context<AppEnv>, requestId: string): Response {
  const watch = StorageWatch.from(c.env);
  const expected = toExpected(error, watch);
  if (expected.kind === "STORAGE_FULL") {
    watch.reportFull();
    logError("storage is full", error, { requestId, path: c.req.path });
  } else if (expected !== error) {
    logError("request failed", error, { requestId });
  }
  const status = ERRORS.statusOf(expected.kind);
  const body = ERRORS.toBody(expected, clientCodesOf(c.req.path));
  noteFailure(c, body.errorCode, expected);
  const response = respond({ status, body });
  const { headers } = response;
  for (const [name, value] of Object.entries(expected.headers)) headers.set(name, value);
  if (status === 401) {
    const scope = expected.details === undefined ? "" : `, ${expected.details}`;
    headers.set("www-authenticate", `Bearer realm="florin"${scope}`);
  }
  const retryAfterSeconds = expected.retryAfterSeconds ?? (status === 503 ? 1 : undefined);
  if (retryAfterSeconds !== undefined) headers.set("retry-after", String(retryAfterSeconds));
  return response;
}

/** Notes what the list of failed requests shows of an error. */
function noteFailure(c: Context<AppEnv>, code: string, error: AppError): void {
  const request = c.get("request") as RequestFacts | undefined; // With wrong settings there is none.
  if (request === undefined) return;
  const { message, refusedBy } = error;
  request.failure = { code, message, refusedBy, principal: refusedPrincipal(error) };
}

/** The error codes that clients of a path expect, where they differ from Florin's. */
const clientCodesOf = (path: string): Module["clientCodes"] =>
  CLIENT_CODES.find(({ prefix }) => path.startsWith(prefix))?.codes;

const CLIENT_CODES = MODULES.flatMap(({ name, partOf = name, clientCodes }) =>
  clientCodes === undefined ? [] : [{ prefix: `/api/${partOf}/`, codes: clientCodes }],
);

function toExpected(error: unknown, { isFull }: StorageWatch): AppError {
  if (error instanceof AppError) return error;
  if (isStorageFull(error)) return storageFull(error);
  if (isFull && isOpaque(error)) return new AppError("STORAGE_FULL", "storage is full");
  return new AppError("INTERNAL", INTERNAL_MESSAGE);
}

/** Serves the API document, which is made at the first request for it. */
function registerDocument(app: OpenAPIHono<AppEnv>): void {
  registerSecurity(app, MODULES);
  registerEventTypes(app, MODULES);
  let text: string | undefined;
  app.get("/openapi.json", (c) => {
    text ??= makeDocument(app, { modules: MODULES, introduction, errorCodes: ERRORS.codes });
    return c.body(text, 200, { "content-type": "application/json" });
  });
}

/** The console, the documentation, the page of the API document, and the sites of modules. */
const SITES: readonly Site[] = [
  CONSOLE_SITE,
  GUIDE_SITE,
  {
    ...DOCUMENT_SITE,
    routes: () => documentRoutes({ modules: MODULES, clientIdOf: localClientOf }),
  },
  ...MODULES.flatMap(({ site }) => (site === undefined ? [] : [site])),
];

/**
 * The first client's id, on the developer's own machine. The page does not contain the client's secret, which the developer pastes: all
 * origins may read Florin's pages, so that every site in the browser could read the secret.
 */
const localClientOf = (env: Env): string =>
  platformSettings.of(env).FLORIN_LOCAL ? (authSettings.of(env).FLORIN_CLIENT_ID ?? "") : "";

/** The app of the Worker. */
export const app = createApp();

/** The paths of its operations. */
const routeOf = routeFinder(app);

/** The modules of its operations. */
const moduleOf = moduleFinder(MODULES);
