import type { FileSpec, Removal, Verdict } from "./reading.ts";
import type { StatementState } from "./refusal.ts";
import type { Head } from "./statement.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

export type FileState =
  | "receiving"
  | "received"
  | "stored"
  | "judged"
  | "ready"
  | "removing"
  | "dropped";

/** States of files that are not there yet, or no more. */
export const ARRIVING: ReadonlySet<FileState> = new Set<FileState>([
  "receiving",
  "removing",
  "dropped",
]);

/** A file as its source's object knows it; see `object-tables.ts`. */
export interface StoredFile {
  readonly key: number;
  readonly id: string;
  readonly state: FileState;
  readonly touchedMs: number;
  readonly pieces: number;
  readonly bytes: number;
  readonly isInBucket: boolean;
  /** How often reading has begun. */
  readonly attempts: number;
  readonly spec: FileSpec | undefined;
  readonly verdict: Verdict | undefined;
  /** Who deletes it. */
  readonly removal: Removal | undefined;
  /** The keys of its lines; undefined for none. */
  readonly firstLine: number | undefined;
  readonly lastLine: number | undefined;
}

/** Values under keys, in one transaction with the SQL of the object. */
export interface PieceStorage {
  get(key: string): Uint8Array | undefined;
  put(key: string, value: Uint8Array): void;
  delete(key: string): unknown;
}

/** The files of a source: their states in SQL, their bytes in pieces under keys. */
export class FileStore {
  readonly #sql: Sql;
  readonly #pieces: PieceStorage;

  constructor(sql: Sql, pieces: PieceStorage) {
    this.#sql = sql;
    this.#pieces = pieces;
  }

  find(id: string): StoredFile | undefined {
    return this.#sql.all<FileRow>("SELECT * FROM file WHERE id = ?", id).map(toFile)[0];
  }

