import { createHash } from "node:crypto";
import { PIECE_BYTES } from "./calls.ts";
import {
  ARRIVING,
  type FileStore,
  pieceKey,
  type PieceStorage,
  type StoredFile,
} from "./file-store.ts";
import type {
  FileProgress,
  RestoredFiles,
  SavedFilePiece,
  WantedFile,
} from "#platform/backup/restored-files.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { tableNames } from "#platform/sql/table-steps.ts";

/** The files of which bytes have come: their numbers of pieces, and whether these are all and have the right hash. No copy has this table. */
const CREATE_BYTES = `CREATE TABLE IF NOT EXISTS copy_restored_bytes (
  id TEXT PRIMARY KEY, pieces INTEGER NOT NULL, complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID`;

/** The files of a source that comes back from a backup, and the number of pieces of each. */
type BytesRow = { id: string; pieces: number; complete: number };

/**
 * Takes the bytes of files from a backup, into the places that they have in the object:
 *
 *     rows of `file` ─► begin ─► piece 0, piece 1, … each in a transaction with their number ─► the hash fits ─► complete
 *                                   ▲                                                       │
 *                                   └───────────────────────────────── it does not ─────────┘
 *
 * `finish` says of which files all bytes are there, when the rows are fitted to the database.
 */
export class RestoredBytes implements RestoredFiles {
  readonly #sql: Sql;
  readonly #files: FileStore;
  readonly #pieces: PieceStorage;

  constructor(sql: Sql, files: FileStore, pieces: PieceStorage) {
    this.#sql = sql;
    this.#files = files;
    this.#pieces = pieces;
  }

  begin = ({ file: id, bytes, sha256 }: WantedFile): FileProgress => {
    const file = this.#find(id);
    if (file === undefined || ARRIVING.has(file.state)) return progress("left-out", 0);
    if (file.bytes !== bytes || file.spec?.sha256 !== sha256) {
      throw new AppError("CONFLICT", `the saved object has another file with the id '${id}'`);
    }
    const known = this.#known(id);
    if (known?.complete === 1) return progress("complete", known.pieces);
    const pieces = known?.pieces ?? 0;
    if (pieces < piecesOf(file)) return progress("open", pieces);
    return this.#check(file) ? progress("complete", pieces) : progress("open", 0);
  };

  add = ({ file: id, place, bytes }: SavedFilePiece): void => {
    const file = this.#find(id);
    if (file === undefined || ARRIVING.has(file.state)) {
      throw new AppError("CONFLICT", `the saved object has no file with the id '${id}'`);
    }
    const pieces = this.#known(id)?.pieces ?? 0;
    if (place < pieces) return; // It has come before.
    if (place > pieces || place >= piecesOf(file)) {
      throw new AppError(
        "CONFLICT",
        `${pieces} of ${piecesOf(file)} pieces of the file are there: those behind come next`,
      );
    }
    const length = Math.min(PIECE_BYTES, file.bytes - place * PIECE_BYTES);
    if (bytes.byteLength !== length) {
      throw new AppError("VALIDATION", `the piece ${place} of the file has ${length} bytes`);
    }
    this.#pieces.put(pieceKey(file.key, place), bytes);
    this.#note(id, place + 1, 0);
    if (place + 1 === piecesOf(file)) this.#check(file);
  };

  /** Ends the restoration of bytes: deletes those of files of which some are missing. Returns the ids of the files that are complete. */
  finish(): ReadonlySet<string> {
    if (!this.#hasBegun) return new Set();
    const rows = this.#sql.all<BytesRow>("SELECT * FROM copy_restored_bytes");
    for (const { id, pieces } of rows.filter(({ complete }) => complete === 0)) {
      const file = this.#find(id);
      if (file !== undefined) this.#delete(file, pieces);
    }
    this.#sql.all("DROP TABLE copy_restored_bytes");
    return new Set(rows.filter(({ complete }) => complete === 1).map(({ id }) => id));
  }

  /** The file as the rows that have come say; undefined also for an object whose tables have not come. */
  #find(id: string): StoredFile | undefined {
    return tableNames(this.#sql).includes("file") ? this.#files.find(id) : undefined;
  }

  get #hasBegun(): boolean {
    return (
      this.#sql.all(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy_restored_bytes'",
      ).length > 0
    );
  }

  #known(id: string): BytesRow | undefined {
    if (!this.#hasBegun) return undefined;
    return this.#sql.all<BytesRow>("SELECT * FROM copy_restored_bytes WHERE id = ?", id)[0];
  }

  #note(id: string, pieces: number, complete: 0 | 1): void {
    this.#sql.all(CREATE_BYTES);
    this.#sql.all(
      "INSERT OR REPLACE INTO copy_restored_bytes VALUES (?, ?, ?)",
      id,
      pieces,
      complete,
    );
  }

  /** Compares the bytes with the hash of the file, and notes that they are there, or that all have to come again. Returns whether they are. */
  #check(file: StoredFile): boolean {
    const hash = createHash("sha256");
    const pieces = piecesOf(file);
    for (let place = 0; place < pieces; place++) {
      const piece = this.#pieces.get(pieceKey(file.key, place));
      if (piece !== undefined) hash.update(piece);
    }
    const isSame = hash.digest("hex") === file.spec?.sha256;
    if (isSame) this.#files.hasPieces(file, pieces);
    else this.#delete(file, pieces);
    this.#note(file.id, isSame ? pieces : 0, isSame ? 1 : 0);
    return isSame;
  }

  #delete({ key }: StoredFile, pieces: number): void {
    for (let place = 0; place < pieces; place++) this.#pieces.delete(pieceKey(key, place));
  }
}

const piecesOf = ({ bytes }: StoredFile): number => Math.ceil(bytes / PIECE_BYTES);

const progress = (state: FileProgress["state"], pieces: number): FileProgress => ({
  state,
  pieces,
  pieceBytes: PIECE_BYTES,
});
