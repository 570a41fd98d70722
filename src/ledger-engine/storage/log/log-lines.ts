import { inputsHash, toBase64 } from "./entry-hashes.ts";
import { CHUNK_BYTES_MAX, effectiveVolumesOf, type LogReader, toCommitted } from "./log-reader.ts";
import { ENTRY_SIZE, listing, type ListedRow, type ListedSqlRow } from "./log-rows.ts";
import { countFirst, entriesIn, type RangeLimits } from "./log-tables.ts";
import type { NumberInterval } from "#ledger-engine/rules/filters/intervals.ts";
import { countWithin } from "#ledger-engine/rules/limits.ts";
import { toLogLine, withEscapes } from "#ledger-engine/rules/log/log-text.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import type { ExportedVolumes } from "#ledger-engine/storage/moves/exported-volumes.ts";
import type { RunningVolumes } from "#ledger-engine/storage/moves/running-volumes.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import { LOG_TYPES } from "#ledger-engine/storage/payload.ts";
import {
  type StoredTransaction,
  toTransaction,
} from "#ledger-engine/storage/transaction-reader.ts";
import type { Sql } from "#platform/sql/sql.ts";

export interface LogLinesDependencies {
  readonly sql: Sql;
  readonly names: StoredNames;
  readonly logs: LogReader;
  readonly exported: ExportedVolumes;
  readonly keepsEffectiveVolumes: boolean;
}

/** The lines of some log entries. */
export interface LineRange {
  readonly text: string;
  /** The id of the last entry; undefined if there is none. */
  readonly last: number | undefined;
}

/** Writes log entries as the lines of an export, mostly straight from their rows. */
export class LogLines {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  readonly #logs: LogReader;
  readonly #exported: ExportedVolumes;
  readonly #keepsEffectiveVolumes: boolean;
  /** Whether the limit on bytes ended the page before, not the limit on the number of entries. */
  #areLarge = false;

  constructor({ sql, names, logs, exported, keepsEffectiveVolumes }: LogLinesDependencies) {
    this.#sql = sql;
    this.#names = names;
    this.#logs = logs;
    this.#exported = exported;
    this.#keepsEffectiveVolumes = keepsEffectiveVolumes;
  }

  /** The lines of the first entries of a range: about as many as the limits allow, but at least one if there is any entry. */
  write(range: NumberInterval, limits: RangeLimits): LineRange {
    const rows = this.#rowsIn(range, limits);
    const volumes = this.#exported.take(range.from);
    const transactions = rows.map((row) => (row.tx === null ? undefined : toCommitted(row)));
    const isKnown = volumes.prepare(transactions.filter((it) => it !== undefined));
    const all = isKnown ? this.#linesOf(rows, { transactions, volumes }) : this.#listedLines(rows);
    const text = new LineText();
    for (const line of all) {
      // The sizes of rows do not include names and volumes.
      if (text.count > 0 && text.length + line.length > CHUNK_BYTES_MAX) break;
      text.add(line);
    }
    const last = rows[text.count - 1]?.id;
    if (last === undefined) return { text: "", last };
    // If a line did not fit, the volumes have already passed its transaction, and are wrong for the next page.
    const isNext = isKnown && text.count === rows.length && last < range.to;
    if (isNext) this.#exported.giveBack(last + 1, volumes);
    return { text: text.toString(), last };
  }

