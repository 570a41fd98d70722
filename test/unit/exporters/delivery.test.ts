import { describe, expect, test, vi } from "vitest";
import { AppError } from "#platform/errors.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { DeliveryRun, idsTo } from "#test/support/exporters/delivery-run.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

describe("a delivery", () => {
  test("a delivery of a log sends the whole log in order, in pages, and keeps the position", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(250);
    run.batching = { itemsMax: undefined, flushAfterMs: 0 };
    expect(await run.run()).toBe(5 * SECOND);
    expect(run.sent.map(({ ids }) => ids.length)).toEqual([100, 100, 50]);
    expect(run.ids).toEqual(idsTo(250));
    expect(run.progress).toMatchObject({
      lastLogId: 250,
      entries: 250,
      batches: 3,
      failure: undefined,
    });
  });

  test("a delivery of a log begins with an entry of the id 0, and accepts gaps", async () => {
    const run = new DeliveryRun({ pageSize: 2 });
    run.log = [0, 1, 5, 9, 12];
    run.batching = { itemsMax: undefined, flushAfterMs: 0 };
    await run.run();
    expect(run.sent.map(({ ids }) => ids)).toEqual([[0, 1], [5, 9], [12]]);
    run.log.push(40);
    await run.run();
    expect(run.ids).toEqual(run.log);
  });

  test("a delivery of a log divides pages into batches of a limited number of items", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(120);
    run.batching = { itemsMax: 30, flushAfterMs: 0 };
    await run.run();
    expect(run.sent.map(({ ids }) => ids.length)).toEqual([30, 30, 30, 10, 20]);
    expect(run.ids).toEqual(idsTo(120));
  });

  test("a delivery of a log lets entries wait for a full batch as long as the config says, and no longer", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(3);
    expect(await run.run()).toBe(SECOND);
    expect(run.sent).toEqual([]);
    run.log = idsTo(50);
    expect(await run.pass(400)).toBe(600);
    expect(run.sent).toEqual([]);
    await run.pass(600);
    expect(run.sent.map(({ ids }) => ids.length)).toEqual([50]);

    // The next entries wait for the whole flush interval again, but a full batch does not wait.
    run.log = idsTo(170);
    expect(await run.pass(SECOND)).toBe(SECOND);
    expect(run.ids).toEqual(idsTo(150));
    await run.pass(SECOND);
    expect(run.ids).toEqual(idsTo(170));
  });

  test("a delivery of a log waits from the time at which it was woken", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(1);
    await run.run();
    await run.pass(SECOND);
    run.log = idsTo(2);
    expect(run.delivery.wakeAtMs(2)).toBe(run.nowMs + SECOND);
    run.nowMs += 300;
    expect(run.delivery.wakeAtMs(2)).toBe(run.nowMs + 700);
    // Entry 101 makes a batch full.
    expect(run.delivery.wakeAtMs(101)).toBe(run.nowMs);
    await run.pass(700);
    expect(run.ids).toEqual([1, 2]);
  });

  test("a delivery of a log counts the time that entries have waited before a restart", async () => {
    const sql = new NodeSql();
    const before = new DeliveryRun({ sql });
    before.batching = { itemsMax: undefined, flushAfterMs: HOUR };
    before.log = idsTo(2);
    expect(await before.run()).toBe(HOUR);

    const after = new DeliveryRun({ sql });
    after.batching = before.batching;
    after.log = idsTo(3);
    expect(await after.pass(HOUR / 2)).toBe(HOUR / 2);
    expect(after.sent).toEqual([]);

    const last = new DeliveryRun({ sql });
    last.batching = before.batching;
    last.log = idsTo(3);
    await last.pass(HOUR);
    expect(last.ids).toEqual(idsTo(3));
    // The next entries wait for the whole flush interval again.
    last.log = idsTo(4);
    expect(await last.run()).toBe(HOUR);
  });

  test("a delivery of a log lets entries wait no longer where the machine's clock is set back", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(3);
    await run.run();
    run.nowMs -= HOUR;
    expect(await run.run()).toBe(SECOND);
    await run.pass(SECOND);
    expect(run.ids).toEqual(idsTo(3));
  });

  test("a delivery of a log pauses between runs in a long log", async () => {
    const run = new DeliveryRun({ pageSize: 1 });
    run.log = idsTo(700);
    run.batching = { itemsMax: undefined, flushAfterMs: 0 };
    expect(await run.delivery.run()).toEqual({ kind: "at", atMs: run.nowMs, isRetry: false });
    expect(run.sent).toHaveLength(300);
    run.respond = () => {
      run.nowMs += 5 * SECOND;
      return undefined;
    };
    await run.delivery.run();
    expect(run.sent).toHaveLength(304);
    expect(run.ids).toEqual(idsTo(304));
  });

  test("a delivery of a log reads an idle ledger more rarely the longer it is idle, but at least every hour", async () => {
    const run = new DeliveryRun();
    const waits: number[] = [];
    let wait = (await run.run()) ?? 0;
    for (let look = 0; look < 12; look++) {
      waits.push(wait);
      wait = (await run.pass(wait)) ?? 0;
    }
    expect(waits.slice(0, 6)).toEqual([5, 5, 10, 20, 40, 80].map((seconds) => seconds * SECOND));
    expect(waits.slice(-2)).toEqual([2560 * SECOND, HOUR]);
    expect(run.sent).toEqual([]);
    run.log = [1];
    await run.pass(0);
    expect(await run.pass(SECOND)).toBe(5 * SECOND);
    expect(run.ids).toEqual([1]);
  });
});

