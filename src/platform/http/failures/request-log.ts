import type { RequestFacts } from "#platform/http/context.ts";
import { log } from "#platform/log.ts";

/** Time from which a request counts as slow and is logged, in milliseconds. */
export const SLOW_MS = 1000;

/** An answer that goes on for as long as its reader stays. Its beginning may wait for the first event. */
const STREAM = /^(?:text\/event-stream|application\/x-ndjson)/;

/** A request that was answered. */
export interface Answered {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** The facts of the request; undefined where the settings of the deployment are wrong. */
  readonly facts: RequestFacts | undefined;
  readonly response: Response;
  readonly durationMs: number;
}

/**
 * Logs a request in one line if it failed or was slow, and with `FLORIN_LOG=requests` also if it was refused. A request that waited for its
 * turn and was refused is logged only then, because refusals are many and cost little. The platform logs every invocation by itself; a log
 * line for each request would add a third to the time of a small request.
 */
export function logRequest({ id, method, path, facts, response, durationMs }: Answered): void {
  const { status, headers } = response;
  if (status < 400 && durationMs < SLOW_MS) return;
  const isSlow = durationMs >= SLOW_MS && status !== 429;
  const isRefused = status >= 400 && facts?.deployment.settings.FLORIN_LOG === "requests";
  if (status < 500 && !isRefused && (!isSlow || STREAM.test(headers.get("content-type") ?? "")))
    return;
  log("warn", "request", {
    requestId: id,
    method,
    path,
    operation: facts?.operation?.operationId,
    status,
    code: facts?.failure?.code,
    durationMs,
  });
}
