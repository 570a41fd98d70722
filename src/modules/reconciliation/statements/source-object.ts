import { DurableObject } from "cloudflare:workers";
import { deleteFilesOf, statementBucketOf } from "./bucket.ts";
import type { CollectedLines, CollectQuery, FileLinesQuery, FilePlace } from "./calls.ts";
import { ARRIVING, FileStore, type PieceStorage, type StoredFile } from "./file-store.ts";
import { FileLineStore } from "./line-store.ts";
import type { FileLine } from "./line.ts";
import { STATEMENT_SOURCE_TABLES } from "./object-tables.ts";
import type { FileSpec, Removal } from "./reading.ts";
import { recordedStates, recordLost, recordRemoval } from "./record.ts";
import { RestoredBytes } from "./restored-bytes.ts";
import { type Ending, FileWork } from "./work.ts";
import { currencyDecimals } from "#modules/payments/index.ts";
import { FILE_BYTES_MAX } from "#modules/reconciliation/core/statements/index.ts";
import { present } from "#platform/assert.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import {
  ObjectRestoration,
  type ObjectRestoreStep,
  type Settlement,
} from "#platform/backup/object-restoration.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { asResult, attempt, type Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { hasSteps } from "#platform/sql/table-steps.ts";
import { isStorageFull, storageFull } from "#platform/storage-full.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { ownDeadline } from "#platform/work/deadline.ts";

/** The time after which work that a crash has interrupted is continued, in milliseconds. */
const RESUME_AFTER_MS = 5000;
/** A file of which nothing has arrived for so long is swept, in milliseconds. */
export const ABANDONED_AFTER_MS = 10 * 60_000;
/** Most files that arrive at once. */
const RECEIVING_MAX = 4;
/** How long an upload waits for the end of its file, in milliseconds. */
const WAIT_MS = 10_000;

/**
 * The object of one source of the kind `statement`: its files with their bytes and lines.
 *
 *     upload ── receive, receive, … complete ──► FileStore ─► FileWork ─► FileLineStore ◄── lines, collect
 *                                                    ▲           │ heads
 *     alarms: work, sweep, move ─────────────────────┘           ▼
 *                                                               D1
 *
 * The object brings each file to its end by itself, whoever waits. A kill between any two statements loses nothing and repeats nothing
 * that counts: a state is left only when what belongs to it is stored, and everything that is done in a state may be done twice.
 */
