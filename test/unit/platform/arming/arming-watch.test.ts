import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ARMING_KNOWN_MS, ArmingWatch, isHeld } from "#platform/arming/arming-watch.ts";
import { isArmedInSql, waitsForArming } from "#platform/arming/held-work.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { callOutbound } from "#platform/http/outbound.ts";
import { armingSettings } from "#platform/platform-settings.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const CONNECTOR = "00000000-0000-4000-8000-000000000001";
const OTHER = "00000000-0000-4000-8000-000000000002";
const ACTOR = "'i', 's', 'c'";
/** The functions of a statement that run it. */
const RUNS: ReadonlySet<string> = new Set(["all", "first", "raw", "run"]);

/** A database whose reads are counted, may hang, and may fail. */
class World {
  readonly d1 = new NodeD1();
  reads = 0;
  before: () => Promise<void> = async () => undefined;
  /** What an answer waits for after it was read. */
  after: () => Promise<void> = async () => undefined;
  readonly env: Pick<Env, "DB">;
  readonly watch: ArmingWatch;

  constructor() {
    this.d1.migrate();
    const { binding } = this.d1;
    const DB = new Proxy(binding, {
      get: (target, name) => {
        if (name === "prepare") return (text: string) => this.#statement(target.prepare(text));
        return Reflect.get(target, name) as unknown;
      },
    });
    this.env = { DB };
    this.watch = new ArmingWatch(this.env);
  }

  #statement(statement: D1PreparedStatement): D1PreparedStatement {
    return new Proxy(statement, {
      get: (target, name) => {
        if (name === "bind") {
          return (...values: unknown[]) => this.#statement(target.bind(...values));
        }
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || !RUNS.has(String(name))) return value;
        return async (...parameters: unknown[]) => {
          this.reads++;
          await this.before();
          const answer: unknown = await (value as (...all: unknown[]) => unknown).apply(
            target,
            parameters,
          );
          await this.after();
          return answer;
        };
      },
    });
  }

  disarm(...connectors: readonly string[]): void {
    this.d1.exec(
      `INSERT INTO disarmament VALUES (1, '2026-03-01T09:30:00.000000Z', 'operator', '', ${ACTOR}, 'r')`,
    );
    for (const reference of connectors) {
      this.d1.exec(
        `INSERT INTO armed_connectors VALUES ('${reference}', 'id', '2026-03-01T09:30:00.000000Z', ${ACTOR})`,
      );
    }
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-03-01T10:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number): void => {
  vi.setSystemTime(Date.now() + milliseconds);
};

