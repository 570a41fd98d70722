import { DurableObject } from "cloudflare:workers";
import { type BulkProgress, parseElements, progressOf } from "./bulk-progress.ts";
import type { HeadRange, ImportCall, LogRange, WrittenLog } from "./calls.ts";
import type { Caused, OwnWrite } from "./entry-causes.ts";
import { announcerOf, type EventAnnouncer } from "./event-announcer.ts";
import { GroupCommit } from "./group-commit.ts";
import { ImportLock } from "./import-lock.ts";
import { LogListeners } from "./log-listeners.ts";
import { readCommitted, readHeadRange, readLogRange, readWrittenRange } from "./log-ranges.ts";
import { createLedger, isOf, openEngine } from "./open-engine.ts";
import { type RestoredLog, type RestoreStep, restoreStep } from "./restored-log.ts";
import { type LogEnd, logEnd, readStreamed, type StreamedLog } from "./streamed-log.ts";
import { NOT_CREATED, TableMigration } from "./table-migration.ts";
import { ViolationLog } from "./violation-log.ts";
import {
  type LedgerEngine,
  applyDeletion,
  isCreated,
  isDeleted,
  storedUuid,
  type AuditAnswer,
  type AuditRequest,
  type BulkElement,
  type BulkOptions,
  type Command,
  type CommittedTransaction,
  type ImportBatch,
  type ImportOutcome,
  type LedgerCounts,
  type LedgerHead,
  type LogOrigins,
  type LogTextPage,
  type MigrationStep,
  type Outcome,
  type DeletionChange,
  type WriteOptions,
} from "#ledger-engine";
import { type Ledger, LedgerCatalogue } from "#modules/catalogue/index.ts";
import { AnswerServer } from "#modules/ledger/answers/answer-server.ts";
import { type BulkAnswer, type BulkForm, toBulkAnswer } from "#modules/ledger/answers/bulk-body.ts";
import type { ReadCall } from "#modules/ledger/answers/read-call.ts";
import {
  type AmountForm,
  writeOutcome,
  type WrittenOutcome,
} from "#modules/ledger/answers/result-json.ts";
import {
  type ExportCall,
  type LedgerReach,
  SlicedReads,
} from "#modules/ledger/answers/sliced-reads.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { attempt, mapResult, type Result } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";

