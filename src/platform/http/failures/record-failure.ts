import type { Context } from "hono";
import { ANONYMOUS, type Principal, type ServiceContext } from "#platform/context.ts";
import { recorderOf } from "#platform/failed-requests/recorder.ts";
import { redact, shortened } from "#platform/failed-requests/redaction.ts";
import type { NewFailedRequest } from "#platform/failed-requests/store.ts";
import type { AppEnv, RequestFacts } from "#platform/http/context.ts";
import { isInternal } from "#platform/http/internal-calls.ts";
import { stringifyJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { fromMillis } from "#platform/time.ts";

/** The facts of a failed request that its answer does not change. */
interface Failed {
  readonly request: RequestFacts;
  readonly status: number;
  readonly startedMs: number;
  readonly durationMs: number;
  /** The path of an operation, by its `operationId`. */
  readonly routeOf: (operationId: string) => string;
}

/** Headers with texts of every client, which answers may contain by chance. */
const COMMON_HEADERS =
  /^(?:accept.*|cache-control|cf-.*|connection|content-(?!type).*|host|origin|referer|sec-.*|user-agent|x-forwarded-.*)$/;

/**
 * Records a failed request with a valid token; its row is stored after the answer. Requests without one are not recorded: everybody can
 * cause them, and they would push those of clients out. Neither are requests that the deployment makes itself, because the work that they
 * belong to says what has failed. Never throws.
 */
export function recordFailure(c: Context<AppEnv>, failed: Failed): void {
  try {
    record(c, failed);
  } catch (error) {
    logError("a failed request could not be recorded", error, { requestId: failed.request.id });
  }
}

function record(c: Context<AppEnv>, failed: Failed): void {
  const { request } = failed;
  const { operation, failure = NO_CODE } = request;
  const principal = principalOf(c, request);
  if (operation === undefined || principal === undefined || isInternal(c.req.raw)) return;
  const { issuer, clientId, subject } = principal;
  const { headers, method, bodyUsed } = c.req.raw;
  const executionCtx = executionOf(c);
  if (executionCtx === undefined) return;
  recorderOf(c.env).record(stringifyJson([issuer, clientId, subject]), request.id, {
    toRow: rowOf(failed, {
      method,
      principal: { issuer, clientId, subject },
      operation,
      failure: bodyUsed && request.body === undefined ? { ...failure, message: "" } : failure,
      headers: [...headers].flatMap(([name, value]) => (COMMON_HEADERS.test(name) ? [] : [value])),
    }),
    goOn: (work) => executionCtx.waitUntil(work),
  });
}

/** The runtime's context of a request; undefined for a request that did not come through the runtime, after whose answer nothing goes on. */
function executionOf(c: Context<AppEnv>): Context<AppEnv>["executionCtx"] | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined; // Hono throws for an absent context.
  }
}

const NO_CODE = { code: "", message: "" };

function principalOf(c: Context<AppEnv>, { failure }: RequestFacts): Principal | undefined {
  const context = c.get("context") as ServiceContext | undefined; // A request that was refused has none.
  const principal = context?.principal ?? failure?.principal;
  return principal === ANONYMOUS ? undefined : principal;
}

interface Recorded {
  readonly method: string;
  readonly principal: Pick<Principal, "issuer" | "clientId" | "subject">;
  readonly operation: NonNullable<RequestFacts["operation"]>;
  readonly failure: NonNullable<RequestFacts["failure"]>;
  readonly headers: readonly string[];
}

/** Makes the row of a failure later, from what is in memory, so that the answer does not wait for it. */
function rowOf(
  { request, status, startedMs, durationMs, routeOf }: Failed,
  { method, principal, operation, failure, headers }: Recorded,
): () => NewFailedRequest {
  const { id: requestId, url, body } = request;
  const { operationId, recordedFields = [] } = operation;
  return () => {
    const { pathname: path, search } = new URL(url);
    const texts = { body, query: search.slice(1), headers, path };
    const kept = redact(failure.message, recordedFields, texts);
    return {
      ...principal,
      date: fromMillis(startedMs),
      requestId,
      method,
      path: shortened(path),
      route: routeOf(operationId),
      operation: operationId,
      status,
      code: failure.code,
      message: kept.message === undefined || kept.message === "" ? null : kept.message,
      durationMs,
      body: kept.body ?? null,
    };
  };
}
