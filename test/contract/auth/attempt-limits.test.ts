import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { AttemptLimits, counterShardOf } from "#modules/auth/limits/attempt-limits.ts";
import {
  ATTEMPT_RULES,
  ATTEMPT_WINDOW_MS as WINDOW_MS,
  type AttemptRule,
  type AttemptRuleName,
} from "#modules/auth/limits/attempt-rules.ts";
import { AppError } from "#platform/errors.ts";
import { addressOf } from "#platform/http/sender/address.ts";
import { freshName } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";

const { failuresMax: MAX } = ATTEMPT_RULES.person;

afterEach(() => vi.restoreAllMocks());

/** The seconds that a refused attempt has to wait; 0 for an attempt that is let through. */
async function waitOf(attempt: Promise<void>): Promise<number> {
  try {
    await attempt;
    return 0;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== "RATE_LIMITED") throw error;
    return error.retryAfterSeconds ?? Number.NaN;
  }
}

const fresh = () => {
  const person = freshName("person");
  return { person, limits: new AttemptLimits(env, { person }) };
};
const objectOf = (name: AttemptRuleName, key: string) =>
  env.ATTEMPT_LIMITS.getByName(counterShardOf(name, key).object);
/** The times of the stored failures of a key. */
const storedOf = (name: AttemptRuleName, key: string) =>
  runInDurableObject(objectOf(name, key), (_, { storage }) =>
    storage.kv.get<number[]>(`failures:${counterShardOf(name, key).key}`),
  );
const failTimes = async (limits: AttemptLimits, times: number) =>
  Promise.all(Array.from({ length: times }, () => waitOf(limits.countFailure())));

describe("a limit of failed attempts", () => {
  test("a limit of failed attempts counts exactly, however many fail at once", async () => {
    const { limits } = fresh();
    const waits = await failTimes(limits, 40);
    expect(waits.filter((wait) => wait === 0)).toHaveLength(MAX);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60);
    expect(await waitOf(limits.assertOpen())).toBeGreaterThan(0);
  });

  test("a limit of failed attempts does not limit who does not fail, and stores nothing for them", async () => {
    const { person, limits } = fresh();
    await failTimes(limits, MAX - 1);
    expect(await waitOf(limits.assertOpen())).toBe(0);
    const other = fresh();
    for (let count = 0; count < 2 * MAX; count++) await other.limits.assertOpen();
    expect(await storedOf("person", other.person)).toBeUndefined();
    expect(await storedOf("person", person)).toHaveLength(MAX - 1);
  });

  test("a limit of failed attempts holds when the object is evicted, and ends after its time", async () => {
    const { person, limits } = fresh();
    await failTimes(limits, MAX);
    const object = objectOf("person", person);
    await evict(object);
    expect(await waitOf(limits.assertOpen())).toBeGreaterThan(0);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now + WINDOW_MS);
    expect(await waitOf(limits.assertOpen())).toBe(0);
    await runDurableObjectAlarm(object);
    expect(await storedOf("person", person)).toBeUndefined();
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).toBeNull();
  });

  test("a limit of failed attempts ends after its time, too, when the clock is set back", async () => {
    const { limits } = fresh();
    await failTimes(limits, MAX);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now - 10_000);
    const wait = await waitOf(limits.assertOpen());
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    vi.spyOn(Date, "now").mockReturnValue(now - 3_600_000);
    expect(await waitOf(limits.assertOpen())).toBe(0);
  });

  test("a limit of failed attempts takes attempts before their work, exactly, and gives back those that did not fail", async () => {
    const { person, limits } = fresh();
    const takes = await Promise.all(Array.from({ length: 40 }, () => waitOf(limits.take())));
    // None of the attempts has ended yet, and a client that began one may be gone.
    expect(takes.filter((wait) => wait === 0)).toHaveLength(MAX);
    await limits.giveBack();
    expect(await waitOf(limits.take())).toBe(0);
    expect(await waitOf(limits.take())).toBeGreaterThan(0);
    for (let count = 0; count < MAX; count++) await limits.giveBack();
    expect(await waitOf(limits.assertOpen())).toBe(0);
    expect(await storedOf("person", person)).toBeUndefined();
  });

  test("a limit of failed attempts that an attempt has reached leaves the wider ones as they were", async () => {
    const [personAtAddress, loginAddress] = [freshName(), freshName()];
    const narrow = new AttemptLimits(env, { personAtAddress, loginAddress });
    const { failuresMax } = ATTEMPT_RULES.loginAddress;
    const takes = [];
    for (let count = 0; count < failuresMax + 10; count++) takes.push(await waitOf(narrow.take()));
    const taken = takes.filter((wait) => wait === 0).length;
    expect(taken).toBe(ATTEMPT_RULES.personAtAddress.failuresMax);
    const wide = new AttemptLimits(env, { loginAddress });
    for (let count = taken; count < failuresMax; count++) await wide.take();
    expect(await waitOf(wide.take())).toBeGreaterThan(0);
    // An attempt that the wide limit refuses is not counted by the narrow limit, and stores nothing for its key.
    const other = { personAtAddress: freshName() };
    const both = new AttemptLimits(env, { ...other, loginAddress });
    for (let count = 0; count < 20; count++) expect(await waitOf(both.take())).toBeGreaterThan(0);
    expect(await storedOf("personAtAddress", other.personAtAddress)).toBeUndefined();
    expect(await waitOf(new AttemptLimits(env, other).take())).toBe(0);
  });

  test("a limit of failed attempts that was reached is not asked for a second, but at once after a right attempt", async () => {
    let calls = 0;
    const person = freshName();
    const object = objectOf("person", person);
    const counted = {
      waitMs: (key: string, rule: AttemptRule) => (calls++, object.waitMs(key, rule)),
      countFailure: (key: string, rule: AttemptRule) => (calls++, object.countFailure(key, rule)),
      giveBack: (key: string) => object.giveBack(key),
    };
    const ATTEMPT_LIMITS = { getByName: () => counted } as never;
    const limits = new AttemptLimits({ ATTEMPT_LIMITS }, { person });
    for (let count = 0; count < MAX; count++) await limits.take();
    expect(await waitOf(limits.take())).toBeGreaterThan(0);
    const now = Date.now();
    vi.spyOn(Date, "now").mockReturnValue(now);
    expect(await waitOf(limits.take())).toBeGreaterThan(0);
    const before = calls;
    for (let count = 0; count < 100; count++)
      expect(await waitOf(limits.take())).toBeGreaterThan(0);
    expect(await waitOf(limits.assertOpen())).toBeGreaterThan(0);
    expect(calls).toBe(before);
    vi.spyOn(Date, "now").mockReturnValue(now + 1000);
    expect(await waitOf(limits.take())).toBeGreaterThan(0);
    expect(calls).toBe(before + 1);
    await limits.giveBack();
    expect(await waitOf(limits.take())).toBe(0);
  });

  test("a limit of failed attempts that one key has reached leaves the others open", async () => {
    const [loginAddress, person] = [freshName(), freshName()];
    await failTimes(new AttemptLimits(env, { person, loginAddress }), 40);
    expect(await waitOf(new AttemptLimits(env, { person }).assertOpen())).toBeGreaterThan(0);
    const other = new AttemptLimits(env, { person: freshName(), loginAddress });
    expect(await waitOf(other.countFailure())).toBe(0);
  });
});

