import { describe, expect, test } from "vitest";
import {
  create,
  element,
  posting,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";

const PART = { atomic: false, continueOnFailure: true, isPart: true };

describe("a part of a stream", () => {
  test("a part of a stream returns only log ids and errors", () => {
    const ledger = new TestLedger();
    const commands = [create(posting("world -> a", 1)), script("send [USD"), revert(1)];
    const elements = commands.map((command) => element(command));
    const results = ledger.engine.executeBulk(elements, PART);
    expect(results[0]).toEqual({ ok: true, value: { logId: 1, isReplay: false } });
    expect(results[1]).toEqual({
      ok: false,
      failure: { kind: "COMPILATION_FAILED", message: expect.any(String) as string },
    });
    expect(results[2]).toEqual({ ok: true, value: { logId: 2, isReplay: false } });
  });

  test("a part of a stream ends early if its scripts take much work, and keeps what they did", () => {
    const ledger = new TestLedger();
    const [n, m] = ["9".repeat(498), "8".repeat(499)];
    const plain = `vars { number $n number $m }
      send [USD 1] (source = @world destination = @a)
      ${'set_tx_meta("k", $n/$m)\n'.repeat(600)}`;
    const options = { variables: { n, m }, runtime: "experimental-interpreter" } as const;
    const elements = Array.from({ length: 20 }, () => element(script(plain, options)));
    const results = ledger.engine.executeBulk(elements, PART);
    expect(results.length).toBeLessThan(20);
    expect(results.map(({ ok }) => ok)).toEqual(results.map(() => true));
    expect(ledger.logs()).toHaveLength(results.length);
    expect(ledger.open().lastLogId).toBe(results.length);
    const rest = ledger.engine.executeBulk(elements.slice(results.length), PART);
    expect(ledger.logs()).toHaveLength(results.length + rest.length);
  });
});

describe("the transactions of log entries", () => {
  test("the transactions of log entries are those that creates and reverts made, in the order of the ids that are given", () => {
    const ledger = new TestLedger();
    const made = ledger.commit(create(posting("world -> a", 1)));
    ledger.run(setMetadata(1, { k: "v" }));
    const reverting = ledger.commit(revert(1));
    const committed = ledger.engine.readCommitted([3, 99, 2, 1], { bytesMax: 1_000_000 });
    expect(committed).toEqual([
      { logId: 3, transaction: reverting },
      { logId: 1, transaction: made },
    ]);
    expect(ledger.engine.readCommitted([], { bytesMax: 1_000_000 })).toEqual([]);
  });

  test("the transactions of log entries are limited in size, but at least one is returned", () => {
    const ledger = new TestLedger();
    const text = "x".repeat(10_000);
    for (let count = 0; count < 10; count++) {
      ledger.commit(create(posting("world -> a", 1), { metadata: { text } }));
    }
    const ids = [5, 1, 10, 2, 3, 4, 6, 7, 8, 9];
    const idsWithin = (bytesMax: number) =>
      ledger.engine.readCommitted(ids, { bytesMax }).map(({ logId }) => logId);
    expect(idsWithin(1)).toEqual([5]);
    expect(idsWithin(10_000_000)).toEqual(ids);
    const few = idsWithin(1_200_000);
    expect(few.length).toBeGreaterThan(1);
    expect(few.length).toBeLessThan(10);
    expect(few).toEqual(ids.slice(0, few.length));
  });

  test("the transactions of log entries are few if they are larger than their stored form", () => {
    const ledger = new TestLedger();
    const postings = Array.from({ length: 500 }, (_, index) => posting(`world -> a:${index}`, 1));
    for (let count = 0; count < 10; count++) ledger.commit(create(postings));
    const ids = Array.from({ length: 10 }, (_, index) => index + 1);
    const size = ledger.engine.readCommitted(ids, { bytesMax: 1_000_000 }).length;
    expect(size).toBeGreaterThan(0);
    expect(size).toBeLessThan(5);
  });
});
