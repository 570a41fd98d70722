import { createHash } from "node:crypto";
import type { HashCaller } from "./password-hash-object.ts";
import { boundFetch } from "#platform/http/outbound.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import { type DeriveKey, PASSWORD_THREADS_BINDING } from "#platform/secrets/password-key.ts";

/** The wait in line and the work itself. */
const TO_HASH: ObjectCall = { object: "check of passwords", isRead: true, timeoutMs: 30_000 };

/** Objects that hash side by side, on the machines of the platform. */
const OBJECTS = 8;

/**
 * Makes keys of passwords in an object, where the caller waits in line. It throws `RATE_LIMITED` where too many wait in that line, and `OVERLOADED`
 * where the object does not answer in time.
 */
export const deriveFor =
  (env: Pick<Env, "PASSWORD_HASHES">, caller: HashCaller): DeriveKey =>
  (work) =>
    callObject(env.PASSWORD_HASHES.getByName(objectOf(env, caller)).derive(work, caller), TO_HASH);

/** Where all objects share the threads of one machine, there is one, so that two hashes at a time are all that there are. */
function objectOf(env: object, { key }: HashCaller): string {
  if (boundFetch(env, PASSWORD_THREADS_BINDING) !== undefined) return "machine";
  const [first = 0] = createHash("sha256").update(key).digest();
  return `hashes-${first % OBJECTS}`;
}
