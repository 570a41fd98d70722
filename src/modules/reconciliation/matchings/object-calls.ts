import type { MatchingObject } from "./object/matching-object.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import type { Result } from "#platform/result.ts";

type MatchingStub = DurableObjectStub<MatchingObject>;

/** The Durable Object of a matching. */
export const matchingObjectOf = (env: Pick<Env, "MATCHINGS">, id: string): MatchingStub =>
  objectAt(env, env.MATCHINGS, id);

/** Longest wait for an object, in milliseconds. A slice of a run takes some ten of them. */
const TIMEOUT_MS = 30_000;

/** Calls an object by a read, or by a change that has the same effect twice. Throws `OVERLOADED` if it does not answer. */
export const reachMatching = <T>(
  env: Pick<Env, "MATCHINGS">,
  id: string,
  call: (object: MatchingStub) => Promise<T>,
): Promise<T> =>
  reachObject(call(matchingObjectOf(env, id)), {
    object: "matching",
    isRepeatable: true,
    timeoutMs: TIMEOUT_MS,
  });

/** Calls an object by a decision or another change. Throws its failure, and `OVERLOADED` if it does not answer. */
export const callMatching = <T>(
  env: Pick<Env, "MATCHINGS">,
  id: string,
  call: (object: MatchingStub) => Promise<Result<T>>,
): Promise<T> =>
  callObject(call(matchingObjectOf(env, id)), { object: "matching", timeoutMs: TIMEOUT_MS });
