type Level = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one JSON object a line. Never pass a secret, a token or a full card or account number. */
export function log(level: Level, message: string, fields: Fields = {}): void {
  const line = JSON.stringify({ level, time: new Date().toISOString(), message, ...fields });
  console[level](line);
}

/** Logs a bug with its stack; the answer never shows it. */
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

/** The message and the stack of a failed query hold all its parameters, and with them what clients have sent: only its cause is shown. */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof Error && "query" in error && "params" in error)) return error;
  return withoutParameters(error.cause) ?? "a query failed";
}