export class StatementSourceObject extends DurableObject<Env> {
  readonly #tableCopy: ObjectCopy;
  readonly #restoration: ObjectRestoration;
  readonly #alarms: Alarms<"work" | "sweep" | "move">;
  readonly #waiting = new Map<string, PromiseWithResolvers<Ending | undefined>>();
  #opened:
    | { readonly files: FileStore; readonly lines: FileLineStore; readonly work: FileWork }
    | undefined;
  #isWorking = false;
  #isCleared = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const sql = durableSql(ctx.storage);
    this.#tableCopy = new ObjectCopy(sql);
    const pieces = this.#pieces;
    const files = new RestoredBytes(sql, new FileStore(sql, pieces), pieces);
    const settle = () => this.#settle(files);
    const tables = STATEMENT_SOURCE_TABLES;
    this.#restoration = new ObjectRestoration({ sql, tables, settle, files });
    this.#alarms = new Alarms(ctx.storage, {
      work: () => this.#work(),
      sweep: () => this.#sweep(),
      move: () => this.#open().work.moveToBucket(),
    });
    void ctx.blockConcurrencyWhile(async () => this.#alarms.inherit(await ctx.storage.getAlarm()));
  }

  /** Copies the tables for a backup. */
  async copyTables(step: CopyStep): ReturnType<ObjectCopy["step"]> {
    return this.#tableCopy.step(step);
  }

  /** Takes the tables of a backup. */
  async restoreTables(step: ObjectRestoreStep): ReturnType<ObjectRestoration["step"]> {
    return this.#restoration.step(step);
  }

  /** Takes the next piece of a file that arrives. Fails with `RATE_LIMITED`, `BODY_TOO_LARGE` and `CONFLICT`. */
  receive(id: string, place: number, bytes: Uint8Array): Result<undefined> {
    return attempt(() => {
      const { files } = this.#open();
      const file = this.#receiving(id);
      if (file.state !== "receiving" || file.pieces !== place) {
        throw givenUp();
      }
      if (file.bytes + bytes.byteLength > FILE_BYTES_MAX) throw tooLarge();
      files.addPiece(file, bytes, Date.now());
      return undefined;
    });
  }

  /** Forgets a file that does not arrive any more. */
  abandon(id: string): void {
    const { files } = this.#open();
    const file = files.find(id);
    if (file?.state === "receiving") files.forget(file);
  }

  /** Has a file read that has arrived whole. Waits for its end, but not for long: undefined while it is being read. */
  complete(id: string, spec: FileSpec): Promise<Result<Ending | undefined>> {
    return asResult(this.#complete(id, spec));
  }

  /** Lines of a file that is ready. */
  fileLines({ statementId, order, bound, limit }: FileLinesQuery): readonly FileLine[] {
    const { files, lines } = this.#open();
    const file = files.find(statementId);
    if (file?.state !== "ready" || file.firstLine === undefined) return [];
    const { firstLine: low, lastLine: high = low } = file;
    const step = bound?.inclusive === false ? 1 : 0;
    const range =
      order === "asc"
        ? { first: Math.max(low, (bound?.key ?? low) + step), last: high }
        : { first: low, last: Math.min(high, (bound?.key ?? high) - step) };
    return lines.read(range, { limit, order, statementID: statementId });
  }

  /** The lines that follow a key, for a matching, which is remembered. */
  collect({ after, limit, collector }: CollectQuery): CollectedLines {
    const { files, lines } = this.#open();
    const found: FileLine[] = [];
    for (const file of files.readyAfter(after)) {
      const first = Math.max(file.first, after + 1);
      const room = limit - found.length;
      found.push(
        ...lines.read(
          { first, last: file.last },
          { limit: room, order: "asc", statementID: file.id },
        ),
      );
      if (found.length === limit) break;
    }
    const position = found.at(-1)?.key ?? after;
    if (found.length > 0) files.collected(collector, position);
    return { lines: found, position, isLast: files.readyAfter(position).length === 0 };
  }

  place(id: string): FilePlace | undefined {
    const file = this.#open().files.find(id);
    if (file === undefined || ARRIVING.has(file.state)) return undefined;
    const { bytes, pieces, isInBucket } = file;
    return { bytes, pieces, isInBucket };
  }

  /** A piece of a file's bytes; undefined if they are gone, or in the bucket. */
  piece(id: string, place: number): Uint8Array | undefined {
    const { files } = this.#open();
    const file = files.find(id);
    return file === undefined ? undefined : files.piece(file, place);
  }

  /** The matchings that have got lines of a file. */
  collectorsOf(id: string): readonly string[] {
    const { files } = this.#open();
    const file = files.find(id);
    return file === undefined ? [] : files.collectorsOf(file);
  }

  /**
   * Deletes a file with its lines and its head. `without` are matchings that have got lines of it and do not use the source any more. Fails
   * with `STATEMENT_IN_USE` where another one has.
   */
  remove(id: string, removal: Removal, without: readonly string[]): Promise<Result<undefined>> {
    return asResult(this.#remove(id, removal, without));
  }

  /** Deletes everything, because the source is deleted. */
  async clear(sourceId: string): Promise<void> {
    this.#isCleared = true;
    for (const id of this.#waiting.keys()) this.#end(id, { is: "gone" });
    const bucket = statementBucketOf(this.env);
    if (bucket !== undefined) await deleteFilesOf(bucket, sourceId);
    this.#alarms.clear();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    if (this.#isCleared || (await isPutOff(this.ctx.storage, this.env))) return;
    await this.#alarms.ring();
  }

  /** The files and lines. Throws `NOT_FOUND` after the source was deleted. */
  #open() {
    if (this.#isCleared) throw new AppError("NOT_FOUND", "the source was deleted");
    if (this.#opened !== undefined) return this.#opened;
    const sql = durableSql(this.ctx.storage);
    STATEMENT_SOURCE_TABLES.migrateToEnd(sql);
    const files = new FileStore(sql, this.#pieces);
    const lines = new FileLineStore(sql);
    const work = new FileWork({
      env: this.env,
      files,
      lines,
      decimalsOf: currencyDecimals,
      rest: () => this.#rest(),
    });
    this.#opened = { files, lines, work };
    return this.#opened;
  }

  /** The pieces of files, under keys of the storage. */
  get #pieces(): PieceStorage {
    const { kv } = this.ctx.storage;
    return {
      get: (key) => kv.get<Uint8Array>(key),
      put: (key, value) => kv.put(key, value),
      delete: (key) => kv.delete(key),
    };
  }

  /** Fits files that a backup has to the heads of its database, which is earlier. */
  async #settle(bytes: RestoredBytes): Promise<Settlement> {
    const sourceId = present(this.ctx.id.name, "the object has the id of its source as its name");
    const files = hasSteps(durableSql(this.ctx.storage)) ? this.#open().files : undefined;
    const states = await recordedStates(this.env, sourceId);
    await recordLost(this.env, sourceId, { states, ids: files?.ids() ?? [] });
    return {
      change: () => files?.fitTo(states, bytes.finish()),
      wake: () => {
        if (files !== undefined) this.#alarms.set("work", Date.now());
      },
    };
  }

  /** The file that arrives, which begins with its first piece. */
  #receiving(id: string): StoredFile {
    const { files } = this.#open();
    const known = files.find(id);
    if (known !== undefined) return known;
    if (files.countReceiving() >= RECEIVING_MAX) {
      throw new AppError("RATE_LIMITED", "too many files are being uploaded to this source", {
        retryAfterSeconds: 5,
      });
    }
    files.begin(id, Date.now());
    this.#alarms.set("sweep", Date.now() + ABANDONED_AFTER_MS);
    return present(files.find(id), "the file has just begun");
  }

  async #complete(id: string, spec: FileSpec): Promise<Ending | undefined> {
    const { files } = this.#open();
    const file = this.#receiving(id);
    if (file.state !== "receiving") throw givenUp();
    files.receive(file, spec);
    this.#alarms.set("work", Date.now() + RESUME_AFTER_MS);
    const ending = Promise.withResolvers<Ending | undefined>();
    this.#waiting.set(id, ending);
    const deadline = ownDeadline(WAIT_MS, () => ending.resolve(undefined));
    try {
      // Another file may be read for long, and the head of this one is there before.
      const ended = await this.#storeHead(present(files.find(id), "it has just arrived"), spec);
      if (ended !== undefined) this.#end(id, ended);
      this.ctx.waitUntil(this.#workNow());
      return await ending.promise;
    } finally {
      deadline.end();
      this.#waiting.delete(id);
    }
  }

  /** Stores the head of a file. Throws `STORAGE_FULL` where D1 has no room, and then the file is deleted: nobody waits for it any more. */
  async #storeHead(file: StoredFile, { sourceId, principal, requestId }: FileSpec) {
    const { files, work } = this.#open();
    try {
      return await work.store(file);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      files.remove(file, { sourceId, principal, requestId });
      throw storageFull(error);
    }
  }

  async #remove(id: string, removal: Removal, without: readonly string[]): Promise<undefined> {
    const { files, work } = this.#open();
    const file = files.find(id);
    const user = file && files.collectorsOf(file).find((matching) => !without.includes(matching));
    if (user !== undefined) throw inUse(id, user);
    if (file === undefined || file.state === "receiving" || file.state === "dropped") {
      await recordRemoval(this.env, id, removal);
      return;
    }
    files.remove(file, removal);
    this.#end(id, { is: "gone" });
    this.#alarms.set("work", Date.now() + RESUME_AFTER_MS);
    await work.remove(present(files.find(id), "its state has just changed"));
    this.ctx.waitUntil(this.#workNow());
  }

  #end(id: string, ending: Ending): void {
    this.#waiting.get(id)?.resolve(ending);
    this.#waiting.delete(id);
  }

  /** Never throws: after a failure, the alarm goes on. */
  async #workNow(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      logError("files of a source could not be read; the alarm goes on", error, {
        source: this.ctx.id.name,
      });
    }
  }

  /** Brings all files to their ends, one after the other. */
  async #work(): Promise<void> {
    if (this.#isCleared) return;
    if (this.#isWorking) {
      this.#alarms.set("work", Date.now() + RESUME_AFTER_MS);
      return;
    }
    this.#isWorking = true;
    try {
      for (;;) {
        const file = this.#open().files.firstIn(
          "received",
          "stored",
          "judged",
          "removing",
          "dropped",
        );
        if (file === undefined) break;
        this.#alarms.set("work", Date.now() + RESUME_AFTER_MS);
        await this.#step(file);
      }
    } catch (error) {
      if (!this.#isCleared) throw error;
      return;
    } finally {
      this.#isWorking = false;
    }
    if (statementBucketOf(this.env) !== undefined) this.#alarms.set("move", Date.now());
  }

  async #step(file: StoredFile): Promise<void> {
    const { work } = this.#open();
    switch (file.state) {
      case "received": {
        const ended = await work.store(file);
        if (ended !== undefined) this.#end(file.id, ended);
        return;
      }
      case "stored":
        return work.read(file);
      case "judged":
        return this.#end(file.id, await work.finish(file));
      case "removing":
        return work.remove(file);
      case "dropped":
        return work.drop(file);
      case "receiving":
      case "ready":
    }
  }

  /** Lets others have their turn. Throws after the source was deleted. */
  async #rest(): Promise<void> {
    this.#alarms.set("work", Date.now() + RESUME_AFTER_MS);
    await scheduler.wait(0);
    this.#open();
  }

  /** Forgets files that do not arrive any more. */
  #sweep(): void {
    const { files } = this.#open();
    const nowMs = Date.now();
    for (const id of files.abandoned(nowMs - ABANDONED_AFTER_MS, nowMs + ABANDONED_AFTER_MS)) {
      this.abandon(id);
    }
    if (files.countReceiving() > 0) this.#alarms.set("sweep", nowMs + ABANDONED_AFTER_MS);
  }
}

const givenUp = (): AppError =>
  new AppError("CONFLICT", "the upload was given up, because nothing arrived for too long");

const tooLarge = (): AppError =>
  new AppError("BODY_TOO_LARGE", `the file is larger than ${FILE_BYTES_MAX} bytes`);

const inUse = (id: string, matching: string): AppError =>
  new AppError(
    "STATEMENT_IN_USE",
    `the matching ${matching} has collected lines of the statement ${id}; delete the matching first`,
  );
