import { inputsHash, toBase64 } from "./entry-hashes.ts";
import { CHUNK_BYTES_MAX, effectiveVolumesOf, type LogReader, toCommitted } from "./log-reader.ts";
import { ENTRY_SIZE, LISTED_COLUMNS, type ListedSqlRow } from "./log-rows.ts";
import { countFirst, entriesIn, type RangeLimits } from "./log-tables.ts";
import type { NumberInterval } from "#ledger-engine/rules/filters/intervals.ts";
import { toLogText } from "#ledger-engine/rules/log/log-text.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import { asInteger } from "#ledger-engine/rules/texts.ts";
import { RangeMoves } from "#ledger-engine/storage/moves/range-moves.ts";
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
  readonly keepsEffectiveVolumes: boolean;
}

/** The lines of some log entries. */
export interface LineRange {
  readonly text: string;
  /** The last of the entries; undefined where there is none. */
  readonly last: number | undefined;
}

/** Writes log entries as the lines of an export, mostly straight from their rows. */
export class LogLines {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  readonly #logs: LogReader;
  readonly #keepsEffectiveVolumes: boolean;

  constructor({ sql, names, logs, keepsEffectiveVolumes }: LogLinesDependencies) {
    this.#sql = sql;
    this.#names = names;
    this.#logs = logs;
    this.#keepsEffectiveVolumes = keepsEffectiveVolumes;
  }

  /** The entries of a range, in order: about as many of the first as the limits allow, but at least one if there is any. */
  write(range: NumberInterval, limits: RangeLimits): LineRange {
    const limit = countFirst(this.#sql, ENTRY_SIZE, { range, ...limits });
    const rows = entriesIn<ListedSqlRow>(this.#sql, { columns: LISTED_COLUMNS, range, limit });
    const lines: string[] = [];
    let length = 0;
    for (const line of this.#linesOf(rows)) {
      length += line.length;
      // The rows do not tell how long names and volumes are.
      if (lines.length > 0 && length > CHUNK_BYTES_MAX) break;
      lines.push(line);
    }
    if (lines.length === 0) return { text: "", last: undefined };
    return { text: `${lines.join("\n")}\n`, last: rows[lines.length - 1]?.id };
  }

  /** The lines of all rows of a range, in order. */
  *#linesOf(rows: readonly ListedSqlRow[]): Generator<string> {
    const created = rows.map((row) => (isNew(row) ? toCommitted(row) : undefined));
    const moves = RangeMoves.read(
      this.#sql,
      created.filter((transaction) => transaction !== undefined),
      this.#names,
    );
    if (moves === undefined) {
      for (const entry of this.#logs.toListed(rows, { isRange: true })) yield toLogText(entry);
      return;
    }
    const others = this.#logs.toListed(rows.filter((row) => !isNew(row)));
    const otherLines = new Map(others.map((entry) => [entry.id, toLogText(entry)]));
    const hashes = toBase64(rows.map(({ hash }) => hash));
    for (const [index, row] of rows.entries()) {
      const stored = created[index];
      const hash = hashes[index] ?? "";
      yield stored === undefined
        ? (otherLines.get(row.id) ?? "")
        : this.#newTransaction(row, { stored, moves, hash });
    }
  }

  #newTransaction(row: ListedSqlRow, { stored, moves, hash }: Context): string {
    const { accountMetadata = {}, schemaVersion, effective } = stored.payload;
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
    const committed = effective === undefined ? moves.textsOf(stored) : undefined;
    if (committed === undefined) {
      transaction.volumes = moves.volumesOf(stored);
      if (this.#keepsEffectiveVolumes) {
        transaction.effectiveVolumes = effectiveVolumesOf(transaction.volumes, effective);
      }
      return toLogText(entry);
    }
    const volumes = { committed, effective: this.#keepsEffectiveVolumes ? committed : undefined };
    return toLogText(entry, asInteger, volumes);
  }
}

/** What the line of a new transaction is written from, besides its row. */
interface Context {
  readonly stored: StoredTransaction;
  readonly moves: RangeMoves;
  readonly hash: string;
}

const isNew = ({ type, tx }: ListedSqlRow): boolean =>
  type === LOG_TYPES.NEW_TRANSACTION && tx !== null;
