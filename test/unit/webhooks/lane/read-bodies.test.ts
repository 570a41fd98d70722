import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { LogEntry } from "#ledger-engine";
import { rereadLedgerEvents } from "#modules/ledger/event-source.ts";
import { writeEntries } from "#modules/ledger/objects/event-payloads.ts";
import { PayloadStore } from "#modules/webhooks/bodies/payload-store.ts";
import type { EventOrigin } from "#modules/webhooks/core/lane.ts";
import { READ_MS_MAX } from "#modules/webhooks/lane/ports.ts";
import { type BodySources, readAllBodies, readBodies } from "#modules/webhooks/lane/read-bodies.ts";
import { systemContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { fromMillis } from "#platform/time.ts";
import { INFO } from "#test/support/ledger-engine/fixtures.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const ORIGIN = { source: "ledger", ledger: "shop", uuid: "u1" } as const;
const MEGABYTE = 1_000_000;

/** A ledger whose events are all confirmed, and whose log is read two entries at a time. */
class FakeLedger {
  readonly calls: string[] = [];
  note = "short";
  missing: number | undefined;
  isPurged = false;
  onCall: () => void = () => undefined;

  async readWritten(from: number, to: number) {
    this.calls.push(`${from}-${to}`);
    this.onCall();
    if (this.isPurged) {
      return { ok: false, failure: { kind: "LEDGER_NOT_FOUND", message: "ledger not found" } };
    }
    const entries: LogEntry[] = [];
    for (let id = from; id <= to && entries.length < 2; id++) {
      if (id !== this.missing) entries.push(this.#entry(id));
    }
    return { ok: true, value: writeEntries(INFO, entries) };
  }

  #entry(id: number): LogEntry {
    const data = {
      type: "SET_METADATA",
      target: { type: "ACCOUNT", id: `a${id}` },
      metadata: { note: this.note },
    } as const;
    return { id, date: fromMillis(0), data } as unknown as LogEntry; // the code under test uses only these members
  }
}

let ledger: FakeLedger;
const d1 = new NodeD1();
d1.migrate();
const sourcesOf = (context = contextOf()): BodySources => ({ context, reread: rereadLedgerEvents });
const contextOf = () =>
  systemContext({ DB: d1.binding, LEDGERS: { getByName: () => ledger } } as unknown as Env, "test"); // the code under test uses only these members

beforeEach(() => {
  ledger = new FakeLedger();
});

const accountOf = (body: string | undefined): unknown =>
  (JSON.parse(body ?? "{}") as { payload?: { targetId?: string } }).payload?.targetId;

describe("bodies of a ledger's events", () => {
  test("bodies of a ledger's events are all read, however few entries one call gives", async () => {
    const positions = [9, 1, 2, 3, 5, 50];
    const bodies = await readAllBodies(ORIGIN, positions, sourcesOf());
    expect(bodies.map(accountOf)).toEqual(positions.map((position) => `a${position}`));
    expect(ledger.calls).toEqual(["1-9", "3-9", "5-9", "7-9", "9-9", "50-50"]);
  });

  test("bodies of a ledger's events are not gone while their ledger exists", async () => {
    ledger.missing = 3;
    await expect(readBodies(ORIGIN, [2, 3, 4], sourcesOf())).rejects.toThrow("no entry 3");
  });

  test("bodies of a ledger's events are gone with their ledger", async () => {
    ledger.isPurged = true;
    expect(await readAllBodies(ORIGIN, [1, 30], sourcesOf())).toEqual([undefined, undefined]);
  });

  test("bodies of a ledger's events are read later where they are too large together", async () => {
    ledger.note = "x".repeat(3 * MEGABYTE);
    const positions = [1, 2, 3, 4, 5, 6];
    expect([...(await readBodies(ORIGIN, positions, sourcesOf())).keys()]).toEqual([1, 2, 3, 4]);
    expect([...(await readBodies(ORIGIN, [5, 6], sourcesOf())).keys()]).toEqual([5, 6]);
  });

  test("a ledger that cannot be read says so", async () => {
    const env = {
      LEDGERS: {
        getByName: () => ({
          readWritten: () => Promise.reject(new AppError("OVERLOADED", "busy")),
        }),
      },
    } as unknown as Env; // all that is used of it
    const reading = readBodies(ORIGIN, [1], sourcesOf(systemContext(env, "test")));
    await expect(reading).rejects.toMatchObject({ kind: "OVERLOADED" });
  });
});

test("stored bodies are read later where they are too large together", async () => {
  const body = "x".repeat(1.5 * MEGABYTE);
  const ids = Array.from({ length: 10 }, (_, index) => `event-${index}`);
  const store = new PayloadStore(d1.db);
  for (const id of ids) await store.insert(new Map([[id, body]]), { nowMs: 0, keepUntilMs: 0 });
  const first = await readBodies({ source: "outbox" }, ["gone", ...ids], sourcesOf());
  expect([...first.keys()]).toEqual(["gone", ...ids.slice(0, 7)]);
  expect(first.get("gone")).toBeUndefined();
  const all = await readAllBodies({ source: "outbox" }, ids, sourcesOf());
  expect(all).toEqual(ids.map(() => body));
});

describe("bodies that take long to read", () => {
  const CALL_MS = 300;
  let nowMs = 0;
  const pass = (): void => {
    nowMs += CALL_MS;
  };
  const slowContext = () => ({ ...contextOf(), clock: () => fromMillis(nowMs) });

  /** Reads bodies in calls that end in time, until none are left; returns all bodies. */
  async function readInTime(origin: EventOrigin, positions: readonly (number | string)[]) {
    const bodies: (string | undefined)[] = [];
    while (bodies.length < positions.length) {
      const startMs = nowMs;
      const read = await readBodies(
        origin,
        positions.slice(bodies.length),
        sourcesOf(slowContext()),
      );
      expect(nowMs - startMs).toBeLessThan(READ_MS_MAX - CALL_MS);
      expect(read.size).toBeGreaterThan(0);
      bodies.push(...read.values());
    }
    return bodies;
  }

  test("bodies of a ledger that take long to read are read by several calls", async () => {
    ledger.onCall = pass;
    const positions = Array.from({ length: 100 }, (_, index) => 1 + 30 * index);
    const bodies = await readInTime(ORIGIN, positions);
    expect(bodies.map(accountOf)).toEqual(positions.map((position) => `a${position}`));
  });

  test("bodies of the outbox that take long to read are read by several calls", async () => {
    const ids = Array.from({ length: 192 }, (_, index) => `slow-${index}`);
    await new PayloadStore(d1.db).insert(new Map(ids.map((id) => [id, id])), {
      nowMs: 0,
      keepUntilMs: 0,
    });
    d1.onStep = (when) => {
      if (when === "before") pass();
    };
    onTestFinished(() => {
      d1.onStep = () => undefined;
    });
    expect(await readInTime({ source: "outbox" }, ids)).toEqual(ids);
  });
});