describe("a failure", () => {
  test("a failure of a delivery sends the same batch again, later each time, and leaves nothing out", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    run.respond = () => "the answer is 500";
    const waits: (number | undefined)[] = [await run.run()];
    const sinceMs = run.nowMs;
    for (let attempt = 0; attempt < 4; attempt++) waits.push(await run.pass(waits.at(-1) ?? 0));
    expect(waits).toEqual([12_500, 25_000, 50_000, 75_000, 75_000]);
    expect(run.sent).toHaveLength(5);
    expect(run.progress).toMatchObject({
      lastLogId: undefined,
      entries: 0,
      failure: { count: 5, message: "the answer is 500", sinceMs, lastMs: run.nowMs },
    });
    run.respond = () => undefined;
    await run.pass(75_000);
    expect(run.sent.at(-1)?.ids).toEqual(idsTo(100));
    expect(run.progress).toMatchObject({ lastLogId: 100, failure: undefined });
  });

  test("a failure of a delivery in the middle of a page keeps what was accepted", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    run.batching = { itemsMax: 40, flushAfterMs: 0 };
    run.respond = (ids) => (ids.includes(41) && run.sent.length < 3 ? "busy" : undefined);
    await run.run();
    expect(run.progress.lastLogId).toBe(40);
    await run.pass(12_500);
    expect(run.sent.map(({ ids }) => ids[0])).toEqual([1, 41, 41, 81]);
    expect(run.progress.lastLogId).toBe(100);
  });

  test("a failure of a delivery may be thrown by the destination", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    run.respond = () => {
      throw new Error("queue is down");
    };
    expect(await run.run()).toBe(12_500);
    expect(run.progress.failure?.message).toBe("queue is down");
  });

  test("a failure of a delivery may come from the ledger, and then nothing is sent", async () => {
    const run = new DeliveryRun();
    Object.defineProperty(run, "log", {
      get: () => {
        throw new AppError("OVERLOADED", "the ledger is busy or was restarted");
      },
    });
    expect(await run.run()).toBe(12_500);
    expect(run.progress.failure?.message).toBe("the ledger is busy or was restarted");
  });

  test("a failure of a delivery that nobody expected shows no details", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const run = new DeliveryRun();
    Object.defineProperty(run, "log", {
      get: () => {
        throw new Error("SELECT secret FROM tables");
      },
    });
    await run.run();
    expect(run.progress.failure?.message).toBe("an unexpected error; see the logs of the server");
    expect(logged).toHaveBeenCalledOnce();
    logged.mockRestore();
  });

  test("a failure of a delivery is over when the ledger has nothing to send any more", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    run.respond = () => "no";
    await run.run();
    run.log = [];
    await run.pass(12_500);
    expect(run.progress.failure).toBeUndefined();
  });
});