  /** The first file in one of some states, by its key. */
  firstIn(...states: readonly FileState[]): StoredFile | undefined {
    const names = states.map((state) => `'${state}'`).join();
    const rows = this.#sql.all<FileRow>(
      `SELECT * FROM file WHERE state <> 'ready' AND state IN (${names}) ORDER BY key LIMIT 1`,
    );
    return rows.map(toFile)[0];
  }

  /** The number of files that are arriving. */
  countReceiving(): number {
    const rows = this.#sql.all<{ count: number }>(
      "SELECT count(*) AS count FROM file WHERE state <> 'ready' AND state = 'receiving'",
    );
    return first(rows).count;
  }

  /** Files that are arriving and of which nothing has come since `beforeMs`, or that are dated after `afterMs`: the clock was set back. */
  abandoned(beforeMs: number, afterMs: number): readonly string[] {
    return this.#sql
      .all<{ id: string }>(
        `SELECT id FROM file WHERE state <> 'ready' AND state = 'receiving'
          AND (touched_ms < ? OR touched_ms > ?)`,
        beforeMs,
        afterMs,
      )
      .map(({ id }) => id);
  }

  begin(id: string, nowMs: number): void {
    this.#sql.all(
      `INSERT INTO file (id, state, touched_ms, pieces, bytes, is_in_bucket, attempts)
        VALUES (?, 'receiving', ?, 0, 0, 0, 0) ON CONFLICT DO NOTHING`,
      id,
      nowMs,
    );
  }

  addPiece({ id, key, pieces }: StoredFile, bytes: Uint8Array, nowMs: number): void {
    this.#sql.transaction(() => {
      this.#pieces.put(pieceKey(key, pieces), bytes);
      this.#sql.all(
        "UPDATE file SET pieces = pieces + 1, bytes = bytes + ?, touched_ms = ? WHERE id = ?",
        bytes.byteLength,
        nowMs,
        id,
      );
    });
  }

  piece({ key }: Pick<StoredFile, "key">, place: number): Uint8Array | undefined {
    return this.#pieces.get(pieceKey(key, place));
  }

  receive({ key }: StoredFile, spec: FileSpec): void {
    this.#sql.all(
      "UPDATE file SET state = 'received', spec = ? WHERE key = ?",
      stringifyJson(spec),
      key,
    );
  }

  remove({ key }: StoredFile, removal: Removal): void {
    this.#sql.all(
      "UPDATE file SET state = 'removing', removal = ? WHERE key = ?",
      stringifyJson(removal),
      key,
    );
  }

  setState({ key }: Pick<StoredFile, "key">, state: FileState): void {
    this.#sql.all("UPDATE file SET state = ? WHERE key = ?", state, key);
  }

  /** Counts an attempt to read a file. `change` is -1 where the attempt was not the file's fault. */
  countAttempt({ key }: StoredFile, change: 1 | -1): void {
    this.#sql.all("UPDATE file SET attempts = attempts + ? WHERE key = ?", change, key);
  }

  judge({ key }: StoredFile, verdict: Verdict, lines?: { first: number; last: number }): void {
    this.#sql.all(
      "UPDATE file SET state = 'judged', verdict = ?, first_line = ?, last_line = ? WHERE key = ?",
      stringifyJson(verdict),
      lines?.first ?? null,
      lines?.last ?? null,
      key,
    );
  }

  /** Notes that all bytes of a file are here, in so many pieces. */
  hasPieces({ key }: StoredFile, pieces: number): void {
    this.#sql.all("UPDATE file SET pieces = ?, is_in_bucket = 0 WHERE key = ?", pieces, key);
  }

  /** Deletes the pieces of a file here, because they are in the bucket. */
  movedToBucket(file: StoredFile): void {
    this.#sql.transaction(() => {
      this.#sql.all("UPDATE file SET is_in_bucket = 1 WHERE key = ?", file.key);
      this.#deletePieces(file);
    });
  }

  /** Files that are ready and whose bytes are here. */
  firstOutsideBucket(): StoredFile | undefined {
    const rows = this.#sql.all<FileRow>(
      "SELECT * FROM file WHERE state = 'ready' AND is_in_bucket = 0 ORDER BY key LIMIT 1",
    );
    return rows.map(toFile)[0];
  }

  /** The ids of all files. */
  ids(): string[] {
    return this.#sql.all<{ id: string }>("SELECT id FROM file ORDER BY key").map(({ id }) => id);
  }

  /**
   * Fits the files of a backup to the heads that its database has, by the ids of files. The database is earlier. A file that was not read to
   * its end is read when its bytes have come, and refused otherwise; `complete` are the ids of files whose bytes have.
   *
   *     here                       no head    head `reading`        head `ready`    head `refused`
   *     receiving                  forgotten  –                     –               –
   *     received, stored           dropped    stored, or refused    –               –
   *     judged                     dropped    the verdict counts    –               –
   *     ready                      dropped    the verdict counts    as it is        –
   *     removing                   goes on    goes on               goes on         –
   *     dropped, by somebody       goes on    removed               removed         –
   *     dropped, as it is refused  goes on    refused               –               goes on
   */
  fitTo(heads: ReadonlyMap<string, StatementState>, complete: ReadonlySet<string>): void {
    for (const id of this.ids()) {
      const file = present(this.find(id), "the file is there");
      const isHere = complete.has(id);
      this.#sql.all("UPDATE file SET is_in_bucket = ? WHERE key = ?", isHere ? 0 : 1, file.key);
      this.#fit(file, heads.get(id), isHere);
    }
  }

  #fit(file: StoredFile, head: StatementState | undefined, isHere: boolean): void {
    const { state, removal } = file;
    if (state === "removing") return;
    if (state === "receiving") {
      this.forget(file);
    } else if (head === undefined) {
      this.setState(file, "dropped");
    } else if (state === "dropped" && removal !== undefined) {
      this.setState(file, "removing");
    } else if (head === "reading") {
      const isUnread = state === "received" || state === "stored";
      const isRefused = state === "dropped" && file.verdict?.isRead === false;
      if (state === "judged" || state === "ready" || isRefused) this.setState(file, "judged");
      else if (isUnread && isHere) this.setState(file, "stored");
      else this.judge(file, LOST, linesOf(file));
    }
  }

  /** Deletes a file whose lines are gone. */
  forget(file: StoredFile): void {
    this.#sql.transaction(() => {
      this.#deletePieces(file);
      this.#sql.all("DELETE FROM file WHERE key = ?", file.key);
    });
  }

  /** The largest key of a line that counts; 0 for none. Lines behind it belong to the file that is being read. */
  readyTo(): number {
    const { last } = first(
      this.#sql.all<{ last: number | null }>(
        "SELECT max(last_line) AS last FROM file WHERE last_line IS NOT NULL",
      ),
    );
    return last ?? 0;
  }

  /** The next files that are ready and have lines after a key, in the order of their lines. */
  readyAfter(key: number): readonly ReadyFile[] {
    return this.#sql
      .all<{ id: string; first_line: number; last_line: number }>(
        `SELECT id, first_line, last_line FROM file
          WHERE state = 'ready' AND last_line > ? ORDER BY last_line LIMIT ? + 0`,
        key,
        FILES_PER_PAGE,
      )
      .map(({ id, first_line: low, last_line: last }) => ({ id, first: low, last }));
  }

  /** Remembers that a matching has the lines up to a key. */
  collected(matching: string, key: number): void {
    this.#sql.all(
      `INSERT INTO collector (matching, key) VALUES (?, ?)
        ON CONFLICT (matching) DO UPDATE SET key = excluded.key WHERE excluded.key > key`,
      matching,
      key,
    );
  }

  /** The matchings that have got lines of a file. */
  collectorsOf({ firstLine }: StoredFile): readonly string[] {
    if (firstLine === undefined) return [];
    return this.#sql
      .all<{ matching: string }>("SELECT matching FROM collector WHERE key >= ?", firstLine)
      .map(({ matching }) => matching);
  }

  #deletePieces({ key, pieces }: StoredFile): void {
    for (let place = 0; place < pieces; place++) this.#pieces.delete(pieceKey(key, place));
  }
}