describe("whether the deployment is disarmed", () => {
  test("whether the deployment is disarmed is read once in a while, and known two seconds after a change at the latest", async () => {
    const world = new World();
    for (let call = 0; call < 100; call++) expect(await world.watch.mayCall()).toBe(true);
    expect(world.reads).toBe(1);
    world.disarm();
    pass(ARMING_KNOWN_MS);
    expect(await world.watch.mayCall()).toBe(false);
    await expect(world.watch.assertMayCall()).rejects.toMatchObject({
      kind: "DISARMED",
      message: expect.stringContaining("has been disarmed since 2026-03-01T09:30:00Z") as string,
    });
    world.d1.exec("DELETE FROM disarmament");
    pass(ARMING_KNOWN_MS);
    expect(await world.watch.mayCall()).toBe(true);
  });

  test("whether the deployment is disarmed is read ahead by one caller, while the others go by what is known, but not for longer than two seconds", async () => {
    const world = new World();
    await world.watch.mayCall();
    const { promise: hang, resolve: release } = Promise.withResolvers<void>();
    world.before = () => hang;
    pass(1500);
    const reader = world.watch.mayCall();
    expect(await world.watch.mayCall()).toBe(true);
    expect(world.reads).toBe(2);
    world.disarm();
    pass(600);
    const other = world.watch.mayCall();
    await Promise.resolve();
    expect(world.reads).toBe(3);
    release();
    expect([await reader, await other]).toEqual([false, false]);
  });

  test("whether the deployment is disarmed is read again after a step back of the clock", async () => {
    const world = new World();
    await world.watch.mayCall();
    world.disarm();
    pass(-3_600_000);
    expect(await world.watch.mayCall()).toBe(false);
  });

  test("whether the deployment is disarmed is not taken from before a step back of the clock, when the clock comes to that time again", async () => {
    const world = new World();
    await world.watch.mayCall();
    pass(-3_600_000);
    world.disarm();
    expect(await world.watch.mayCall()).toBe(false);
    pass(3_600_500);
    expect(await world.watch.mayCall()).toBe(false);
  });

  test("whether the deployment is disarmed is told by the read that began last, also if an earlier one is answered later", async () => {
    const world = new World();
    const [slow, quick] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const waits = [slow.promise, quick.promise];
    world.after = async () => waits.shift();
    const first = world.watch.mayCall(); // it reads that the deployment is armed
    await vi.waitFor(() => expect(world.reads).toBe(1));
    world.disarm();
    pass(-1000); // by the clock, the second read begins before the first one
    const second = world.watch.mayCall();
    quick.resolve();
    expect(await second).toBe(false);
    pass(1000);
    slow.resolve();
    await first;
    expect(await world.watch.mayCall()).toBe(false);
  });

  test("whether the deployment is disarmed is not told by an answer that is older than two seconds", async () => {
    const world = new World();
    const { promise: slow, resolve: answer } = Promise.withResolvers<void>();
    world.after = () => slow;
    const early = world.watch.assertMayCall().catch((reason: unknown) => reason);
    await vi.waitFor(() => expect(world.reads).toBe(1));
    world.disarm();
    pass(ARMING_KNOWN_MS);
    answer();
    expect(await early).toMatchObject({ kind: "OVERLOADED" });
  });

  test("whether the deployment is disarmed is unknown to callers of a database that hangs, who wait for it a second and a half", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });
    const world = new World();
    world.before = () => new Promise(() => undefined);
    const error = world.watch.assertMayCall().catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(1500);
    expect(await error).toMatchObject({ kind: "OVERLOADED" });
  });

  test("whether the deployment is disarmed stays known when a read ahead fails, and is read again a little later", async () => {
    const world = new World();
    await world.watch.mayCall();
    world.before = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
    pass(1000);
    for (let call = 0; call < 10; call++) expect(await world.watch.mayCall()).toBe(true);
    expect(world.reads).toBe(2);
    pass(250);
    expect(await world.watch.mayCall()).toBe(true);
    expect(world.reads).toBe(3);
    pass(750);
    expect(await world.watch.mayCall()).toBe(false);
  });

  test("whether the deployment is disarmed is not known while the database does not answer, and then nothing is called", async () => {
    const world = new World();
    expect(await world.watch.mayCall()).toBe(true);
    world.before = () => Promise.reject(new Error("D1_ERROR: Network connection lost."));
    pass(ARMING_KNOWN_MS);
    const error: unknown = await world.watch.assertMayCall().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: "OVERLOADED" });
    expect(isHeld(error)).toBe(true);
    expect(await world.watch.mayCall(CONNECTOR)).toBe(false);
    world.before = async () => undefined;
    expect(await world.watch.mayCall()).toBe(true);
  });

  test("whether the deployment is disarmed is said by its setting from the first moment on, without a row and also for armed connectors", async () => {
    const world = new World();
    world.disarm(CONNECTOR);
    const env = { ...world.env, FLORIN_DISARMED: "restored" };
    const watch = new ArmingWatch(env);
    expect(await watch.mayCall(CONNECTOR)).toBe(false);
    world.d1.exec("DELETE FROM disarmament");
    await expect(watch.assertMayCall()).rejects.toMatchObject({
      kind: "DISARMED",
      message: expect.stringContaining("the setting FLORIN_DISARMED") as string,
    });
    expect(world.reads).toBe(0);
    const claimable = (of: object) =>
      databaseOf(world.env).get(sql`SELECT ${isArmedInSql(of, sql`'x'`)} AS armed`);
    expect(await claimable(env)).toEqual({ armed: 0 });
    expect(await claimable(world.env)).toEqual({ armed: 1 });
    expect(() => armingSettings.parse({ FLORIN_DISARMED: "yes" })).toThrow("FLORIN_DISARMED");
  });

  test("whether the deployment is disarmed does not matter for connectors that are armed by themselves", async () => {
    const world = new World();
    world.disarm(CONNECTOR);
    expect(await world.watch.mayCall(CONNECTOR)).toBe(true);
    expect(await world.watch.mayCall(OTHER)).toBe(false);
    expect(await world.watch.mayCall()).toBe(false);
    await expect(world.watch.assertMayCall(OTHER)).rejects.toMatchObject({ kind: "DISARMED" });
  });
});

test("an alarm whose work has to wait is set for a little later, and no alarm of a deployment that is armed", async () => {
  const world = new World();
  const setAlarm = vi.fn<(atMs: number) => Promise<void>>(async () => undefined);
  expect(await waitsForArming({ setAlarm }, world.env)).toBe(false);
  expect(setAlarm).not.toHaveBeenCalled();
  world.disarm();
  pass(ARMING_KNOWN_MS);
  expect(await waitsForArming({ setAlarm }, world.env)).toBe(true);
  const sinceMs = Date.now() - Date.parse("2026-03-01T09:30:00Z");
  expect(setAlarm).toHaveBeenCalledExactlyOnceWith(Date.now() + sinceMs / 20);
});

test("an alarm looks the more seldom, the longer the deployment has been disarmed, and at least every two minutes", async () => {
  const world = new World();
  world.disarm();
  const waits: number[] = [];
  for (const minutes of [0, 4, 10, 40, 24 * 60]) {
    vi.setSystemTime(Date.parse("2026-03-01T09:30:00Z") + minutes * 60_000);
    waits.push((await world.watch.heldMs()) / 1000);
  }
  expect(waits).toEqual([15, 15, 30, 120, 120]);
});

test("a call behind a gate that refuses opens no socket, and its error says that it was not attempted", async () => {
  const fetch = vi.fn<() => Promise<Response>>(async () => new Response());
  const refusal = new AppError("DISARMED", "no");
  const call = callOutbound(
    {
      method: "POST",
      url: "https://example.com",
      headers: {},
      timeoutMs: 1000,
      bodyBytesMax: 10,
    },
    { fetch, policy: { allowPrivateHosts: false }, gate: () => Promise.reject(refusal) },
  );
  const error: unknown = await call.catch((reason: unknown) => reason);
  expect(isHeld(error)).toBe(true);
  expect(fetch).not.toHaveBeenCalled();
});
