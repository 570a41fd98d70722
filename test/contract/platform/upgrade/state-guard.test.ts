import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { consume } from "#src/jobs.ts";
import { isolate } from "#test/support/runner/isolate.ts";

// The tests of this file build on each other: at first the database has no tables, then those of this code, then others.

const DB = env.EMPTY_DB;

/** A database that counts the statements that read which migrations it has. */
function counted(): { database: D1Database; count: () => number } {
  let count = 0;
  const prepare = (text: string): D1PreparedStatement => {
    if (text.includes("d1_migrations")) count++;
    return DB.prepare(text);
  };
  return {
    database: new Proxy(DB, {
      get: (target, name) => {
        if (name === "prepare") return prepare;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    }),
    count: () => count,
  };
}

const INFO = "/api/ledger/_info";

async function refusalOf(path: string): Promise<unknown> {
  const response = await isolate({ DB })(path);
  return [response.status, response.headers.get("retry-after"), await response.json()];
}

const lacking = (code: string) => ({
  errorCode: code,
  errorMessage: expect.stringMatching(
    new RegExp(`^\\[${code}\\] The database lacks ${MIGRATIONS[0]}`),
  ) as unknown,
});

describe("a database that was never migrated", () => {
  test("a database that was never migrated is refused with a sentence in the error body of each module", async () => {
    expect(await refusalOf(INFO)).toEqual([503, "30", lacking("INTERNAL")]);
    const wallets = "/api/wallets/_info";
    expect(await refusalOf(wallets)).toEqual([503, "30", lacking("INTERNAL_ERROR")]);
  });

  test("a database that was never migrated is asked four times a second only", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { database, count } = counted();
    const send = isolate({ DB: database });
    await send(INFO);
    const first = count();
    for (let call = 0; call < 5; call++) expect((await send(INFO)).status).toBe(503);
    expect(count()).toBe(first);
    vi.setSystemTime(Date.now() + 250);
    for (let call = 0; call < 5; call++) expect((await send(INFO)).status).toBe(503);
    expect(count()).toBe(2 * first);
  });

  test("a database that was never migrated leaves the API document readable", async () => {
    expect((await isolate({ DB })("/openapi.json")).status).toBe(200);
  });

  test("a database that was never migrated makes a queue keep its messages, and an object put its alarm off", async () => {
    const bindings = { ...env, DB };
    const retry = vi.fn<(options: QueueRetryOptions) => void>();
    for (const queue of ["florin-events", "florin-events-dead"]) {
      const batch = { queue, messages: [{ attempts: 1, retry }] };
      await consume(batch as unknown as MessageBatch, bindings); // the consumer may use only these members
    }
    const waits = retry.mock.calls.map(([{ delaySeconds = 0 }]) => delaySeconds);
    // The queue of dead letters waits longer each time, as it gives up after a number of deliveries.
    expect(waits).toEqual([60, expect.closeTo(15, -1)]);
    const storage = { setAlarm: vi.fn<(atMs: number) => Promise<void>>(async () => undefined) };
    expect(await isPutOff(storage as unknown as DurableObjectStorage, bindings)).toBe(true);
    expect(storage.setAlarm).toHaveBeenCalledOnce();
  });
});

describe("a database with all migrations of the code", () => {
  test("a database with all migrations of the code is served, and is not asked again", async () => {
    const early = isolate({ DB });
    expect((await early(INFO)).status).toBe(503);
    await applyD1Migrations(DB, env.TEST_MIGRATIONS);
    await expect.poll(async () => (await early(INFO)).status).toBe(200);
    const { database, count } = counted();
    const send = isolate({ DB: database });
    expect((await send(INFO)).status).toBe(200);
    expect(count()).toBe(1);
    for (let call = 0; call < 5; call++) expect((await send(INFO)).status).toBe(200);
    expect(count()).toBe(1);
  });

  test("a database with all migrations of the code makes no alarm wait", async () => {
    const storage = { setAlarm: vi.fn<(atMs: number) => Promise<void>>(async () => undefined) };
    expect(await isPutOff(storage as unknown as DurableObjectStorage, { ...env, DB })).toBe(false);
    expect(storage.setAlarm).not.toHaveBeenCalled();
  });
});

test("a database that does not answer keeps nobody from what needs none", async () => {
  const database = new Proxy(DB, {
    get: (target, name) => {
      if (name === "prepare") throw new Error("D1_ERROR: Network connection lost.");
      return Reflect.get(target, name) as unknown;
    },
  });
  const path = "/api/auth/.well-known/openid-configuration";
  expect((await isolate({ DB: database })(path)).status).toBe(200);
});

describe("a database of a later version", () => {
  test("a database of a later version is refused by the name of its migration", async () => {
    await DB.prepare("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')").run();
    await DB.prepare("UPDATE required_migration SET name = '9999_later.sql'").run();
    const [status, , body] = (await refusalOf(INFO)) as [number, string, { errorMessage: string }];
    expect(status).toBe(503);
    expect(body.errorMessage).toContain("does not know its migration 9999_later.sql");
  });

  test("a database of a later version that only adds is served, also by an isolate that starts then", async () => {
    await DB.prepare("UPDATE required_migration SET name = ?").bind(MIGRATIONS.at(-1)).run();
    const send = isolate({ DB });
    expect((await send(INFO)).status).toBe(200);
    const storage = { setAlarm: vi.fn<(atMs: number) => Promise<void>>(async () => undefined) };
    expect(await isPutOff(storage as unknown as DurableObjectStorage, { ...env, DB })).toBe(false);
    const versions = await (await send("/versions")).json<{ versions: { health: boolean }[] }>();
    expect(versions).not.toHaveProperty("problems");
    await DB.prepare("UPDATE required_migration SET name = '9999_later.sql'").run();
  });

  test("a database of a later version is not refused by an isolate that has begun to work on it before", async () => {
    await DB.prepare("DELETE FROM d1_migrations WHERE name = '9999_later.sql'").run();
    const send = isolate({ DB });
    expect((await send(INFO)).status).toBe(200);
    await DB.prepare("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')").run();
    expect((await send(INFO)).status).toBe(200);
  });
});

test("a database that was made before 0.2.0 is refused, and the sentence says what to do", async () => {
  await DB.prepare("DELETE FROM d1_migrations").run();
  await DB.prepare("INSERT INTO d1_migrations (name) VALUES ('0000_init.sql')").run();
  const [, , body] = (await refusalOf(INFO)) as [number, string, { errorMessage: string }];
  expect(body.errorMessage).toContain("made by a version of Florin before 0.2.0");
});
