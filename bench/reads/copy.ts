import { INFO } from "./fill.ts";
import type { ReadReport } from "./measure.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { systemClock } from "#platform/clock.ts";
import type { NodeSql } from "#platform/sql/node-sql.ts";

/** Entries that are imported with one call, as over HTTP. */
const BATCH_ENTRIES = 2000;

/** Exports the log of a ledger, page by page, and imports it into another one on the way. */
export function measureCopy(
  { reads }: LedgerEngine,
  sql: NodeSql,
): Pick<ReadReport, "exportedPerSecond" | "importedPerSecond"> {
  LedgerEngine.create(sql, { ...INFO, name: "copy" });
  const copy = new LedgerEngine(sql, systemClock);
  let [entries, exportMs, importMs] = [0, 0, 0];
  for (let [after, to] = [-1, Infinity]; after < to;) {
    const startMs = performance.now();
    const page = reads.exportLogs(after, Number.isFinite(to) ? to : undefined);
    exportMs += performance.now() - startMs;
    [after, to] = [page.after, page.to];
    const lines = page.text.split("\n").slice(0, -1);
    const importStartMs = performance.now();
    importAll(copy, lines, entries);
    importMs += performance.now() - importStartMs;
    entries += lines.length;
  }
  sql.close();
  return {
    exportedPerSecond: (entries / exportMs) * 1000,
    importedPerSecond: (entries / importMs) * 1000,
  };
}

function importAll(copy: LedgerEngine, lines: readonly string[], before: number): void {
  for (let done = 0; done < lines.length;) {
    const texts = lines.slice(done, done + BATCH_ENTRIES);
    const { taken, failure } = copy.importLogs({ texts, before: before + done });
    if (failure !== undefined) throw new Error(failure.message);
    done += taken;
  }
}
