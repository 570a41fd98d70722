import { ATTEMPT_RULES, type AttemptRuleName } from "./attempt-rules.ts";
import { AppError } from "#platform/errors.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** Whose attempts count together, by each of the rules that apply: `{ account: email, loginAddress: address }`. */
export type AttemptKeys = Readonly<Partial<Record<AttemptRuleName, string>>>;

/** An object of its own for each key, which answers within milliseconds. */
const TO_LIMIT: ObjectCall = { object: "limit of attempts", isRead: true, timeoutMs: 5000 };

/** For how long an isolate takes a limit that was reached as reached, without asking its object, in milliseconds. */
const REACHED_MS = 1000;
const REACHED_MAX = 10_000;

/**
 * Limits that were reached a moment ago, by key, with the time until which an attempt has to wait. A flood of attempts costs one call of an object a
 * second, and not one each. It is a hint, which an isolate may lose.
 */
class ReachedLimits {
  readonly #reached = new Map<string, { readonly atMs: number; readonly waitUntilMs: number }>();

  note(key: string, waitMs: number): void {
    if (this.#reached.size >= REACHED_MAX) this.#reached.clear();
    const atMs = Date.now();
    this.#reached.set(key, { atMs, waitUntilMs: atMs + waitMs });
  }

  /** How long to wait, in milliseconds; 0 where the object is to be asked. */
  waitMs(key: string): number {
    const reached = this.#reached.get(key);
    if (reached === undefined) return 0;
    const nowMs = Date.now();
    // A hint from the future was noted before the clock was set back.
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
 * Exact limits of failed attempts. Where the check costs much, an attempt counts as failed before it is made, so that it counts however
 * it ends, also when the client goes away meanwhile:
 *
 *     const limits = new AttemptLimits(env, { personAtAddress: `${address} ${person}`, loginAddress: address });
 *     await limits.take();
 *     if (await isRight(password)) await limits.giveBack();
 *
 * Where the check costs nothing, only failures are counted:
 *
 *     if (isRight(secret)) await limits.assertOpen();
 *     else await limits.countFailure();
 *
 * All but `giveBack` throw `RATE_LIMITED`. Of a thousand attempts at the same time, nobody learns of more than the allowed number whether
 * they were right.
 */
export class AttemptLimits {
  readonly #env: Pick<Env, "ATTEMPT_LIMITS">;
  readonly #keys: readonly (readonly [AttemptRuleName, string])[];

  constructor(env: Pick<Env, "ATTEMPT_LIMITS">, keys: AttemptKeys) {
    this.#env = env;
    // The rules are the properties of the type.
    this.#keys = Object.entries(keys) as [AttemptRuleName, string][];
  }

  /** Throws `RATE_LIMITED` where too many attempts have failed. */
  async assertOpen(): Promise<void> {
    for (const [name, key] of this.#keys) assertNoWait([reached.waitMs(`${name}:${key}`)]);
    assertNoWait(await this.#each((limit, name) => limit.waitMs(ATTEMPT_RULES[name])));
  }

  /** Counts a failed attempt, or throws `RATE_LIMITED` where too many have failed already. */
  async countFailure(): Promise<void> {
    // A client that is blocked does not use up what others at its address may do.
    await this.assertOpen();
    assertNoWait(await this.#each((limit, name) => limit.countFailure(ATTEMPT_RULES[name])));
  }

  /**
   * Counts an attempt by each rule, in the order of the keys, from the narrowest to the widest: what is beyond a narrow limit uses up nothing of the
   * wider ones. Counts by none of them where it throws `RATE_LIMITED`. An attempt that a limit refuses already stores nothing, so that a flood
   * of attempts costs reads of memory, and not a write to the disk each.
   */
  async take(): Promise<void> {
    await this.assertNoneReached();
    for (const [index, [name, key]] of this.#keys.entries()) {
      const waitMs = await this.#wait(name, key, (limit) =>
        limit.countFailure(ATTEMPT_RULES[name]),
      );
      if (waitMs === 0) continue;
      await this.#giveBack(this.#keys.slice(0, index));
      assertNoWait([waitMs]);
    }
  }

  /**
   * Throws `RATE_LIMITED` where a limit is reached. Limits are asked from the widest to the narrowest, one after the other: what a wide limit refuses
   * makes no object of a narrower one.
   */
  async assertNoneReached(): Promise<void> {
    for (const [name, key] of this.#keys) assertNoWait([reached.waitMs(`${name}:${key}`)]);
    for (const [name, key] of this.#keys.toReversed()) {
      assertNoWait([await this.#wait(name, key, (limit) => limit.waitMs(ATTEMPT_RULES[name]))]);
    }
  }

  /** The attempt that was taken did not fail. */
  giveBack(): Promise<void> {
    return this.#giveBack(this.#keys);
  }

  async #giveBack(keys: readonly (readonly [AttemptRuleName, string])[]): Promise<void> {
    for (const [name, key] of keys) reached.forget(`${name}:${key}`);
    await Promise.all(keys.map(([name, key]) => this.#ask(name, key, (limit) => limit.giveBack())));
  }

  #each(ask: (limit: Limit, name: AttemptRuleName) => Promise<number>): Promise<number[]> {
    return Promise.all(
      this.#keys.map(([name, key]) => this.#wait(name, key, (limit) => ask(limit, name))),
    );
  }

  async #wait(
    name: AttemptRuleName,
    key: string,
    ask: (limit: Limit) => Promise<number>,
  ): Promise<number> {
    const waitMs = await this.#ask(name, key, ask);
    if (waitMs > 0) reached.note(`${name}:${key}`, waitMs);
    return waitMs;
  }

  #ask<T>(name: AttemptRuleName, key: string, ask: (limit: Limit) => Promise<T>): Promise<T> {
    return reachObject(ask(this.#env.ATTEMPT_LIMITS.getByName(`${name}:${key}`)), TO_LIMIT);
  }
}

type Limit = ReturnType<Env["ATTEMPT_LIMITS"]["getByName"]>;

function assertNoWait(waitsMs: readonly number[]): void {
  const waitMs = Math.max(0, ...waitsMs);
  if (waitMs === 0) return;
  throw new AppError("RATE_LIMITED", "too many attempts have failed; try again later", {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