  /** The first rows of a range within the limits. After a page of large rows, the rows are counted by size before they are read. */
  #rowsIn(range: NumberInterval, limits: RangeLimits): ListedSqlRow[] {
    const { countMax, bytesMax } = limits;
    const limit = this.#areLarge
      ? countFirst(this.#sql, ENTRY_SIZE, { range, ...limits })
      : countMax;
    const rows = entriesIn<ListedRow>(this.#sql, { ...listing(limit), range, limit });
    const count = countWithin(rows, bytesMax, ({ size }) => size);
    this.#areLarge = count < rows.length || limit < countMax;
    return this.#logs.withPayloads(rows.slice(0, count));
  }

  /** The lines of any rows. Each row is read with its volumes. */
  *#listedLines(rows: readonly ListedSqlRow[]): Generator<string> {
    for (const entry of this.#logs.toListed(rows, { isRange: true })) yield toLogLine(entry);
  }

  /** The lines of rows whose transactions `volumes` is prepared for. */
  *#linesOf(
    rows: readonly ListedSqlRow[],
    { transactions, volumes }: PreparedRows,
  ): Generator<string> {
    const others = this.#logs.toListed(rows.filter((row) => !isNew(row)));
    const otherLines = new Map(others.map((entry) => [entry.id, toLogLine(entry)]));
    const hashes = toBase64(rows.map(({ hash }) => hash));
    for (const [index, row] of rows.entries()) {
      const stored = transactions[index];
      if (stored !== undefined && isNew(row)) {
        yield this.#newTransaction(row, { stored, volumes, hash: hashes[index] ?? "" });
        continue;
      }
      if (stored !== undefined) volumes.pass(stored);
      yield otherLines.get(row.id) ?? "";
    }
  }

  #newTransaction(row: ListedSqlRow, { stored, volumes, hash }: Context): string {
    const { postings, accountMetadata = {}, schemaVersion, effective } = stored.payload;
    const transaction = toTransaction(stored, this.#names);
    const entry: { -readonly [K in keyof LogListEntry]: LogListEntry[K] } = {
      id: row.id,
      date: stored.insertedAt,
      idempotencyKey: row.key ?? "",
      data: { type: "NEW_TRANSACTION", transaction, accountMetadata },
      idempotencyHash: "",
      hash,
    };
    if (schemaVersion !== undefined) entry.schemaVersion = schemaVersion;
    entry.idempotencyHash = inputsHash(entry, row.keyHash);
    const [posting, ...others] = postings;
    const isBetweenTwo =
      posting !== undefined && others.length === 0 && posting.source !== posting.destination;
    if (isBetweenTwo && effective === undefined) {
      const committed = volumes.textsOfOne(posting);
      const shown = { committed, effective: this.#keepsEffectiveVolumes ? committed : undefined };
      return toLogLine(entry, shown);
    }
    transaction.volumes = volumes.volumesAfter(stored);
    if (this.#keepsEffectiveVolumes) {
      transaction.effectiveVolumes = effectiveVolumesOf(transaction.volumes, effective);
    }
    return toLogLine(entry);
  }
}

/** The number of lines that are joined at a time. */
const TOGETHER = 16;

/**
 * Joins lines to one text. V8 keeps each concatenated line as a tree of pieces (a rope); joining a few lines at a time flattens
 * them while their pieces are still in the processor's cache.
 */
class LineText {
  readonly #texts: string[] = [];
  #lines: string[] = [];
  count = 0;
  length = 0;

  add(line: string): void {
    this.#lines.push(line);
    this.count++;
    this.length += line.length;
    if (this.#lines.length === TOGETHER) this.#flush();
  }

  toString(): string {
    this.#flush();
    return this.#texts.join("");
  }

  #flush(): void {
    this.#lines.push("");
    this.#texts.push(withEscapes(this.#lines.join("\n")));
    this.#lines = [];
  }
}

/** The transactions and volumes from which rows become lines. */
interface PreparedRows {
  /** The transaction of each row; undefined for an entry that made none. */
  readonly transactions: readonly (StoredTransaction | undefined)[];
  readonly volumes: RunningVolumes;
}

/** The sources of a new transaction's line besides its row. */
interface Context {
  readonly stored: StoredTransaction;
  readonly volumes: RunningVolumes;
  readonly hash: string;
}

const isNew = ({ type, tx }: ListedSqlRow): boolean =>
  type === LOG_TYPES.NEW_TRANSACTION && tx !== null;
