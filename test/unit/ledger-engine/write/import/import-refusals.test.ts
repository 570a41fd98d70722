import { describe, expect, test } from "vitest";
import { TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import {
  CHAINED,
  LINES,
  type Refusal,
  refusalAt,
  UNCHAINED,
} from "#test/support/ledger-engine/import-refusals.ts";
import { type Changes, changed, importInto } from "#test/support/ledger-engine/logs.ts";

const WITHOUT_VOLUMES = Object.fromEntries(
  ["postCommit", "postCommitEffective", "preCommit", "preCommitEffective"].map((name) => [
    `data.transaction.${name}Volumes`,
    undefined,
  ]),
);

describe("an import is refused with an entry", () => {
  const REFUSED: Readonly<Record<string, Refusal>> = {
    "of a later date than the next one": [
      4,
      { date: "2026-03-01T00:00:00Z" },
      "its date is before that of log 3: logs are out of order",
    ],
    "from before 1970": [
      1,
      { date: "1969-12-31T23:59:59Z" },
      "its date is not between 1970 and 2255",
    ],
    "from after 2255": [
      1,
      { date: "2256-01-01T00:00:00Z" },
      "its date is not between 1970 and 2255",
    ],
    "from more than a day ahead": [
      1,
      { date: "2026-03-02T10:00:01Z" },
      "its date is more than a day ahead of the clock of this server",
    ],
    "with a key that is used": [
      2,
      { idempotencyKey: "k1" },
      "the idempotency key 'k1' is that of an earlier log",
    ],
    "with an invalid hash of inputs": [
      1,
      { idempotencyHash: "AAAA" },
      "'idempotencyHash' is not base64 of 32 bytes",
    ],
    "with a transaction id that is used": [
      2,
      { "data.transaction.id": 1 },
      "transaction 1 comes after transaction 1: ids must increase",
    ],
    "with a reference that is used": [
      2,
      { "data.transaction.reference": "r1" },
      "the reference 'r1' is that of an earlier transaction",
    ],
    "about an unknown transaction": [3, { "data.targetId": 9 }, "transaction 9 not found"],
    "that deletes what a transaction lacks": [
      5,
      { data: { targetType: "TRANSACTION", targetId: 1, key: "nope" } },
      "transaction 1 has no metadata 'nope'",
    ],
    "that reverts an unknown transaction": [
      6,
      { "data.revertedTransaction.id": 9 },
      "transaction 9 not found",
    ],
    "that reverts with other postings": [
      6,
      { "data.transaction.postings.0.amount": 4 },
      "its postings do not undo transaction 2",
    ],
    "that reverts with a reference": [
      6,
      { "data.transaction.reference": "x" },
      "a revert has no reference",
    ],
    "that was inserted at another date": [
      1,
      { "data.transaction.insertedAt": "2026-03-01T10:00:00Z" },
      "transaction 1: 'insertedAt' is 2026-03-01T10:00:00Z, expected 2026-03-01T10:00:01Z",
    ],
    "that was updated at another date": [
      1,
      { "data.transaction.updatedAt": "2026-03-01T10:00:00Z" },
      "transaction 1: 'updatedAt' is 2026-03-01T10:00:00Z, expected 2026-03-01T10:00:01Z",
    ],
    "that is reverted already": [
      1,
      { "data.transaction.reverted": true },
      "transaction 1: 'reverted' is true",
    ],
    "that has a date of its revert": [
      1,
      { "data.transaction.revertedAt": "2026-03-01T10:00:01Z" },
      "transaction 1: 'revertedAt' is 2026-03-01T10:00:01Z, expected none",
    ],
    "that lacks an account of its postings": [
      1,
      { "data.transaction.postCommitVolumes.bank": undefined },
      "transaction 1: 'postCommitVolumes' lacks the USD of account 'bank'",
    ],
    "that lacks an asset of its postings": [
      1,
      { "data.transaction.preCommitVolumes.bank": {} },
      "transaction 1: 'preCommitVolumes' lacks the USD of account 'bank'",
    ],
    "whose accounts are null": [
      1,
      { "data.transaction.preCommitVolumes.bank": null },
      "transaction 1: 'preCommitVolumes' lacks the USD of account 'bank'",
    ],
    "with other volumes": [
      2,
      { "data.transaction.postCommitVolumes.a.USD.input": 9 },
      "transaction 2: 'postCommitVolumes' of account 'a' in USD must have input 8 and output 0",
    ],
    "with another balance": [
      2,
      { "data.transaction.postCommitVolumes.a.USD.balance": 9 },
      "transaction 2: 'postCommitVolumes' of account 'a' in USD must have input 8 and output 0",
    ],
    "with volumes that are texts": [
      2,
      { "data.transaction.postCommitVolumes.a.USD.input": "8" },
      "transaction 2: 'postCommitVolumes' of account 'a' in USD must have input 8 and output 0",
    ],
    "with other volumes before": [
      2,
      { "data.transaction.preCommitVolumes.a.USD.input": 9 },
      "transaction 2: 'preCommitVolumes' of account 'a' in USD must have input 3 and output 0",
    ],
    "with other effective volumes": [
      7,
      { "data.transaction.postCommitEffectiveVolumes.a.USD.input": 9 },
      "transaction 4: 'postCommitEffectiveVolumes' of account 'a' in USD must have input 1 and output 0",
    ],
    "with other effective volumes before": [
      7,
      { "data.transaction.preCommitEffectiveVolumes.a.USD.input": 9 },
      "transaction 4: 'preCommitEffectiveVolumes' of account 'a' in USD must have input 0 and output 0",
    ],
    "with volumes of another account": [
      2,
      { "data.transaction.postCommitVolumes.z": { USD: {} } },
      "transaction 2: 'postCommitVolumes' names accounts that the transaction does not move",
    ],
    "with invalid volumes": [
      2,
      { "data.transaction.postCommitVolumes": "x" },
      "transaction 2: 'postCommitVolumes' lacks the USD of account 'world'",
    ],
    "that reverts another amount": [
      6,
      { "data.revertedTransaction.postings.0.amount": 4 },
      "the reverted transaction 2 differs from the one in this ledger: its 'postings' differ",
    ],
    "that reverts another reference": [
      8,
      { "data.revertedTransaction.reference": undefined },
      "the reverted transaction 1 differs from the one in this ledger: its 'reference' differs",
    ],
    "that reverts other metadata": [
      8,
      { "data.revertedTransaction.metadata": { k: "v" } },
      "the reverted transaction 1 differs from the one in this ledger: its 'metadata' differs",
    ],
    "that reverts another date": [
      6,
      { "data.revertedTransaction.timestamp": "2026-01-01T00:00:00Z" },
      "the reverted transaction 2 differs from the one in this ledger: its 'timestamp' differs",
    ],
    "that says another date of the revert": [
      6,
      { "data.revertedTransaction.revertedAt": "2026-01-01T00:00:00Z" },
      "the reverted transaction 2 differs from the one in this ledger: 'revertedAt' is 2026-01-01T00:00:00Z, expected 2026-03-01T10:00:06Z",
    ],
    "that shows what it reverts as not reverted": [
      6,
      { "data.revertedTransaction.reverted": false },
      "the reverted transaction 2 differs from the one in this ledger: 'reverted' is false",
    ],
    "that reverts other volumes": [
      6,
      { "data.revertedTransaction.postCommitVolumes.a.USD.input": 4 },
      "the reverted transaction 2 differs from the one in this ledger: 'postCommitVolumes' of account 'a' in USD must have input 8 and output 0",
    ],
  };
  test.each(Object.entries(REFUSED))(
    "an import is refused with an entry: %s",
    (_, [line, changes, message]) => {
      const entry = JSON.parse(LINES[line - 1] ?? "") as { id: number };
      expect(refusalAt(line, changes)).toEqual({
        kind: "IMPORT",
        message: `importing logs: importing log ${entry.id}: ${message}`,
        details: `entry ${line} of the body`,
      });
    },
  );

  test("an import is refused with an entry that reverts what is already reverted", () => {
    const second = changed(LINES[5] ?? "", {
      id: 100,
      date: "2026-03-02T00:00:00Z",
      "data.transaction.id": 100,
    });
    const ledger = new TestLedger({ features: UNCHAINED });
    const { taken, failure } = importInto(ledger, [...LINES, second]);
    expect(taken).toBe(8);
    expect(failure?.message).toBe(
      "importing logs: importing log 100: transaction 2 was reverted before",
    );
  });

  test("an import is refused with an entry whose id is not greater than the others", () => {
    expect(refusalAt(3, { id: 2 })).toEqual({
      kind: "IMPORT",
      message: "importing logs: log 2 already exists",
    });
    const ledger = new TestLedger({ features: UNCHAINED });
    const gap = LINES.map((line, index) => changed(line, { id: (index + 1) * 10 }));
    importInto(ledger, gap);
    const late = changed(LINES[7] ?? "", { id: 75 });
    expect(importInto(ledger, [late]).failure?.message).toBe(
      "importing logs: log 75 comes after log 80: ids must increase",
    );
  });

  test.each<[number, Changes]>([
    [1, { "data.transaction.metadata.k": "w" }],
    [1, { idempotencyKey: "other" }],
    [2, { "data.transaction.timestamp": "2026-03-01T09:00:00Z" }],
    [3, { "data.metadata.l": "x" }],
    [5, { "data.key": "m" }],
  ])("an import is refused with an entry that its hash does not fit: case %#", (line, changes) => {
    // Volumes are left out, because they would be checked before the hash.
    const bare = line > 2 ? changes : { ...changes, ...WITHOUT_VOLUMES };
    const { id, hash } = JSON.parse(CHAINED[line - 1] ?? "") as { id: number; hash: string };
    const failure = refusalAt(line, bare, CHAINED);
    expect(failure?.kind).toBe("IMPORT");
    expect(failure?.message).toMatch(
      /^importing logs: importing log \d: invalid hash, expected [\w+/]{43}= got /,
    );
    expect(failure?.message.endsWith(` got ${hash} for log ${id}`)).toBe(true);
  });

  test.each([null, undefined, ""])(
    "an import is refused with an entry whose hash is missing: %s",
    (hash) => {
      const [first = ""] = CHAINED;
      const expected = (JSON.parse(first) as { hash: string }).hash;
      expect(refusalAt(1, { hash: hash }, CHAINED)?.message).toBe(
        `importing logs: importing log 1: invalid hash, expected ${expected} got  for log 1`,
      );
    },
  );

  test("an import is refused with an entry whose hash is very long, which is not repeated", () => {
    const failure = refusalAt(1, { hash: "😀".repeat(100_000) }, CHAINED);
    expect(failure?.message.length).toBeLessThan(300);
  });
});
