import { createHash } from "node:crypto";
import type { HashCaller } from "./password-hash-object.ts";
import { boundFetch } from "#platform/http/outbound.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import { type DeriveKey, PASSWORD_THREADS_BINDING } from "#platform/secrets/password-key.ts";

/** How objects are called. The time includes the wait in line and the hash itself. */
const TO_HASH: ObjectCall = { object: "check of passwords", isRepeatable: true, timeoutMs: 30_000 };

/** Number of objects that hash side by side on the platform. */
const OBJECTS = 8;

/**
 * Derives keys of passwords in an object, where the caller waits in line. Throws `RATE_LIMITED` if too many callers wait in the
 * line, and `OVERLOADED` if the object does not answer in time.
 */
export const deriveFor =
  (env: Pick<Env, "PASSWORD_HASHES">, caller: HashCaller): DeriveKey =>
  (work) =>
    callObject(
      objectAt(env, env.PASSWORD_HASHES, objectOf(env, caller)).derive(work, caller),
      TO_HASH,
    );

/** The name of the object for a caller. Under `npm start` all objects would share the threads of one machine, so there is only one object. */
function objectOf(env: object, { key }: HashCaller): string {
  if (boundFetch(env, PASSWORD_THREADS_BINDING) !== undefined) return "machine";
  const [first = 0] = createHash("sha256").update(key).digest();
  return `hashes-${first % OBJECTS}`;
}
