import { expect, test } from "vitest";
import { type LogOrigins, readOrigins } from "#ledger-engine/read/logs/log-origins.ts";
import type { Author } from "#ledger-engine/rules/writes.ts";
import { Authorship } from "#ledger-engine/storage/authorship.ts";
import { Causation } from "#ledger-engine/storage/causation.ts";
import { writeImportNotes } from "#ledger-engine/storage/log/import-notes.ts";
import { STEPS } from "#ledger-engine/storage/tables.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const LAST = 9000;

const authorOf = (number: number): Author | undefined =>
  number === 0
    ? undefined
    : { issuer: "https://issuer.example.com", subject: `s${number}`, clientId: `c${number}` };

/** The number of the author of an entry: clients take turns, and the author of some entries is unknown. */
const numberOf = (log: number): number => (log < 40 ? 0 : (log * 7) % 5);
const depthOf = (log: number): number => (log % 3 === 0 ? log % 4 : 0);
const notesOf = (log: number): string[] => (log % 17 === 0 ? [`entry ${log} is odd`] : []);

function filled(): { readonly sql: NodeSql; readonly authorship: Authorship } {
  const sql = new NodeSql();
  for (const statement of STEPS[0]?.statements ?? []) sql.all(statement);
  const [authorship, causation] = [new Authorship(sql), new Causation(sql)];
  sql.transaction(() => {
    for (let log = 0; log <= LAST; log++) {
      authorship.note(log, authorOf(numberOf(log)));
      causation.note(log, depthOf(log));
      const notes = notesOf(log);
      if (notes.length > 0) writeImportNotes(sql, [{ id: log, notes }]);
    }
  });
  return { sql, authorship };
}

const ledger = filled();

function pagesOf(after: number, to: number): LogOrigins[] {
  const pages: LogOrigins[] = [];
  for (let end = after; end < to; end = pages.at(-1)?.upTo ?? to) {
    pages.push(readOrigins(ledger, end, to));
  }
  return pages;
}

/** The author of each entry of some pages, as a reader works it out. */
function authorsOf(pages: readonly LogOrigins[], after: number): (Author | undefined)[] {
  let last = after;
  return pages.flatMap(({ authors, upTo }) => {
    const logs = Array.from({ length: upTo - last }, (_, index) => last + 1 + index);
    last = upTo;
    return logs.map((log) => authors.findLast(({ from }) => from <= log)?.author);
  });
}

test.each([
  [-1, LAST],
  [0, LAST],
  [38, 41],
  [4321, 4322],
  [17, 8990],
])(
  "the pages of the entries after %i and up to %i have all that the log does not determine",
  (after, to) => {
    const pages = pagesOf(after, to);
    expect(pages.at(-1)?.upTo).toBe(to);
    const logs = Array.from({ length: to - after }, (_, index) => after + 1 + index);
    expect(authorsOf(pages, after)).toEqual(logs.map((log) => authorOf(numberOf(log))));
    expect(pages.flatMap(({ causes }) => causes)).toEqual(
      logs.filter((log) => depthOf(log) > 0).map((log) => ({ log, depth: depthOf(log) })),
    );
    expect(pages.flatMap(({ notes }) => notes)).toEqual(
      logs
        .filter((log) => notesOf(log).length > 0)
        .map((log) => ({ id: log, notes: notesOf(log) })),
    );
  },
);

test("a page is bounded, whatever the range", () => {
  const [page] = pagesOf(-1, LAST);
  expect(page?.upTo).toBeLessThan(LAST);
  expect(page?.authors.length).toBeLessThanOrEqual(101 * 32);
  expect(page?.causes.length).toBeLessThanOrEqual(2000);
  expect(page?.notes.length).toBeLessThanOrEqual(200);
});
