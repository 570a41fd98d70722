import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { expectSound } from "#test/support/ledger-engine/audit.ts";
import {
  WITH_VOLUMES,
  at,
  create,
  deleteMetadata,
  INFO,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

describe("a ledger that lost its memory", () => {
  test("a ledger that lost its memory goes on: ids, volumes, references, keys, dates and the hash chain", () => {
    const ledger = new TestLedger();
    const script = [
      () => ledger.run(create(posting("world -> a", 10), { reference: "r1" }), { key: "k1" }),
      () => ledger.run(create(posting("a -> b", 4), { timestamp: at("09:00") })),
      () => ledger.run(setMetadata(1, { k: "v" })),
      () => ledger.run(setMetadata("b", { k: "v" })),
      () => ledger.run(deleteMetadata("b", "k")),
      () => ledger.run(revert(2)),
      () => ledger.run(create(posting("a -> b", 10, "USD"))),
    ];
    const logIds = script.map((write) => {
      const { logId } = write();
      ledger.open();
      return logId;
    });
    expect(logIds).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(ledger.transactions().map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(ledger.volumes("a")).toEqual({ USD: "14/14" });
    expect(refusalOf(() => ledger.run(create(posting("world -> a", 1), { reference: "r1" })))).toBe(
      "CONFLICT",
    );
    expect(script[0]?.().isReplay).toBe(true);
    expectSound(ledger);
  });

  test("a ledger that lost its memory reuses the ids that dry runs and refusals had used up at its end", () => {
    const ledger = new TestLedger();
    ledger.run(create(posting("world -> a", 1)));
    ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    ledger.open();
    const next = ledger.run(create(posting("world -> a", 1)));
    expect([next.transaction?.id, next.logId]).toEqual([2, 2]);
  });

  test("a ledger that lost its memory answers the same as one that kept it", () => {
    const [kept, lost] = [new TestLedger(), new TestLedger()];
    for (let round = 0; round < 40; round++) {
      const command = create(
        posting(round % 3 === 0 ? "world -> a" : `a -> b:${round % 5}`, round % 7),
        {
          force: true,
          ...(round % 4 === 0 ? { timestamp: at(`09:${10 + ((round * 7) % 40)}`) } : {}),
        },
      );
      lost.open();
      expect(lost.run(command)).toEqual(kept.run(command));
    }
    expect(lost.dump()).toBe(kept.dump());
    expectSound(kept);
  });
});

describe("a ledger in a file", () => {
  test("a ledger in a file is found again by another process's connection", () => {
    const folder = mkdtempSync(join(tmpdir(), "florin-ledger-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "ledger.sqlite");
    const first = new NodeSql(path);
    const ledger = new TestLedger({ sql: first });
    ledger.commit(create(posting("world -> a", 10n ** 30n)));
    first.close();
    const second = new NodeSql(path);
    const engine = new LedgerEngine(second, () => at("11:00"));
    expect(engine.info).toEqual(INFO);
    expect(engine.lastLogId).toBe(1);
    expect(engine.reads.findAccount("a", WITH_VOLUMES)?.volumes).toMatchObject([
      { input: 10n ** 30n },
    ]);
    second.close();
  });

  test("a ledger in a file is made once: creating it again changes nothing", () => {
    const ledger = new TestLedger();
    ledger.commit(create(posting("world -> a", 1)));
    const before = ledger.dump();
    LedgerEngine.create(ledger.sql, { ...INFO, uuid: "another", name: "another" });
    expect(ledger.dump()).toBe(before);
    expect(ledger.open().info).toEqual(INFO);
  });
});

describe("the last log entry whose events are published", () => {
  test("the last log entry whose events are published is remembered, never moves back and never beyond the log", () => {
    const ledger = new TestLedger();
    for (let count = 0; count < 3; count++) ledger.run(create(posting("world -> a", 1)));
    ledger.engine.confirmPublished(2);
    ledger.engine.confirmPublished(1);
    expect(ledger.engine.publishedLogId).toBe(2);
    ledger.engine.confirmPublished(99);
    expect(ledger.engine.publishedLogId).toBe(3);
    expect(ledger.open().publishedLogId).toBe(3);
    expect(ledger.engine.lastLogId).toBe(3);
  });
});