describe("a change that comes while a batch is under way", () => {
  const whileSending = (change: (run: DeliveryRun) => void, problem?: string) => {
    const run = new DeliveryRun({ pageSize: 10 });
    run.log = idsTo(30);
    run.respond = () => {
      if (run.sent.length === 2) {
        change(run);
        return problem;
      }
      return undefined;
    };
    return run;
  };

  test("a change to stopped while a batch is under way lets its acceptance count, and nothing else is sent", async () => {
    const run = whileSending((sending) => sending.assign({ enabled: false }));
    expect(await run.run()).toBeUndefined();
    expect(run.progress.lastLogId).toBe(20);
    run.assign({});
    await run.run();
    expect(run.ids).toEqual(idsTo(30));
  });

  test("a reset while a batch is under way is not lost when the batch is accepted", async () => {
    const run = whileSending((sending) => sending.assign({ resets: 1 }));
    await run.run();
    expect(run.ids).toEqual([...idsTo(20), ...idsTo(30)]);
    expect(run.progress).toMatchObject({ lastLogId: 30, resets: 1 });
  });

  test("a change of the exporter while a batch is under way makes the next batch go to the new one", async () => {
    const run = whileSending((sending) => sending.assign({ config: "second" }));
    await run.run();
    expect(run.ids).toEqual(idsTo(30));
    expect(run.sent.map(({ config }) => config)).toEqual(["first", "first", "second"]);
  });

  test("a change of the exporter during a batch makes the same batch go to the new one if the old one fails", async () => {
    const run = whileSending((sending) => sending.assign({ config: "second" }), "no");
    await run.run();
    expect(run.sent.map(({ config, ids }) => [config, ids[0]])).toEqual([
      ["first", 1],
      ["first", 11],
      ["second", 11],
      ["second", 21],
    ]);
    expect(run.progress.failure).toBeUndefined();
  });

  test("a change to deleted while a batch is under way leaves nothing behind", async () => {
    for (const problem of [undefined, "no"]) {
      const sql = new NodeSql();
      const run = new DeliveryRun({ pageSize: 10, sql });
      run.log = idsTo(30);
      run.respond = () => {
        run.remove();
        return problem;
      };
      expect(await run.run()).toBeUndefined();
      expect(run.sent).toHaveLength(1);
      expect(sql.all("SELECT name FROM sqlite_master")).toEqual([]);
    }
  });
});

describe("a pipeline", () => {
  test("a pipeline that is stopped sends nothing", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    run.assign({ enabled: false });
    expect(await run.run()).toBeUndefined();
    expect(run.sent).toEqual([]);
  });

  test("a pipeline without its exporter reports that", async () => {
    const run = new DeliveryRun();
    run.assign({ isGone: true });
    await run.run();
    expect(run.progress.failure?.message).toBe("the exporter was deleted");
  });

  test("a pipeline pauses while its ledger is gone, and goes on where it was", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    await run.run();
    run.log = undefined;
    expect(await run.pass(5 * SECOND)).toBe(5 * SECOND);
    expect(run.progress).toMatchObject({ isPaused: true, lastLogId: 100, failure: undefined });
    run.log = idsTo(200);
    await run.pass(5 * SECOND);
    expect(run.progress).toMatchObject({ isPaused: false, lastLogId: 200 });
    expect(run.ids).toEqual(idsTo(200));
  });

  test("a pipeline keeps its position over a restart, and ignores older changes", async () => {
    const sql = new NodeSql();
    const before = new DeliveryRun({ sql });
    before.log = idsTo(100);
    before.assign({ resets: 1 });
    await before.run();

    const after = new DeliveryRun({ sql });
    expect(after.progress).toMatchObject({ lastLogId: 100, resets: 1 });
    after.log = idsTo(200);
    after.assign({ resets: 1 });
    await after.run();
    expect(after.ids).toEqual(idsTo(200).slice(100));
  });

  test("a pipeline counts everything that was delivered, including repetitions", async () => {
    const run = new DeliveryRun();
    run.log = idsTo(100);
    await run.run();
    run.assign({ resets: 1 });
    expect(run.progress.lastLogId).toBeUndefined();
    await run.run();
    expect(run.progress).toMatchObject({ lastLogId: 100, entries: 200, batches: 2 });
  });
});

test("a delivery of a deployment that is disarmed sends nothing, counts no failure, and goes on where it was", async () => {
  const run = new DeliveryRun();
  run.assign({});
  run.log = idsTo(3);
  run.gate = () => Promise.reject(new AppError("DISARMED", "disarmed"));
  run.nowMs += 60_000;
  expect(await run.run()).toBeGreaterThan(0);
  expect(run.sent).toEqual([]);
  expect(run.progress.failure).toBeUndefined();
  run.gate = OPEN_GATE;
  // A batch whose call was refused by the last gate was not sent, either.
  let calls = 0;
  run.respond = () => {
    if (calls++ === 0) throw new AppError("DISARMED", "disarmed");
    return undefined;
  };
  await run.pass(60_000);
  expect(run.progress.failure).toBeUndefined();
  await run.pass(60_000);
  expect(run.progress).toMatchObject({ lastLogId: 3 });
});
