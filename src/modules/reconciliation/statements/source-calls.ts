import { objectAt } from "#platform/objects/address.ts";
import type { ObjectCall } from "#platform/objects/call.ts";

/** The object of a source of the kind `statement`. */
export const sourceObjectOf = (env: Pick<Env, "STATEMENT_SOURCES">, sourceId: string) =>
  objectAt(env, env.STATEMENT_SOURCES, sourceId);

/** A repeated upload of the same file is answered by `STATEMENT_EXISTS`, and a repeated deletion changes nothing. */
export const TO_SOURCE: ObjectCall = {
  object: "source of statements",
  isRepeatable: true,
  timeoutMs: 60_000,
};
