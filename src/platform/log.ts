import { currentCause } from "./tracing/cause.ts";

type Level = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Writes a log line as a JSON object, with the ids of the request and of the trace that the present work belongs to, if it is known. Callers never pass a secret, a token or a full card or account number.
 */
export function log(level: Level, message: string, fields: Fields = {}): void {
  const cause = currentCause();
  const line = JSON.stringify({
    level,
    time: new Date().toISOString(),
    message,
    requestId: cause?.requestId,
    traceId: cause?.traceId,
    ...fields,
  });
  console[level](line);
}

/** Logs an error with its stack, which no answer shows. */
export function logError(message: string, error: unknown, fields: Fields = {}): void {
  const shown = withoutParameters(error);
  const known = shown instanceof Error;
  const cause = known ? withoutParameters(shown.cause) : undefined;
  log("error", message, {
    ...fields,
    error: known ? `${shown.name}: ${shown.message}` : String(shown),
    stack: known ? shown.stack : undefined,
    cause: cause instanceof Error ? cause.message : undefined,
  });
}

/**
 * The error to log. The message and the stack of a failed query contain all parameters, and so data of clients: only the cause of such an
 * error is logged.
 */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof Error && "query" in error && "params" in error)) return error;
  return withoutParameters(error.cause) ?? "a query failed";
}

/** The longest text that is recorded of an error, in characters. */
const RECORDED_LENGTH_MAX = 500;
/** The most causes that are recorded of an error. */
const CAUSES_MAX = 4;

/**
 * What is recorded of an error for operators: its message and those of its causes, the outermost first. The message of a failed query has
 * the values of its parameters, which may be data of clients, so that it is left out together with the causes behind it.
 */
export function recordedError(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < CAUSES_MAX; at = at.cause) {
    if ("query" in at) {
      parts.push("a query of the database has failed");
      break;
    }
    parts.push(`${at.name}: ${at.message}`);
  }
  return (parts.length === 0 ? "an error without a message" : parts.join("; ")).slice(
    0,
    RECORDED_LENGTH_MAX,
  );
}
