import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { LedgerService } from "#modules/ledger/service/service.ts";
import type { LogResponse } from "#modules/ledger/wire/schemas.ts";
import { systemContext } from "#platform/context.ts";
import { unwrap } from "#platform/result.ts";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  objectOf,
  okBodyOf,
  pay,
  post,
} from "#test/support/ledger/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

type LogView = ReturnType<typeof LogResponse.parse>;

afterEach(() => {
  vi.restoreAllMocks();
});

/** The exported entries of a new ledger with three transactions. */
async function exportedEntries(): Promise<string[]> {
  const ledger = await freshLedger();
  for (let count = 0; count < 3; count++) await okBodyOf(post(ledger, pay("world -> a", 1)));
  const response = await inLedger(ledger, "/logs/export", { method: "POST" });
  const lines = new TextDecoder()
    .decode(await response.arrayBuffer())
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => (JSON.parse(line) as LogView).id)).toEqual([1, 2, 3]);
  return lines;
}

/** Begins an import, which sends its first entry at once and the others when `goOn` is called. */
async function beginImport(ledger: string, [first = "", ...others]: readonly string[]) {
  const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode(`${first}\n`);
    await mayGoOn;
    yield new TextEncoder().encode(others.join("\n"));
  }
  const done = LedgerService.from(systemContext(env, "test")).importLogs(ledger, body());
  await eventually(async () => expect(await logIdsOf(ledger)).toEqual([1]));
  return { goOn, done };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

describe("an import that is under way", () => {
  test("writes during an import are refused with a time to retry, and accepted again after its end", async () => {
    const copy = await freshLedger();
    const { goOn, done } = await beginImport(copy, await exportedEntries());
    const refused = await post(copy, pay("world -> b", 1));
    expect([refused.status, refused.headers.get("retry-after") !== null]).toEqual([503, true]);
    goOn();
    await done;
    expect((await post(copy, pay("world -> b", 1))).status).toBe(200);
    expect(await logIdsOf(copy)).toEqual([1, 2, 3, 4]);
  });

  test("another import during an import, even an empty one, is refused with a time to retry, and the first goes on", async () => {
    const [copy, entries] = [await freshLedger(), await exportedEntries()];
    const { goOn, done } = await beginImport(copy, entries);
    for (const body of ["", entries.slice(1).join("\n")]) {
      const refused = await inLedger(copy, "/logs/import", { method: "POST", body });
      expect([refused.status, refused.headers.get("retry-after") !== null]).toEqual([503, true]);
      expect(await refused.json()).toEqual({
        errorCode: "INTERNAL",
        errorMessage: "[INTERNAL] another import into this ledger is under way",
      });
    }
    expect((await post(copy, pay("world -> b", 1))).status).toBe(503);
    goOn();
    await done;
    expect(await logIdsOf(copy)).toEqual([1, 2, 3]);
  });

  test("the end of another import does not end an import that is under way", async () => {
    const [copy, [first = ""]] = [await freshLedger(), await exportedEntries()];
    const object = objectOf(copy);
    unwrap(await object.importLogs({ texts: [first], before: 0 }, { importId: "one" }));
    await object.endImport("two");
    expect((await post(copy, pay("world -> b", 1))).status).toBe(503);
    await object.endImport("one");
    expect((await post(copy, pay("world -> b", 1))).status).toBe(200);
  });
});

describe("an import that stops without an end", () => {
  test("an import that stops without an end holds up writes for a while only", async () => {
    const [copy, [first = ""]] = [await freshLedger(), await exportedEntries()];
    const batch = { texts: [first], before: 0 };
    unwrap(await objectOf(copy).importLogs(batch, { importId: "stopped" }));
    expect((await post(copy, pay("world -> b", 1))).status).toBe(503);
    const laterMs = Date.now() + 5001;
    vi.spyOn(Date, "now").mockReturnValue(laterMs);
    expect((await post(copy, pay("world -> b", 1))).status).toBe(200);
  });

  test("an import that stops without an end holds up no writes where the machine's clock is set back", async () => {
    const [copy, [first = ""]] = [await freshLedger(), await exportedEntries()];
    const batch = { texts: [first], before: 0 };
    unwrap(await objectOf(copy).importLogs(batch, { importId: "stopped" }));
    const earlierMs = Date.now() - 3_600_000;
    vi.spyOn(Date, "now").mockReturnValue(earlierMs);
    expect((await post(copy, pay("world -> b", 1))).status).toBe(200);
  });

  test("an import that stops without an end can be replaced by another one, and then cannot go on", async () => {
    const [copy, [first = "", second = ""]] = [await freshLedger(), await exportedEntries()];
    const object = objectOf(copy);
    unwrap(await object.importLogs({ texts: [first], before: 0 }, { importId: "stopped" }));
    const laterMs = Date.now() + 5001;
    vi.spyOn(Date, "now").mockReturnValue(laterMs);
    const batch = { texts: [second], before: 1 };
    expect(unwrap(await object.importLogs({ texts: [], before: 0 }, { importId: "next" }))).toEqual(
      { taken: 0 },
    );
    expect(await object.importLogs(batch, { importId: "stopped" })).toMatchObject({
      ok: false,
      failure: { kind: "OVERLOADED" },
    });
    await object.endImport("stopped");
    expect((await post(copy, pay("world -> b", 1))).status).toBe(503);
    expect(unwrap(await object.importLogs(batch, { importId: "next" }))).toEqual({ taken: 1 });
    expect(await logIdsOf(copy)).toEqual([1, 2]);
  });
});

test("a refused import does not keep later writes out", async () => {
  const ledger = await freshLedger();
  await okBodyOf(post(ledger, pay("world -> a", 1)));
  const importing = LedgerService.from(systemContext(env, "test")).importLogs(ledger, nothing());
  await expect(importing).rejects.toMatchObject({ kind: "IMPORT" });
  expect((await post(ledger, pay("world -> b", 1))).status).toBe(200);
});