/** One ledger: puts its writes in order, and announces their events. The rules are in the engine. */
export class LedgerObject extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #commits: GroupCommit;
  readonly #reads = new SlicedReads((uuid, reach) => this.#engineOf(uuid, reach));
  readonly #answers = new AnswerServer(this.#reads);
  #engine: LedgerEngine | undefined;
  /** Whether the ledger is deleted. A deleted ledger still publishes the events of earlier commits. */
  #isDeleted = false;
  /** The number of deletions, restorations and purges, which shows whether one came while the catalogue was being read. */
  #changes = 0;
  readonly #alarms: Alarms<"events" | "migration">;
  readonly #migration: TableMigration;
  readonly #announcer: EventAnnouncer;
  readonly #importLock = new ImportLock(() => Date.now());
  readonly #violations = new ViolationLog();
  readonly #listeners: LogListeners;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#commits = new GroupCommit(() => ctx.storage.sync());
    this.#alarms = new Alarms(ctx.storage, {
      events: () => this.#announcer.resend(),
      migration: () => this.#migrate(),
    });
    this.#migration = new TableMigration(this.#sql, () =>
      this.#alarms.set("migration", Date.now()),
    );
    this.#announcer = announcerOf(ctx, env, {
      alarms: this.#alarms,
      openLedger: () => this.#engine,
      refusal: () => this.#migration.refusal,
    });
    this.#listeners = new LogListeners(ctx, () => this.#engine && logEnd(this.#engine));
    if (isCreated(this.#sql)) this.#load();
  }

  /** Opens a WebSocket that tells how far the log goes; see `LogListeners`. */
  override async fetch(): Promise<Response> {
    await this.#opened();
    return this.#listeners.accept(mapResult(this.#engineOf(undefined), logEnd));
  }

  /** The ledger and the end of its log, for a stream that begins. */
  async logEnd(): Promise<Result<LogEnd>> {
    return this.#withEngine(logEnd);
  }

  /** New entries for streams, as many of the first ones as one call gives. */
  async readStreamed(after: number, uuid: string): Promise<Result<StreamedLog>> {
    return this.#withEngine((engine) => readStreamed(engine, { after }), uuid);
  }

  /** Older entries for streams, as many of the first ones as one slice gives. */
  async readStreamedPage(after: number, to: number, uuid: string): Promise<Result<StreamedLog>> {
    await this.#opened();
    return this.#reads.logPage((engine, size) => readStreamed(engine, { after, to }, size), uuid);
  }

  /** Returns the ledger's uuid, or `LEDGER_NOT_FOUND`. Creates the object of a ledger that the catalogue has. */
  async assertCreated(): Promise<Result<string>> {
    return this.#withEngine(({ info }) => info.uuid);
  }

  async execute(command: Command, options: WriteOptions & Caused): Promise<Result<Outcome>> {
    return this.#writeOwn((engine) => engine.execute(command, options), options);
  }

  /** Executes a command, and returns the JSON of its transaction. */
  async executeWritten(
    command: Command,
    options: WriteOptions & Caused,
    amounts: AmountForm,
  ): Promise<Result<WrittenOutcome>> {
    return mapResult(await this.execute(command, options), (made) => writeOutcome(made, amounts));
  }

  /** Executes a bulk. With a uuid, only the ledger with this uuid executes it, as one of many calls. */
  async executeBulk(
    elements: readonly BulkElement[],
    options: BulkOptions & Caused,
    uuid?: string,
  ): Promise<Result<Result<Outcome>[]>> {
    const execute = (engine: LedgerEngine): Result<Outcome>[] => {
      const results = engine.executeBulk(elements, options);
      if (options.atomic && results.some(({ ok }) => !ok)) this.#violations.clear();
      return results;
    };
    return this.#writeOwn(execute, { cause: options.cause, uuid });
  }

  /** Executes a bulk, and returns the body of its answer, which crosses to the Worker in a fraction of the time of the results. */
  async executeBulkWritten(
    elements: readonly BulkElement[],
    { asBody, ...options }: BulkOptions & BulkForm & Caused,
    amounts: AmountForm,
  ): Promise<Result<BulkAnswer>> {
    const results = await this.executeBulk(elements, options);
    return mapResult(results, (made) => toBulkAnswer(elements, made, { asBody, amounts }));
  }

  /** Executes a bulk of scripts up to its first failure. Its elements, as `stringifyOwn` writes them, and the progress cross the call fast. */
  async executeUntilFailure(
    elements: string,
    options: Omit<BulkOptions, "atomic" | "continueOnFailure"> & Caused,
  ): Promise<Result<BulkProgress>> {
    const sequence = { ...options, atomic: false, continueOnFailure: false };
    return mapResult(await this.executeBulk(parseElements(elements), sequence), progressOf);
  }

  /** Imports the first entries of another ledger's log, as many as one turn allows. Refuses them while another import is under way. */
  async importLogs(
    batch: ImportBatch,
    { importId, uuid }: ImportCall,
  ): Promise<Result<ImportOutcome>> {
    return this.#write((engine) => {
      this.#importLock.assertFreeFor(importId);
      const outcome = engine.importLogs(batch);
      if (outcome.failure === undefined) this.#importLock.hold(importId);
      return outcome;
    }, uuid);
  }

  /** Ends an import, so that other writes are accepted again. */
  async endImport(importId: string): Promise<void> {
    this.#importLock.release(importId);
  }

  /** Does a step of the restoration of a ledger, deleted or not, that the catalogue has. After the last one, its events are announced. */
  async restore(ledger: Ledger, step: RestoreStep): Promise<Result<RestoredLog>> {
    if (!isCreated(this.#sql)) this.#create(ledger);
    const result = await this.#commits.run(() => restoreStep(this.#sql, this.#engine, step));
    if (step.kind !== "finish" || !result.ok) return result;
    this.#engine = undefined; // It does not know the marks.
    this.#load();
    this.#alarms.set("events", Date.now());
    return result;
  }

  async read(call: ReadCall, uuid?: string): Promise<Result<unknown>> {
    if (this.#engine === undefined) await this.#adopt();
    return this.#reads.read(call, uuid);
  }

  /** Calls a read that is given as a text. Returns the body of an answer, where the read makes one; see `AnswerServer.answer`. */
  async readBody(text: string, knownVersion: string): Promise<string | Result<unknown>> {
    if (this.#engine === undefined) await this.#adopt();
    return this.#answers.answer(text, knownVersion);
  }

  /** Begins an export, whose later calls have the same id. Returns the uuid of the ledger. With a uuid, the ledger may be deleted. */
  async beginExport(exportId: string, uuid?: string): Promise<Result<string>> {
    await this.#opened();
    return this.#reads.beginExport(exportId, uuid);
  }

  async exportPage(call: ExportCall): Promise<Result<LogTextPage>> {
    await this.#opened();
    return this.#reads.exportPage(call);
  }

  /** Ends an export, whether all its pages were taken or not. */
  async endExport(exportId: string): Promise<void> {
    this.#reads.endExport(exportId);
  }

  /** How far the ledger has come, even if it is deleted. */
  async head(uuid: string): Promise<Result<LedgerHead>> {
    return this.#withEngine(({ reads }) => reads.head(), uuid, "all");
  }

  /** What the log does not determine of the first entries of a range, also of a deleted ledger. */
  async readOrigins(uuid: string, after: number, to: number): Promise<Result<LogOrigins>> {
    await this.#opened();
    return this.#reads.origins(uuid, after, to);
  }

  /** Log entries of a range for the consumer of events, as many of the first ones as one call gives. */
  async readLogs(from: number, to: number, uuid?: string): Promise<Result<LogRange>> {
    return this.#withEngine((engine) => readLogRange(engine, from, to), uuid, "all");
  }

  /** Heads of the log entries of a range, for consumers that need no payloads. */
  async readHeads(from: number, to: number, uuid: string): Promise<Result<HeadRange>> {
    return this.#withEngine((engine) => readHeadRange(engine, from, to), uuid, "all");
  }

  /** Log entries of a range with the payloads of their events, for consumers that only send them. */
  async readWritten(from: number, to: number, uuid: string): Promise<Result<WrittenLog[]>> {
    return this.#withEngine((engine) => readWrittenRange(engine, from, to), uuid, "all");
  }

  /** The transactions of log entries, as many of the first ones as one call gives. */
  async readCommitted(logIds: readonly number[]): Promise<Result<CommittedTransaction[]>> {
    return this.#withEngine((engine) => readCommitted(engine, logIds));
  }

  async counts(): Promise<Result<LedgerCounts>> {
    return this.#withEngine((engine) => engine.counts());
  }

  async migrations(): Promise<Result<MigrationStep[]>> {
    const engine = this.#engine ?? (await this.#adopt());
    // A ledger that cannot be opened shows its steps, too, because they say why.
    const isStored = engine !== undefined || this.#migration.refusal !== undefined;
    if (this.#isDeleted || !isStored) return NOT_CREATED;
    return { ok: true, value: this.#migration.steps };
  }

  /** Rows of the log and of the tables for the audit of the ledger, all of the same moment. */
  async answerAudit(uuid: string, request: AuditRequest): Promise<Result<AuditAnswer>> {
    await this.#opened();
    const answer = await this.#reads.answerAudit(this.#sql, request, uuid);
    return answer.ok ? (this.#migration.auditRefusal ?? answer) : answer;
  }

  /** Notes that the consumer has stored everything that follows from the events up to a log entry. */
  async confirmPublished(to: number, uuid?: string): Promise<Result<void>> {
    return this.#withEngine((engine) => this.#announcer.confirm(engine, to), uuid, "all");
  }

  /** Notes that the ledger is deleted or restored. An object without a ledger stores nothing, and asks the catalogue when it is called. */
  async setDeletion(change: DeletionChange): Promise<void> {
    this.#changes++;
    if (!isCreated(this.#sql)) return;
    applyDeletion(this.#sql, change);
    this.#isDeleted = isDeleted(this.#sql);
    if (this.#isDeleted) this.#listeners.end();
  }

  /** Deletes the storage of a ledger. Another ledger, which has got its name since, is left alone. */
  async purge(uuid: string): Promise<void> {
    this.#changes++;
    // The stored uuid counts, because an earlier attempt may have failed.
    if (storedUuid(this.#sql) !== uuid) return;
    this.#engine = undefined;
    this.#isDeleted = false;
    this.#migration.clear();
    this.#alarms.clear();
    this.#announcer.clear();
    this.#importLock.clear();
    this.#listeners.end();
    // One turn deletes the alarm and the storage, so that nothing that comes in between, such as another ledger, is deleted as well.
    const { storage } = this.ctx;
    await Promise.all([storage.deleteAlarm(), storage.deleteAll()]);
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    this.#reads.forgetEndedExports();
    await this.#alarms.ring();
  }

  #migrate(): void {
    if (!this.#migration.continue()) return;
    this.#engine?.forgetRows();
    this.#openIfReady();
  }

  /** Opens the stored ledger, unless its tables have to be brought up to date first. */
  #load(): void {
    this.#isDeleted = isDeleted(this.#sql);
    this.#migration.start();
    this.#openIfReady();
  }

  #openIfReady(): void {
    if (this.#migration.refusal === undefined)
      this.#engine ??= openEngine(this.#sql, this.env, this.#violations);
  }

  /** Runs a write that is no import. In the middle of an import, it would end the import. */
  async #writeOwn<T>(work: (engine: LedgerEngine) => T, write: OwnWrite): Promise<Result<T>> {
    return this.#write((engine) => {
      this.#importLock.assertNoImport();
      return this.#announcer.caused(engine, write.cause, () => work(engine));
    }, write.uuid);
  }

  /** Runs a write in its group, and announces its changes. */
  async #write<T>(work: (engine: LedgerEngine) => T, uuid?: string): Promise<Result<T>> {
    if (this.#engine === undefined) await this.#adopt();
    const found = this.#engineOf(uuid);
    if (!found.ok) return found;
    const engine = found.value;
    return this.#commits.run(() => {
      // The ledger may have been deleted between the call and its turn.
      if (this.#isDeleted || this.#engine !== engine) return NOT_CREATED;
      this.#violations.clear(); // violations of a write that was refused
      return attempt(() => {
        const value = work(engine);
        this.#announcer.announce(engine);
        this.#listeners.committed();
        this.#violations.write(engine.info.name);
        return value;
      });
    });
  }

  /** Runs `work` on the ledger, and returns a result that survives the way to the caller. The events of a deleted ledger are still published. */
  async #withEngine<T>(
    work: (engine: LedgerEngine) => T,
    uuid?: string,
    reach?: LedgerReach,
  ): Promise<Result<T>> {
    await this.#opened();
    const engine = this.#engineOf(uuid, reach);
    return engine.ok ? attempt(() => work(engine.value)) : engine;
  }

  /** The engine as it is in this turn, or why the ledger cannot be used. */
  #engineOf(uuid: string | undefined, reach: LedgerReach = "live"): Result<LedgerEngine> {
    const engine = this.#engine;
    if (this.#isDeleted && reach === "live") return NOT_CREATED;
    if (engine === undefined || !isOf(engine, uuid)) return this.#migration.refusal ?? NOT_CREATED;
    return { ok: true, value: engine };
  }

  /** Resolves when the ledger is open, or known not to exist. */
  async #opened(): Promise<void> {
    if (this.#engine === undefined) await this.#adopt();
  }

  /** Opens the ledger for an object that has none, if the catalogue has it. A change meanwhile has the catalogue asked again. */
  async #adopt(): Promise<LedgerEngine | undefined> {
    const name = this.ctx.id.name;
    if (name === undefined || this.#migration.refusal !== undefined) return undefined;
    for (;;) {
      const changes = this.#changes;
      const ledger = await LedgerCatalogue.from(this.env).find(name);
      if (this.#engine !== undefined) return this.#engine;
      if (this.#changes !== changes) continue;
      if (ledger !== undefined) this.#create(ledger);
      return this.#engine;
    }
  }

  #create(ledger: Ledger): void {
    createLedger(this.#sql, ledger);
    this.#load();
  }
}
