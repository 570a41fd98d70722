import { describe, expect, test } from "vitest";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { Authorship } from "#ledger-engine/storage/authorship.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { first } from "#platform/sql/sql.ts";
import { FaultySql, StorageFault } from "#test/support/ledger-engine/faults.ts";
import {
  create,
  deleteMetadata,
  element,
  insertSchema,
  posting,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { exportOf, linesOf } from "#test/support/ledger-engine/logs.ts";

const authorOf = (clientId: string, subject = clientId): Author => ({
  issuer: "https://issuer.example.com",
  subject,
  clientId,
});
const SHOP = authorOf("shop");
const BANK = authorOf("bank");

const pay = (amount = 1) => create(posting("world -> a", amount));

/** The client that wrote each entry; `?` for an unknown one. */
const clientsOf = (ledger: TestLedger): string[] =>
  ledger.logs().map(({ id }) => ledger.engine.reads.findAuthor(id)?.author?.clientId ?? "?");

const countRows = (ledger: TestLedger, table: "author" | "authorship"): number =>
  ledger.sql.all(`SELECT * FROM ${table}`).length;

describe("the author of a log entry", () => {
  test("the author of a log entry is kept whole, whatever the entry is about", () => {
    const ledger = new TestLedger();
    const author = authorOf("shop", "mia");
    ledger.run(insertSchema("v1", { chart: { world: {}, a: {} } }), { author: BANK });
    const commands = [pay(), setMetadata("a", { k: "v" }), deleteMetadata("a", "k"), revert(1)];
    for (const command of commands) ledger.run(command, { author });
    expect(ledger.engine.reads.findAuthor(1)).toEqual({ author: BANK });
    for (const id of [2, 3, 4, 5]) expect(ledger.engine.reads.findAuthor(id)).toEqual({ author });
  });

  test("the author of a log entry is unknown if none is given, even between known ones", () => {
    const ledger = new TestLedger();
    for (const author of [undefined, SHOP, undefined, undefined, BANK]) {
      ledger.run(pay(), author === undefined ? {} : { author });
    }
    expect(clientsOf(ledger)).toEqual(["?", "shop", "?", "?", "bank"]);
  });

  test("the author of a log entry does not exist where there is no entry", () => {
    const ledger = new TestLedger();
    ledger.run(pay(), { author: SHOP });
    ledger.run(pay(), { author: SHOP, dryRun: true });
    ledger.run(pay(), { author: SHOP });
    const found = [-1, 0, 1, 2, 3, 4].map((id) => ledger.engine.reads.findAuthor(id) !== undefined);
    expect(found).toEqual([false, false, true, false, true, false]);
  });

  test.each([
    ["subject", { ...SHOP, subject: "mia" }],
    ["client", { ...SHOP, clientId: "bank" }],
    ["issuer", { ...SHOP, issuer: "https://other.example.com" }],
  ])("the author of a log entry is a different one if only the %s differs", (_, other) => {
    const ledger = new TestLedger();
    for (const author of [SHOP, other, SHOP]) ledger.run(pay(), { author });
    const found = [1, 2, 3].map((id) => ledger.engine.reads.findAuthor(id)?.author);
    expect(found).toEqual([SHOP, other, SHOP]);
    expect(countRows(ledger, "author")).toBe(2);
  });

  test("the author of a log entry is right over hundreds of changes, and after an eviction at any of them", () => {
    const ledger = new TestLedger();
    const clients = Array.from({ length: 50 }, (_, index) => `client-${index}`);
    const written = Array.from({ length: 300 }, (_, index) => clients[(index * 7) % 50] ?? "");
    for (const [index, client] of written.entries()) {
      if (index % 11 === 0) ledger.open();
      ledger.run(pay(), { author: authorOf(client) });
    }
    expect(clientsOf(ledger)).toEqual(written);
    ledger.open();
    expect(clientsOf(ledger)).toEqual(written);
  });
});

describe("what is stored", () => {
  test("the storage of authors does not grow if the same client writes again, even in bulks", () => {
    const ledger = new TestLedger();
    for (let round = 0; round < 3; round++) {
      ledger.run(pay(), { author: { ...SHOP } });
      ledger.bulk([pay(), pay()], { author: { ...SHOP } });
      ledger.open();
    }
    expect(clientsOf(ledger)).toEqual(Array.from({ length: 9 }, () => "shop"));
    expect([countRows(ledger, "author"), countRows(ledger, "authorship")]).toEqual([1, 1]);
  });

  test("the storage of authors is empty if no author is given", () => {
    const ledger = new TestLedger();
    ledger.run(pay());
    ledger.bulk([pay(), pay()]);
    expect([countRows(ledger, "author"), countRows(ledger, "authorship")]).toEqual([0, 0]);
  });

  test("the storage of authors takes at most 8 bytes a transaction when a thousand clients take turns", () => {
    const { sql } = new TestLedger();
    const authorship = new Authorship(sql);
    const authors = Array.from({ length: 1000 }, (_, index) => authorOf(`client-${index}`));
    let last = 0;
    /** Records the authors of `count` entries; returns the bytes that all authors take. */
    const note = (count: number): number => {
      sql.transaction(() => {
        for (const end = last + count; last < end;) {
          last++;
          authorship.note(last, authors[(last * 617) % 1000]);
        }
      });
      return first(
        sql.all<{ bytes: number }>(
          "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'authorship'",
        ),
      ).bytes;
    };
    const before = note(2000);
    expect((note(20_000) - before) / 20_000).toBeLessThanOrEqual(8);
  });
});

describe("nothing changes the author", () => {
  test("the author of an entry does not change with a dry run or a refused write", () => {
    const ledger = new TestLedger();
    ledger.run(pay(), { author: SHOP });
    ledger.run(pay(), { author: BANK, dryRun: true });
    const overdraft = create(posting("b -> a", 5));
    expect(refusalOf(() => ledger.run(overdraft, { author: BANK }))).toBe("INSUFFICIENT_FUND");
    ledger.bulk([overdraft], { author: BANK });
    ledger.bulk([pay(), overdraft], { author: BANK, atomic: true });
    expect(countRows(ledger, "author")).toBe(1);
    ledger.run(pay(), { author: SHOP });
    expect(clientsOf(ledger)).toEqual(["shop", "shop"]);
    expect(countRows(ledger, "authorship")).toBe(1);
  });

  test("the author of an entry does not change when its key is used again", () => {
    const ledger = new TestLedger();
    ledger.run(pay(), { author: SHOP, key: "k" });
    const replay = ledger.run(pay(), { author: BANK, key: "k" });
    expect(replay).toMatchObject({ logId: 1, isReplay: true });
    ledger.bulk([element(pay(), "k"), pay()], { author: BANK });
    expect(clientsOf(ledger)).toEqual(["shop", "bank"]);
  });

  test("the author of an entry does not change when the storage fails, at any operation", () => {
    for (let fault = 1; ; fault++) {
      const sql = new FaultySql(new NodeSql());
      const ledger = new TestLedger({ sql });
      ledger.run(pay(), { author: SHOP });
      sql.arm(fault);
      let hasFailed = false;
      try {
        ledger.bulk([pay(), pay()], { author: BANK });
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error;
        hasFailed = true;
      }
      sql.arm(Number.POSITIVE_INFINITY);
      const written = hasFailed ? ["shop"] : ["shop", "bank", "bank"];
      expect(clientsOf(ledger)).toEqual(written);
      ledger.run(pay(), { author: BANK });
      expect(clientsOf(ledger)).toEqual([...written, "bank"]);
      if (!hasFailed) return;
    }
  });
});

describe("authors beside the log", () => {
  test("imported entries have the importing client as their author, up to one that is refused", () => {
    const source = new TestLedger();
    for (const author of [SHOP, BANK, SHOP]) source.run(pay(), { author });
    const lines = linesOf(exportOf(source));
    expect(lines.join()).not.toContain("bank");
    const copy = new TestLedger();
    copy.engine.importLogs({ texts: [...lines.slice(0, 2), "{}"], before: 0, author: SHOP });
    copy.engine.importLogs({ texts: lines.slice(2), before: 2, author: BANK });
    expect(clientsOf(copy)).toEqual(["shop", "shop", "bank"]);
    expect(exportOf(copy)).toBe(exportOf(source));
  });

  test("an audit finds a ledger of many authors consistent", () => {
    const ledger = new TestLedger();
    for (const author of [SHOP, BANK, SHOP]) ledger.run(pay(), { author });
    expect(audited(ledger)).toMatchObject({ status: "consistent", differences: [] });
  });
});