/** What becomes of a file whose bytes are not in the backup from which its source has come back. */
const LOST: Verdict = {
  isRead: false,
  format: undefined,
  refusal: {
    kind: "UNSUPPORTED",
    message:
      "The file had not been read to its end when the backup was made from which this deployment was restored; upload it again.",
  },
};

const linesOf = ({ firstLine, lastLine }: StoredFile) =>
  firstLine === undefined || lastLine === undefined
    ? undefined
    : { first: firstLine, last: lastLine };

/** Most files that one page of lines is read from. */
const FILES_PER_PAGE = 50;

/** A file with lines that count, and their keys. */
export interface ReadyFile {
  readonly id: string;
  readonly first: number;
  readonly last: number;
}

/** The key of a piece of a file, by the key of the file. */
export const pieceKey = (file: number, place: number): string => `file/${file}/${place}`;

type FileRow = {
  key: number;
  id: string;
  state: string;
  touched_ms: number;
  pieces: number;
  bytes: number;
  is_in_bucket: number;
  attempts: number;
  spec: string | null;
  verdict: string | null;
  removal: string | null;
  first_line: number | null;
  last_line: number | null;
};

const toFile = (row: FileRow): StoredFile => ({
  key: row.key,
  id: row.id,
  state: row.state as FileState, // the statements of this file write no other texts
  touchedMs: row.touched_ms,
  pieces: row.pieces,
  bytes: row.bytes,
  isInBucket: row.is_in_bucket === 1,
  attempts: row.attempts,
  spec: row.spec === null ? undefined : (parseJson(row.spec) as FileSpec),
  verdict: row.verdict === null ? undefined : toVerdict(row.verdict),
  removal: row.removal === null ? undefined : (parseJson(row.removal) as Removal),
  firstLine: row.first_line ?? undefined,
  lastLine: row.last_line ?? undefined,
});

/** A verdict from its JSON, in which small amounts are numbers. */
function toVerdict(text: string): Verdict {
  const verdict = parseJson(text) as WrittenVerdict; // `judge` has written it
  if (!verdict.isRead) return verdict;
  const toAmount = (amount: number | bigint | undefined) =>
    amount === undefined ? undefined : BigInt(amount);
  return {
    ...verdict,
    heads: verdict.heads.map((head) => ({
      ...head,
      opening: toAmount(head.opening),
      closing: toAmount(head.closing),
      totals: Object.fromEntries(
        Object.entries(head.totals).map(([asset, amount]) => [asset, BigInt(amount)]),
      ),
    })),
  };
}

type WrittenVerdict =
  | Extract<Verdict, { isRead: false }>
  | (Omit<Extract<Verdict, { isRead: true }>, "heads"> & {
      readonly heads: readonly WrittenHead[];
    });

interface WrittenHead extends Omit<Head, "opening" | "closing" | "totals"> {
  readonly opening: number | bigint | undefined;
  readonly closing: number | bigint | undefined;
  readonly totals: Readonly<Record<string, number | bigint>>;
}
