import { afterEach, describe, expect, test, vi } from "vitest";
import { AppError } from "#platform/errors.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import { armClock, tryClockWrite, watchClock } from "#platform/objects/deployment-clock.ts";

/** An error as the platform throws it for a call that it refused or cut off. */
const platformError = (flag: string): Error => Object.assign(new Error("gone"), { [flag]: true });

const FLAGS = ["overloaded", "retryable", "durableObjectReset"];

describe("a call of an object", () => {
  test("a call of an object gives the value of its result", async () => {
    const answer = callObject(Promise.resolve({ ok: true, value: 5 }), { object: "ledger" });
    expect(await answer).toBe(5);
  });

  test("a call of an object fails as its result says", async () => {
    const failure = { kind: "CONFLICT", message: "no", details: "why" } as const;
    const answer = callObject(Promise.resolve({ ok: false, failure }), { object: "ledger" });
    await expect(answer).rejects.toMatchObject(failure);
    await expect(answer).rejects.toBeInstanceOf(AppError);
  });

  test.each(FLAGS)(
    "a call of an object that the platform ended names the object, whatever its kind: %s",
    async (flag) => {
      for (const object of ["ledger", "pipeline"]) {
        for (const call of [callObject, reachObject]) {
          const cause = platformError(flag);
          await expect(call(Promise.reject(cause), { object })).rejects.toMatchObject({
            kind: "OVERLOADED",
            message: `the ${object} is busy or was restarted; the outcome of this request is unknown. If it has an idempotency key, repeat it with the same one`,
            cause,
          });
        }
      }
    },
  );

  test("a call of an object that only reads may simply be repeated", async () => {
    const call = reachObject(Promise.reject(platformError("overloaded")), {
      object: "pipeline",
      isRepeatable: true,
    });
    await expect(call).rejects.toThrow(/^the pipeline is busy or was restarted; try again$/);
  });

  test("a call of an object fails with what the object threw, where that is a bug", async () => {
    const bug = new TypeError("x is not a function");
    await expect(callObject(Promise.reject(bug), { object: "ledger" })).rejects.toBe(bug);
  });
});

describe("a call of an object that hangs", () => {
  afterEach(() => void vi.useRealTimers());

  test("a call of an object that hangs is given up after its time, and its outcome is not known", async () => {
    vi.useFakeTimers();
    const call = reachObject(new Promise<never>(() => undefined), { object: "x", timeoutMs: 500 });
    const refusal = call.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(499);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await refusal).toMatchObject({ kind: "OVERLOADED" });
  });

  test("a call of an object that hangs leaves no timer behind where it answers in time", async () => {
    vi.useFakeTimers();
    expect(await reachObject(Promise.resolve(5), { object: "x", timeoutMs: 500 })).toBe(5);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("a call of an object that hangs holds up nobody who needs the clock", async () => {
    vi.useFakeTimers();
    const hung = () => new Promise<never>(() => undefined);
    const refusals = callsOf(hung).map((call) =>
      expect(call).rejects.toMatchObject({ kind: "OVERLOADED" }),
    );
    await vi.advanceTimersByTimeAsync(5000); // the longest time of a call of the clock
    await Promise.all(refusals);
  });
});

test("the clock is named where it is gone, and every call of it may be repeated", async () => {
  const refusals = callsOf(() => Promise.reject(platformError("overloaded"))).map((call) =>
    expect(call).rejects.toMatchObject({
      kind: "OVERLOADED",
      message: "the clock is busy or was restarted; try again",
    }),
  );
  await Promise.all(refusals);
});

/** Calls of all methods of a clock, each of which runs `method`. */
function callsOf(method: () => Promise<never>): Promise<void>[] {
  const clock = { arm: method, watch: method, tryWrite: method };
  const env = { CLOCK: { getByName: () => clock } } as unknown as Pick<Env, "CLOCK">; // the calls use only these members
  return [armClock(env, "x", 1), watchClock(env, "x", 1), tryClockWrite(env, "x")];
}
