import { expect } from "vitest";
import {
  at,
  create,
  deleteMetadata,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "./fixtures.ts";
import { audited } from "./in-node.ts";
import { type Changes, changed, exportOf, importInto, linesOf } from "./logs.ts";

/** A change of an exported entry that makes an import fail: the number of the line, the change, and the message. */
export type Refusal = readonly [number, Changes, string];

export const UNCHAINED = { HASH_LOGS: "DISABLED" } as const;

/** Eight exported entries, of which tests change one. Their hashes reveal every change. */
export const CHAINED = exported({});
/** The entries of `CHAINED` without hashes. */
export const LINES = exported(UNCHAINED);

function exported(features: object): string[] {
  const ledger = new TestLedger({ features });
  const postings = [posting("world -> bank", 100), posting("bank -> a", 3)];
  ledger.run(create(postings, { metadata: { k: "v" }, reference: "r1" }), { key: "k1" });
  ledger.run(create(posting("world -> a", 5), { accountMetadata: { a: { k: "v" } } }));
  ledger.run(setMetadata(1, { l: "w" }));
  ledger.run(setMetadata("a", { l: "w" }));
  ledger.run(deleteMetadata("a", "l"));
  ledger.run(revert(2));
  ledger.run(create(posting("world -> a", 1), { timestamp: at("09:00") }));
  ledger.run(revert(1, { force: true }));
  return linesOf(exportOf(ledger));
}

/** Imports lines of which one is changed; returns the failure. Asserts that exactly the lines before it are kept. */
export function refusalAt(line: number, changes: Changes, lines = LINES) {
  const ledger = new TestLedger({ features: lines === LINES ? UNCHAINED : {} });
  const broken = lines.map((text, index) => (index === line - 1 ? changed(text, changes) : text));
  const { taken, failure } = importInto(ledger, broken);
  expect(taken).toBe(line - 1);
  expect(linesOf(exportOf(ledger))).toEqual(lines.slice(0, line - 1));
  expect(audited(ledger).differences).toEqual([]);
  // The import can be continued with the unchanged lines.
  expect(importInto(ledger, lines.slice(line - 1))).toEqual({ taken: lines.length - line + 1 });
  expect(linesOf(exportOf(ledger))).toEqual(lines);
  return failure;
}
