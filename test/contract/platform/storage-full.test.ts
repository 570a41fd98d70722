import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "#src/app.ts";
import { EXPORTERS } from "#test/support/exporters/pipelines.ts";
import { freshLedger, inLedger, okBodyOf, pay, post } from "#test/support/ledger/api.ts";
import { api, BASE_URL, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { forgetFullStorage } from "#test/support/platform/forget-full-storage.ts";

afterAll(forgetFullStorage);

const FULL = "database or disk is full: SQLITE_FULL";
const ANSWER = {
  errorCode: "INTERNAL",
  errorMessage: "[INTERNAL] storage is full; nothing was written",
};

const logged = vi.spyOn(console, "error").mockReturnValue(undefined);
afterEach(() => vi.useRealTimers());

/** The lines that were logged for the operator since the last call of this function. */
function linesOf(): string[] {
  const lines = logged.mock.calls.map(([line]) => String(line));
  logged.mockClear();
  return lines;
}

async function healthOf(answer: Promise<Response> | Response): Promise<unknown> {
  const { versions } = (await bodyOf(await answer)) as {
    versions: { name: string; health: boolean }[];
  };
  return versions.find(({ name }) => name === "ledger")?.health;
}

/** Lets writes of a ledger's object fail for lack of room. The returned function ends the lack. */
async function fill(ledger: string): Promise<() => void> {
  let isFull = true;
  await runInDurableObject(env.LEDGERS.getByName(ledger), (_, { storage }) => {
    const run = storage.transactionSync.bind(storage);
    vi.spyOn(storage, "transactionSync").mockImplementation((work) => {
      if (isFull) throw new Error(FULL);
      return run(work);
    });
  });
  return () => {
    isFull = false;
  };
}

describe("full storage", () => {
  test("a write to a full ledger is answered and logged as such, reads go on, and so do writes with room", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    expect(await healthOf(api("/versions"))).toBe(true);
    const release = await fill(ledger);
    linesOf();
    const refused = await post(ledger, pay("world -> a", 1));
    expect([refused.status, await bodyOf(refused)]).toEqual([507, ANSWER]);
    expect(linesOf().filter((line) => line.includes("storage is full"))).toEqual([
      expect.stringContaining(FULL),
    ]);
    expect(await healthOf(api("/versions"))).toBe(false);
    const read = () => okBodyOf(inLedger(ledger, "/stats"));
    expect(await read()).toMatchObject({ data: { transactions: 1 } });
    release();
    await okBodyOf(post(ledger, pay("world -> a", 1)));
    expect(await read()).toMatchObject({ data: { transactions: 2 } });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 15_000 });
    expect(await healthOf(api("/versions"))).toBe(true);
  });

  test("a full database that can't be opened is answered as such, and does not say why", async () => {
    const ledger = await freshLedger();
    const opaque = async () => {
      throw new Error("internal error; reference = x1");
    };
    const closed = { bind: () => ({ run: opaque, all: opaque, raw: opaque }) };
    let isOpen = true;
    const bindings = {
      ...env,
      DB: {
        prepare: (sql: string) => (isOpen ? env.DB.prepare(sql) : closed),
        batch: (statements: D1PreparedStatement[]) => env.DB.batch(statements),
      },
    };
    const app = createApp();
    const headers = { authorization: `Bearer ${await token()}` };
    const call = (path: string, init: RequestInit = {}) =>
      app.fetch(new Request(BASE_URL + path, { headers, ...init }), bindings);
    expect((await call(EXPORTERS)).status).toBe(200); // the call also loads the keys that verify tokens
    isOpen = false;
    expect((await call(EXPORTERS)).status).toBe(500);
    isOpen = true;
    const release = await fill(ledger);
    const body = JSON.stringify(pay("world -> a", 1));
    const path = `/api/ledger/v2/${ledger}/transactions`;
    expect((await call(path, { method: "POST", body })).status).toBe(507);
    release();
    isOpen = false;
    const refused = await call(EXPORTERS);
    expect(refused.status).toBe(507);
    expect(await bodyOf(refused)).toMatchObject({ errorMessage: "[INTERNAL] storage is full" });
  });

  test("a write to a full database is answered and logged as such", async () => {
    const app = createApp();
    const refuse = async () => {
      throw new Error(`D1_ERROR: ${FULL}`, { cause: new Error(FULL) });
    };
    const refused = { run: refuse, all: refuse, raw: refuse } as unknown as D1PreparedStatement; // the database uses only these members
    const refusing = { bind: () => refused };
    const { DB } = env;
    const full = {
      prepare: (sql: string) => (/^insert/i.test(sql) ? refusing : DB.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) =>
        statements.includes(refused) ? refuse() : DB.batch(statements),
    };
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${await token()}` };
      return app.fetch(new Request(BASE_URL + path, { headers, ...init }), { ...env, DB: full });
    };
    linesOf();
    const body = JSON.stringify({ driver: "noop", config: { name: freshName() } });
    const answer = await call(EXPORTERS, { method: "POST", body });
    expect([answer.status, await bodyOf(answer)]).toEqual([507, ANSWER]);
    expect(linesOf()).toEqual([expect.stringContaining("storage is full")]);
    expect((await call(EXPORTERS)).status).toBe(200);
  });
});
