import { INFO } from "./fill.ts";
import type { ReadReport } from "./measure.ts";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { IMPORT_BYTES_MAX, IMPORT_ENTRIES_MAX } from "#modules/ledger/bulk/limits.ts";
import { systemClock } from "#platform/clock.ts";
import type { NodeSql } from "#platform/sql/node-sql.ts";

/** Exports the log of a ledger page by page, and imports each page into another ledger. */
export function measureCopy(
  { reads }: LedgerEngine,
  sql: NodeSql,
): Pick<ReadReport, "exportedPerSecond" | "importedPerSecond"> {
  LedgerEngine.create(sql, { ...INFO, name: "copy" });
  const copy = new Copy(new LedgerEngine(sql, systemClock));
  let exportMs = 0;
  for (let [after, to] = [-1, Infinity]; after < to;) {
    const startMs = performance.now();
    const page = reads.exportLogs(after, Number.isFinite(to) ? to : undefined);
    exportMs += performance.now() - startMs;
    [after, to] = [page.after, page.to];
    for (const line of page.text.split("\n").slice(0, -1)) copy.add(line);
  }
  copy.finish();
  sql.close();
  return {
    exportedPerSecond: (copy.entries / exportMs) * 1000,
    importedPerSecond: (copy.entries / copy.ms) * 1000,
  };
}

/** Imports lines in calls as large as those of an import over HTTP, which contain several pages of an export. */
class Copy {
  readonly #engine: LedgerEngine;
  #lines: string[] = [];
  #length = 0;
  entries = 0;
  /** Time of the calls so far, in milliseconds. */
  ms = 0;

  constructor(engine: LedgerEngine) {
    this.#engine = engine;
  }

  add(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#lines.length >= IMPORT_ENTRIES_MAX || this.#length >= IMPORT_BYTES_MAX) this.finish();
  }

  /** Imports the collected lines. */
  finish(): void {
    const startMs = performance.now();
    while (this.#lines.length > 0) {
      const { taken, failure } = this.#engine.importLogs({
        texts: this.#lines,
        before: this.entries,
      });
      if (failure !== undefined) throw new Error(failure.message);
      this.#lines = this.#lines.slice(taken);
      this.entries += taken;
    }
    this.#length = 0;
    this.ms += performance.now() - startMs;
  }
}
