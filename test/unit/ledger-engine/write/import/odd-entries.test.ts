import { describe, expect, test } from "vitest";
import { parseAccount } from "#ledger-engine/rules/names.ts";
import {
  ALL,
  at,
  deleteMetadata,
  EXPANDED,
  refusalOf,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { exportOf, importInto, linesOf } from "#test/support/ledger-engine/logs.ts";
import { ReferenceLog } from "#test/support/ledger-engine/reference-log.ts";

const freshLedger = (): TestLedger => new TestLedger({ now: at("2026-03-02T00:00:00Z") });

/** Imports an export with entries of the reference's rules. Asserts that the ledger verifies and exports them. */
function imported(log: ReferenceLog): TestLedger {
  const ledger = freshLedger();
  const { taken, failure } = importInto(ledger, log.lines);
  expect(failure).toBeUndefined();
  expect(taken).toBe(log.lines.length);
  ledger.open();
  expect(linesOf(exportOf(ledger))).toEqual(log.lines);
  expect(audited(ledger).differences).toEqual([]);
  return ledger;
}

const notesOf = ({ engine }: TestLedger) => engine.reads.listImportNotes(ALL).data;

/** Values of script parameters, as JSON. */
const VALUES: Readonly<Record<string, string>> = {
  endTime: '"2026-01-01T00:00:00Z"',
  sort: '"id:asc"',
  pageSize: "3",
};

const ODD = [
  "",
  " ",
  "a b",
  "a:",
  ":a",
  "a::b",
  'é:"x"',
  "<&>",
  "10",
  "__proto__",
  "x".repeat(300),
];

describe("entries that the reference server can write", () => {
  test("odd entries of the reference server give an account null as metadata", () => {
    const log = new ReferenceLog();
    log.setMetadata("a", { k: "v" });
    log.setMetadata("a", null);
    log.setMetadata("b", null);
    log.commit({
      postings: [{ source: "world", destination: "a", amount: 1n, asset: "USD" }],
      accountMetadata: { a: null, c: { k: "v" } },
    });
    const ledger = imported(log);
    expect(ledger.accounts().map(({ address, metadata }) => [address, metadata])).toEqual([
      ["a", { k: "v" }],
      ["b", {}],
      ["c", { k: "v" }],
      ["world", {}],
    ]);
    const isNull = (account: string) =>
      `the metadata of the account '${account}' is null, which stands for no metadata`;
    expect(notesOf(ledger)).toEqual([
      { id: 2, notes: [isNull("a")] },
      { id: 3, notes: [isNull("b")] },
      { id: 4, notes: [isNull("a")] },
    ]);
  });

  test.each(ODD)(
    "odd entries of the reference server give metadata to the account %j, take it away, and commit it",
    (address) => {
      const log = new ReferenceLog();
      log.setMetadata("b", { k: "v" });
      log.setMetadata(address, { k: "1", l: "1" });
      log.deleteMetadata(address, "k");
      log.commit({
        postings: [{ source: "world", destination: "b", amount: 1n, asset: "USD" }],
        accountMetadata: { [address]: { m: "2" } },
      });
      const ledger = imported(log);
      expect(ledger.account(address)?.metadata).toEqual({ l: "1", m: "2" });
      expect(ledger.accounts().map((account) => account.address)).toContain(address);
      const metadataAt = (time: string) =>
        ledger.engine.reads.findAccount(address, { ...EXPANDED, pit: at(time) })?.metadata;
      expect(metadataAt("09:30:01")).toBeUndefined();
      expect(metadataAt("09:30:03")).toEqual({ l: "1" });
      const isOdd = address !== "10" && address !== "__proto__";
      expect(notesOf(ledger).map(({ id }) => id)).toEqual(isOdd ? [2, 3, 4] : []);
    },
  );

  test("odd entries of the reference server insert schemas whose hash covers the parameters of queries in any order", () => {
    const log = new ReferenceLog();
    const groupBy = ["groupBy", "1"] as const;
    const insertionDate = ["insertionDate", "true"] as const;
    const pageSize = ["pageSize", "3"] as const;
    const sort = ["sort", '"id:asc"'] as const;
    const expand = ["expand", '["volumes","<"]'] as const;
    const nothing = ["startTime", "null"] as const;
    log.insertSchema("v1", {
      q8: { resource: "volumes", params: [groupBy, insertionDate, pageSize] },
    });
    log.insertSchema("v2", {
      10: { resource: "logs", params: [pageSize, nothing, sort] },
      "9<": { resource: "accounts", params: [pageSize, expand] },
      a: { resource: "logs", params: [] },
      b: { resource: "logs", params: [sort] },
    });
    log.insertSchema("v3", { a: { resource: "logs", params: [sort, pageSize] } });
    log.setMetadata("a", { k: "v" });
    const ledger = imported(log);
    const reordered =
      "the hash covers the parameters of the schema's queries in another order than that of the entry";
    expect(notesOf(ledger)).toEqual([
      { id: 1, notes: [reordered] },
      { id: 2, notes: [reordered] },
    ]);
    expect(imported(log).schemas()).toEqual(ledger.schemas());
  });

  test("odd entries of the reference server insert schemas with so many orders that their hash is taken as given", () => {
    const log = new ReferenceLog();
    const names = ["startTime", "resource", "pageSize", "endTime", "expand", "sort"];
    const params = names.map((name) => [name, "null"] as const);
    const queries = Object.fromEntries(
      Array.from({ length: 3 }, (_, index) => [`q${index}`, { resource: "logs", params }] as const),
    );
    log.insertSchema("v1", queries);
    log.setMetadata("a", { k: "v" });
    const ledger = imported(log);
    expect(notesOf(ledger)).toEqual([
      {
        id: 1,
        notes: [
          "the hash of the entry was taken as it was given, because the parameters of the schema's queries have too many orders to find the one that the hash covers",
        ],
      },
    ]);
    // The hash is covered by the entry's checksum and by the hash of the next entry.
    ledger.sql.all("UPDATE entry SET hash = zeroblob(32) WHERE id = 1");
    const tables = audited(ledger).differences.map(({ table, key, column }) => [
      table,
      key,
      column,
    ]);
    expect(tables).toContainEqual(["entry", "1", "checksum"]);
    expect(tables).toContainEqual(["entry", "2", "hash"]);
  });

  test.each([
    ["with another value", '"pageSize":3', '"pageSize":4'],
    [
      "shown in an order that PostgreSQL does not keep",
      '"sort":"id:asc","endTime":"2026-01-01T00:00:00Z"',
      '"endTime":"2026-01-01T00:00:00Z","sort":"id:asc"',
    ],
    ["with a hash of another form", /"hash":"[^"]*"/, '"hash":"x"'],
  ])("odd entries insert schemas whose parameters are refused %s", (_, part, changed) => {
    const log = new ReferenceLog();
    const params = ["pageSize", "endTime", "sort"].map(
      (name) => [name, VALUES[name] ?? ""] as const,
    );
    log.insertSchema("v1", { a: { resource: "logs", params } });
    const [line = ""] = log.lines;
    const broken = line.replace(part, changed);
    expect(broken).not.toBe(line);
    const ledger = freshLedger();
    const { taken, failure } = importInto(ledger, [broken]);
    expect(taken).toBe(0);
    expect(failure?.message).toContain("invalid hash");
    expect(ledger.schemas()).toEqual([]);
    expect(importInto(ledger, [line]).taken).toBe(1);
  });

  test("odd entries of the reference server are noted with a bounded number of sentences", () => {
    const log = new ReferenceLog();
    const names = Array.from({ length: 30 }, (_, index) => [`a ${index}`, {}] as const);
    log.commit({
      postings: [{ source: "world", destination: "a", amount: 1n, asset: "USD" }],
      accountMetadata: Object.fromEntries(names),
    });
    const [note, ...others] = notesOf(imported(log));
    expect(others).toEqual([]);
    expect(note?.notes).toHaveLength(21);
    expect(note?.notes.at(-1)).toBe("10 more of the entry's names and values are odd");
  });
});

describe("sizes beyond the limits of writes", () => {
  const long = `users:${"x".repeat(300)}`;
  const large = (key: string, length: number) => ({ [key]: "v".repeat(length) });
  const LARGE = "the metadata is larger than 65536 bytes";

  test("sizes beyond the limits of writes are imported and noted: addresses, references, metadata, and postings", () => {
    const log = new ReferenceLog();
    log.commit({ postings: [{ source: "world", destination: long, amount: 1n, asset: "EUR" }] });
    log.commit({
      postings: [{ source: long, destination: "b", amount: 1n, asset: "EUR" }],
      reference: "r".repeat(2000),
      metadata: large("k", 70_000),
      accountMetadata: { b: large("k", 70_000) },
    });
    log.setMetadata("b", large("l", 70_000));
    log.setMetadata("c", large("k", 40_000));
    log.setMetadata("c", large("l", 40_000));
    log.setMetadata(1, large("k", 70_000));
    log.revert(2);
    const posting = { source: "world", destination: "d", amount: 0n, asset: "USD" };
    log.commit({ postings: Array.from({ length: 6000 }, () => posting) });
    const ledger = imported(log);
    const tooLong = `the address '${long.slice(0, 80)}…' is longer than 256 characters`;
    expect(notesOf(ledger)).toEqual([
      { id: 1, notes: [tooLong] },
      { id: 2, notes: [tooLong, LARGE, "the reference is longer than 1024 characters"] },
      { id: 3, notes: [LARGE] },
      { id: 5, notes: [LARGE] },
      { id: 6, notes: [LARGE] },
      { id: 7, notes: [tooLong, LARGE, "the reference is longer than 1024 characters"] },
      { id: 8, notes: ["there are more than 5000 postings"] },
    ]);
    expect(ledger.volumes(long)).toEqual({ EUR: "2/1" });
    expect(ledger.transaction(4).postings).toHaveLength(6000);
    expect(ledger.account("c")?.metadata).toEqual({ ...large("k", 40_000), ...large("l", 40_000) });
  });

  test("sizes beyond the limits of writes are noted where a transaction is too large with its volumes", () => {
    const log = new ReferenceLog();
    const name = "x".repeat(200);
    const postings = Array.from({ length: 500 }, (_, index) => ({
      source: "world",
      destination: `${name}:${index}`,
      amount: 1n,
      asset: "USD",
    }));
    log.commit({ postings });
    log.revert(1);
    expect(notesOf(imported(log))).toEqual([
      {
        id: 1,
        notes: [expect.stringMatching(/^the transaction is too large: .* 600000 are allowed$/)],
      },
      {
        id: 2,
        notes: [expect.stringMatching(/^the revert is too large: .* 1500000 are allowed$/)],
      },
    ]);
  });

  test("sizes beyond the limits of writes are refused in direct writes to what was imported", () => {
    const log = new ReferenceLog();
    log.setMetadata("c", large("k", 70_000));
    log.commit({ postings: [{ source: "world", destination: long, amount: 1n, asset: "EUR" }] });
    const ledger = imported(log);
    expect(refusalOf(() => ledger.run(setMetadata("c", { l: "v" })))).toBe("VALIDATION");
    ledger.run(deleteMetadata("c", "k"));
    ledger.run(setMetadata("c", { l: "v" }));
    expect(ledger.account("c")?.metadata).toEqual({ l: "v" });
    expect(() => parseAccount(long, "source")).toThrow(/invalid source address/);
    // A revert names no address, so it can move the money of an account with a long address back.
    ledger.run(revert(1));
    expect(ledger.volumes(long)).toEqual({ EUR: "1/1" });
    expect(audited(ledger).differences).toEqual([]);
  });
});

describe("the notes of an import", () => {
  const log = new ReferenceLog();
  for (const address of ["a b", "c", "d e", "f", "g h"]) log.setMetadata(address, { k: "v" });

  test("the notes of an import are listed by page, in both directions", () => {
    const { reads } = imported(log).engine;
    const idsOf = (order: "asc" | "desc", pageSize: number) => {
      const page = reads.listImportNotes({ ...ALL, order, pageSize });
      return [page.data.map(({ id }) => id), page.hasMore];
    };
    expect(idsOf("asc", 2)).toEqual([[1, 3], true]);
    expect(idsOf("desc", 2)).toEqual([[5, 3], true]);
    expect(idsOf("asc", 3)).toEqual([[1, 3, 5], false]);
  });

  test("the notes of an import are those of the entries that were taken, where one is refused", () => {
    const ledger = freshLedger();
    const [first = "", second = "", third = ""] = log.lines;
    const outcome = importInto(ledger, [first, second, third.replace("d e", "d f")]);
    expect(outcome).toMatchObject({ taken: 2, noted: { count: 1, first: [{ id: 1 }] } });
    expect(outcome.failure?.kind).toBe("IMPORT");
    expect(notesOf(ledger).map(({ id }) => id)).toEqual([1]);
    expect(importInto(ledger, log.lines.slice(2)).taken).toBe(3);
    expect(notesOf(ledger).map(({ id }) => id)).toEqual([1, 3, 5]);
  });
});