describe("the address of a request", () => {
  const onTheInternet = Object.assign({ ...env }, { FLORIN_LOCAL: "false" });
  const at = (address: string | undefined, cf?: Record<string, unknown>) =>
    addressOf(
      new Request("https://florin.example", {
        headers: address === undefined ? {} : { "cf-connecting-ip": address },
        ...(cf === undefined ? {} : { cf }),
      }),
      onTheInternet,
    );

  test("the address of a request is what Cloudflare's edge says, and for IPv6 its network", () => {
    expect(at("192.0.2.7", {})).toBe("192.0.2.7");
    expect(at("2001:db8:1:2:3:4:5:6", {})).toBe("2001:db8:1:2::/64");
    expect(at("2001:DB8:1:2::6", {})).toBe("2001:db8:1:2::/64");
    expect(at("2001:db8::1", {})).toBe("2001:db8:0:0::/64");
    expect(at("::1", {})).toBe("0:0:0:0::/64");
  });

  test("the address of a request is the socket's under `npm start`, or whom a trusted proxy names", () => {
    const direct = (clientIp: string, proxies = "") =>
      addressOf(
        new Request("http://localhost", {
          headers: { "cf-connecting-ip": "192.0.2.1", "x-forwarded-for": "192.0.2.2, 192.0.2.3" },
          cf: { clientIp },
        }),
        Object.assign({ ...env }, { FLORIN_DIRECT: "true", FLORIN_TRUSTED_PROXIES: proxies }),
      );
    expect(direct("198.51.100.4:4711")).toBe("198.51.100.4");
    expect(direct("[2001:db8::7]:4711")).toBe("2001:db8:0:0::/64");
    expect(direct("198.51.100.4:4711", "10.0.0.0/8")).toBe("198.51.100.4");
    expect(direct("198.51.100.4:4711", "198.51.100.0/24")).toBe("192.0.2.3");
    expect(direct("198.51.100.4:4711", "198.51.100.4, 192.0.2.3")).toBe("192.0.2.2");
  });

  test("the address of a request is nobody's where the client itself says it", () => {
    const headers = { "cf-connecting-ip": "192.0.2.7" };
    expect(addressOf(new Request("https://florin.example", { headers, cf: {} }), env)).toBe(
      "unknown",
    );
    expect(at("192.0.2.7")).toBe("unknown");
    expect(at(undefined, {})).toBe("unknown");
  });
});
