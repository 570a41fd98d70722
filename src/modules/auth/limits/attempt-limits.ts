import { ATTEMPT_RULES, type AttemptRuleName } from "./attempt-rules.ts";
import { AppError } from "#platform/errors.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** Whose attempts count together, by each of the rules that apply: `{ account: email, loginAddress: address }`. */
export type AttemptKeys = Readonly<Partial<Record<AttemptRuleName, string>>>;

/** An object of its own for each key, which answers within milliseconds. */
const TO_LIMIT: ObjectCall = { object: "limit of attempts", isRead: true, timeoutMs: 5000 };

/**
 * Exact limits of failed attempts:
 *
 *     const limits = new AttemptLimits(env, { account: email, loginAddress: addressOf(request, env) });
 *     await limits.assertOpen();
 *     if (await isRight(password)) await limits.assertOpen();
 *     else await limits.countFailure();
 *
 * Both throw `RATE_LIMITED`. The question before the check spares its cost and may be left out where the check is cheap; the one
 * after it makes the limit exact: of a thousand attempts at the same time, nobody learns of more than the allowed number whether
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
    assertNoWait(await this.#each((limit, name) => limit.waitMs(ATTEMPT_RULES[name])));
  }

  /** Counts a failed attempt, or throws `RATE_LIMITED` where too many have failed already. */
  async countFailure(): Promise<void> {
    // A client that is blocked does not use up what others at its address may do.
    await this.assertOpen();
    assertNoWait(await this.#each((limit, name) => limit.countFailure(ATTEMPT_RULES[name])));
  }

  #each(
    ask: (
      limit: ReturnType<Env["ATTEMPT_LIMITS"]["getByName"]>,
      name: AttemptRuleName,
    ) => Promise<number>,
  ): Promise<number[]> {
    return Promise.all(
      this.#keys.map(([name, key]) => {
        const limit = this.#env.ATTEMPT_LIMITS.getByName(`${name}:${key}`);
        return reachObject(ask(limit, name), TO_LIMIT);
      }),
    );
  }
}

function assertNoWait(waitsMs: readonly number[]): void {
  const waitMs = Math.max(0, ...waitsMs);
  if (waitMs === 0) return;
  throw new AppError("RATE_LIMITED", "too many attempts have failed; try again later", {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
}
