import { createHash } from "node:crypto";
import { ATTEMPT_RULES, type AttemptRule, type AttemptRuleName } from "./attempt-rules.ts";
import { AppError } from "#platform/errors.ts";
import { objectAt } from "#platform/objects/address.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** The keys whose attempts count together, by rule: `{ personAtAddress: "address person", loginAddress: "address" }`. */
export type AttemptKeys = Readonly<Partial<Record<AttemptRuleName, string>>>;

/** How objects are called. They count in memory and answer within milliseconds. */
const TO_LIMIT: ObjectCall = { object: "limit of attempts", isRepeatable: true, timeoutMs: 5000 };

/** Number of objects that count side by side. */
const OBJECTS = 8;

/** The place of a key's failures: the object, and the key within it. The key is a hash, so it has one length whatever a stranger chose. */
export function counterShardOf(
  name: AttemptRuleName,
  key: string,
): { object: string; key: string } {
  const hash = createHash("sha256").update(`${name}:${key}`).digest();
  const [first = 0] = hash;
  return { object: `limits-${first % OBJECTS}`, key: hash.toString("base64url") };
}

/** How long an isolate treats a limit as reached without a call of its object, in milliseconds. */
const REACHED_MS = 1000;
const REACHED_MAX = 10_000;

/**
 * Limits that were reached a moment ago, with the time until which an attempt has to wait. With it, a flood of attempts causes
 * one call of an object a second instead of one each. The hint may be lost without harm.
 */
class ReachedLimits {
  readonly #reached = new Map<string, { readonly atMs: number; readonly waitUntilMs: number }>();

  note(key: string, waitMs: number): void {
    if (this.#reached.size >= REACHED_MAX) this.#reached.clear();
    const atMs = Date.now();
    this.#reached.set(key, { atMs, waitUntilMs: atMs + waitMs });
  }

  /** How long to wait, in milliseconds; 0 if the object has to be called. */
  waitMs(key: string): number {
    const reached = this.#reached.get(key);
    if (reached === undefined) return 0;
    const nowMs = Date.now();
    // A time in the future was noted before the clock was set back.
    const isRecent = nowMs >= reached.atMs && nowMs - reached.atMs < REACHED_MS;
    if (isRecent) return Math.max(0, reached.waitUntilMs - nowMs);
    this.#reached.delete(key);
    return 0;
  }

  forget(key: string): void {
    this.#reached.delete(key);
  }
}

const reached = new ReachedLimits();

/**
 * Exact limits of failed attempts. An attempt whose check is expensive counts as failed before the check, so that it counts
 * however it ends, even if the client goes away:
 *
 *     const limits = new AttemptLimits(env, { personAtAddress: `${address} ${person}`, loginAddress: address });
 *     await limits.take();
 *     if (await isRight(password)) await limits.giveBack();
 *
 * If the check is cheap, only failures are counted:
 *
 *     if (isRight(secret)) await limits.assertOpen();
 *     else await limits.countFailure();
 *
 * All methods but `giveBack` throw `RATE_LIMITED`. Of a thousand attempts at the same time, only the allowed number learn whether
 * they were right.
 */
export class AttemptLimits {
  readonly #counts: readonly Count[];

  constructor(env: Pick<Env, "ATTEMPT_LIMITS">, keys: AttemptKeys) {
    // The names of rules are the properties of the type.
    const entries = Object.entries(keys) as [AttemptRuleName, string][];
    this.#counts = entries.map(([name, key]) => new Count(env, name, key));
  }

  /** Throws `RATE_LIMITED` if too many attempts have failed. */
  async assertOpen(): Promise<void> {
    assertNoWait(this.#counts.map((count) => count.reachedMs()));
    assertNoWait(await Promise.all(this.#counts.map((count) => count.waitMs())));
  }

  /** Counts a failed attempt. Throws `RATE_LIMITED` if too many have failed already. */
  async countFailure(): Promise<void> {
    // A blocked client must not use up the attempts of others at its address.
    await this.assertOpen();
    assertNoWait(await Promise.all(this.#counts.map((count) => count.countFailure())));
  }

  /**
   * Counts an attempt by each rule, in the order of the keys, from the narrowest to the widest: an attempt beyond a narrow limit
   * uses up nothing of the wider limits. Throws `RATE_LIMITED` and counts nothing if one limit is reached. A refused attempt
   * stores nothing, so a flood of attempts costs reads of memory instead of writes to the disk.
   */
  async take(): Promise<void> {
    await this.assertOpen();
    for (const [index, count] of this.#counts.entries()) {
      const waitMs = await count.countFailure();
      if (waitMs === 0) continue;
      await giveBackAll(this.#counts.slice(0, index));
      assertNoWait([waitMs]);
    }
  }

  /** Removes the attempt that `take` has counted, because it did not fail. */
  giveBack(): Promise<void> {
    return giveBackAll(this.#counts);
  }
}

/** The failures of one key by one rule. */
class Count {
  readonly #rule: AttemptRule;
  readonly #key: string;
  readonly #object: Limit;

  constructor(env: Pick<Env, "ATTEMPT_LIMITS">, name: AttemptRuleName, key: string) {
    const place = counterShardOf(name, key);
    this.#rule = ATTEMPT_RULES[name];
    this.#key = place.key;
    this.#object = objectAt(env, env.ATTEMPT_LIMITS, place.object);
  }

  /** How long to wait as far as this isolate knows, without a call, in milliseconds. */
  reachedMs(): number {
    return reached.waitMs(this.#key);
  }

  /** How long to wait until the next attempt, in milliseconds; 0 if one is allowed now. */
  waitMs(): Promise<number> {
    return this.#noting(this.#object.waitMs(this.#key, this.#rule));
  }

  /** Counts a failure and returns 0. If there are too many already, counts nothing and returns how long to wait, in milliseconds. */
  countFailure(): Promise<number> {
    return this.#noting(this.#object.countFailure(this.#key, this.#rule));
  }

  async giveBack(): Promise<void> {
    reached.forget(this.#key);
    await reachObject(this.#object.giveBack(this.#key), TO_LIMIT);
  }

  async #noting(asked: Promise<number>): Promise<number> {
    const waitMs = await reachObject(asked, TO_LIMIT);
    if (waitMs > 0) reached.note(this.#key, waitMs);
    return waitMs;
  }
}

type Limit = ReturnType<Env["ATTEMPT_LIMITS"]["getByName"]>;

async function giveBackAll(counts: readonly Count[]): Promise<void> {
  await Promise.all(counts.map((count) => count.giveBack()));
}

function assertNoWait(waitsMs: readonly number[]): void {
  const waitMs = Math.max(0, ...waitsMs);
  if (waitMs === 0) return;
  throw new AppError("RATE_LIMITED", "too many attempts have failed; try again later", {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
