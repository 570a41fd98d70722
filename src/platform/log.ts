type Level = "info" | "warn" | "error";
type Fields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes one JSON object a line. Never pass a secret, a token or a full card or account number. */
export function log(level: Level, message: string, fields: Fields = {}): void {
  const line = JSON.stringify({ level, time: new Date().toISOString(), message, ...fields });
  console[level](line);
}

/** Logs a bug with its stack; the answer never shows it. */
export function logError(message: string, error: unknown, fields: Fields = {}): void {
  const known = error instanceof Error;
  log("error", message, {
    ...fields,
    error: known ? `${error.name}: ${error.message}` : String(error),
    stack: known ? error.stack : undefined,
    cause: known && error.cause instanceof Error ? error.cause.message : undefined,
  });
}
