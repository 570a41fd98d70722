import { z } from "zod";
import { ConnectorError } from "./connector-error.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";

/** What a plugin throws where it cannot read an answer. Errors of the database have none of these types. */
const FAULTS = [TypeError, RangeError, SyntaxError, z.ZodError];

/**
 * The failure for which the provider or its answer is to blame; undefined for every other error, such as one of the database, which says nothing
 * about what was asked.
 */
export function toConnectorError(error: unknown): ConnectorError | undefined {
  if (error instanceof ConnectorError) return error;
  // What is too large, or otherwise not valid, cannot be stored.
  if (error instanceof AppError && error.kind === "VALIDATION") {
    return new ConnectorError("invalid", error.message, { cause: error });
  }
  // A fault of the plugin must not delay other work of the connector.
  if (FAULTS.some((type) => error instanceof type)) {
    logError("a connector cannot read what its provider has sent", error);
    return new ConnectorError("invalid", "the connector cannot read the answer", { cause: error });
  }
  return undefined;
}
