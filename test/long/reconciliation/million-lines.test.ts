import { expect, test } from "vitest";
import { FILE_BYTES_MAX, LINES_MAX } from "#modules/reconciliation/core/statements/index.ts";
import { FileLineStore } from "#modules/reconciliation/statements/line-store.ts";
import { STATEMENT_SOURCE_TABLES } from "#modules/reconciliation/statements/object-tables.ts";
import { readFile, type UnstoredLine } from "#modules/reconciliation/statements/read-file.ts";
import { BATCH_LINES } from "#modules/reconciliation/statements/work.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { DECIMALS } from "#test/support/reconciliation/statements.ts";

const MAPPING = {
  delimiter: ";",
  dateFormat: "YYYY-MM-DD",
  decimalSign: ".",
  amount: { by: "amount", amount: 2 },
  asset: "EUR",
  header: false,
  columns: { date: 1, endToEndId: 3, text: [4] },
} as const;

/** A file of a million lines and nearly 50 MB, which is never held as a whole. */
async function* bytes(): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for (let first = 0; first < LINES_MAX; first += 10_000) {
    let text = "";
    for (let line = first; line < first + 10_000; line++) {
      text += `2026-01-05;${line % 9973}.25;E2E-${line};invoice of Anna\n`;
    }
    yield encoder.encode(text);
  }
}

test("a million lines of 50 MB are read and stored with flat memory, at most a batch at once", async () => {
  const sql = new NodeSql();
  STATEMENT_SOURCE_TABLES.migrateToEnd(sql);
  const store = new FileLineStore(sql);
  let [batch, stored, heapMax, size] = [[] as UnstoredLine[], 0, 0, 0];
  let heapEarly = Infinity;
  const flush = async (): Promise<void> => {
    store.add(1, batch);
    stored += batch.length;
    batch = [];
    if (stored % 50_000 !== 0) return;
    globalThis.gc?.();
    const { heapUsed } = process.memoryUsage();
    if (stored === 100_000) heapEarly = heapUsed;
    if (stored > 100_000) heapMax = Math.max(heapMax, heapUsed);
  };
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes()) {
      size += chunk.byteLength;
      yield chunk;
    }
  }
  const add = (line: UnstoredLine) => (batch.push(line) < BATCH_LINES ? undefined : flush());
  const verdict = await readFile(
    counted(),
    { format: "csv", mapping: MAPPING },
    { add, ...DECIMALS },
  );
  if (batch.length > 0) await flush();
  expect(size).toBeLessThanOrEqual(FILE_BYTES_MAX);
  expect(verdict).toMatchObject({ isRead: true, lines: LINES_MAX });
  expect(stored).toBe(LINES_MAX);
  expect(heapMax - heapEarly).toBeLessThan(100 * 1024 * 1024);
  sql.close();
});
