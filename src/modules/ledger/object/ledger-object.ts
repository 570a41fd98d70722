import { DurableObject } from "cloudflare:workers";
import type { EventsMessage } from "../../../platform/events/messages.ts";
import { logError } from "../../../platform/log.ts";
import { attempt, type Result } from "../../../platform/result.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { systemClock } from "../../../platform/time.ts";
import type { Command, LedgerInfo, LogEntry } from "../core/types.ts";
import { LedgerCatalogue } from "../store.ts";
import { answerAudit, type AuditAnswer, type AuditRequest } from "./audit.ts";
import { durableSql } from "./durable-sql.ts";
import {
  type BulkElement,
  type BulkOptions,
  type CommittedTransaction,
  type LedgerCounts,
  LedgerEngine,
  type Outcome,
  type WriteOptions,
} from "./engine.ts";
import { GroupCommit } from "./group-commit.ts";
import type { ImportBatch, ImportOutcome } from "./log-importer.ts";
import { isCreated, type MigrationStep, readMigrations } from "./migrations.ts";
import type { ReadName } from "./reads/ledger-reads.ts";
import type { Sql } from "./sql.ts";

/** How long commits are collected before their one message is sent: shortly for the first, longer in a busy ledger. */
const ANNOUNCE_DELAY_MS = 10;
const ANNOUNCE_DELAY_BUSY_MS = 150;
/** A ledger is busy for so long after a message of so many log entries. */
const BUSY_MS = 1000;
const BUSY_ENTRIES = 16;
/** When the alarm looks whether the events of a burst are taken over, and sends them again if not. */
const RESEND_DELAY_MS = 15_000;
/** What one call gives to the events consumer. */
const EVENTS_LIMITS = { countMax: 500, bytesMax: 4_000_000 };
/** Most log entries that one message announces; the next one follows its confirmation. */
const ANNOUNCED_MAX = 10_000;

/** What one call gives of the transactions that a stream has made, in bytes. */
const COMMITTED_LIMITS = { bytesMax: 4_000_000 };

/** How long after a batch of an import the next one may come; then writes are welcome. */
const IMPORT_PAUSE_MS_MAX = 5000;

const NOT_CREATED = {
  ok: false,
  failure: { kind: "LEDGER_NOT_FOUND", message: "ledger not found" },
} as const;

const IMPORTING = {
  ok: false,
  failure: { kind: "OVERLOADED", message: "a log is being imported into the ledger" },
} as const;

/** A run of log entries, and the ledger that they are of. */
export interface LogRange {
  readonly info: LedgerInfo;
  readonly entries: readonly LogEntry[];
  /** The last entry whose event is known to be taken over. */
  readonly publishedLogId: number;
}

/** One ledger: puts its writes in order and announces them. The rules are in the engine and in `../core`. */
export class LedgerObject extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #commits: GroupCommit;
  #engine: LedgerEngine | undefined;
  #isAnnouncing = false;
  #isAlarmSet = false;
  /** The last log entry of the message that is under way; the next message follows its confirmation. */
  #announcedLogId = 0;
  #busyUntilMs = 0;
  #importingUntilMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#commits = new GroupCommit(() => ctx.storage.sync());
    if (isCreated(this.#sql)) this.#engine = this.#open();
  }

  /** Makes the ledger; harmless where it exists. */
  create(info: LedgerInfo): void {
    LedgerEngine.create(this.#sql, info);
    this.#engine ??= this.#open();
  }

  /** `LEDGER_NOT_FOUND`, or nothing. */
  async assertCreated(): Promise<Result<void>> {
    return this.#withEngine(() => undefined);
  }

  async execute(command: Command, options: WriteOptions): Promise<Result<Outcome>> {
    return this.#writeOwn((engine) => engine.execute(command, options));
  }

  async executeBulk(
    elements: readonly BulkElement[],
    options: BulkOptions,
  ): Promise<Result<Result<Outcome>[]>> {
    return this.#writeOwn((engine) => engine.executeBulk(elements, options));
  }

  /** Takes entries of another ledger's log, as many of the first as one turn allows. */
  async importLogs(batch: ImportBatch): Promise<Result<ImportOutcome>> {
    return this.#write((engine) => {
      const outcome = engine.importLogs(batch);
      if (outcome.failure === undefined) this.#importingUntilMs = Date.now() + IMPORT_PAUSE_MS_MAX;
      return outcome;
    });
  }

  /** No more batches come: writes are welcome again. */
  async endImport(): Promise<void> {
    this.#importingUntilMs = 0;
  }

  /** One of the reads of the ledger, by its name: its arguments and its answer are those of `LedgerReads`. */
  async read(name: ReadName, args: readonly unknown[]): Promise<Result<unknown>> {
    return this.#withEngine((engine) => {
      const method = engine.reads[name] as (...args: readonly unknown[]) => unknown; // the service calls it with its own arguments
      return method.apply(engine.reads, [...args]);
    });
  }

  /** Log entries for the events consumer: those of the range, as many as one call gives. */
  async readLogs(from: number, to: number): Promise<Result<LogRange>> {
    return this.#withEngine((engine) => ({
      info: engine.info,
      entries: engine.readLogs(from, to, EVENTS_LIMITS),
      publishedLogId: engine.publishedLogId,
    }));
  }

  /** The transactions that log entries made, as many of the first as one call gives. */
  async readCommitted(logIds: readonly number[]): Promise<Result<CommittedTransaction[]>> {
    return this.#withEngine((engine) => engine.readCommitted(logIds, COMMITTED_LIMITS));
  }

  async counts(): Promise<Result<LedgerCounts>> {
    return this.#withEngine((engine) => engine.counts());
  }

  async migrations(): Promise<Result<MigrationStep[]>> {
    return this.#withEngine(() => readMigrations(this.#sql));
  }

  /** For the audit of the ledger: rows of its log and tables, of one moment. */
  async answerAudit(request: AuditRequest): Promise<Result<AuditAnswer>> {
    return this.#withEngine(() => answerAudit(this.#sql, request));
  }

  /** The consumer has stored what follows from the events up to this log entry. */
  async confirmPublished(to: number): Promise<Result<void>> {
    return this.#withEngine((engine) => {
      engine.confirmPublished(to);
      this.#announce(engine);
    });
  }

  /** Announces again what no consumer has confirmed: a message may be lost, and a crash may come before its sending. */
  override async alarm(): Promise<void> {
    const engine = this.#engine;
    this.#isAlarmSet = false;
    if (engine === undefined || engine.publishedLogId >= engine.lastLogId) return;
    this.#armAlarm();
    await this.#send(engine);
  }

  #open(): LedgerEngine {
    const settings = settingsOf(this.env);
    return new LedgerEngine(this.#sql, systemClock, {
      scripts: {
        runtime: settings.FLORIN_NUMSCRIPT_INTERPRETER ? "experimental-interpreter" : "machine",
        featureFlags: new Set(settings.FLORIN_NUMSCRIPT_INTERPRETER_FLAGS),
      },
    });
  }

  /** A write of the ledger's own: in the middle of an import it would be the end of that. */
  async #writeOwn<T>(work: (engine: LedgerEngine) => T): Promise<Result<T>> {
    return Date.now() < this.#importingUntilMs ? IMPORTING : this.#write(work);
  }

  /** Runs a write in its group, and announces what it has changed. */
  async #write<T>(work: (engine: LedgerEngine) => T): Promise<Result<T>> {
    const engine = this.#engine ?? (await this.#adopt());
    if (engine === undefined) return NOT_CREATED;
    return this.#commits.run(() =>
      attempt(() => {
        const value = work(engine);
        this.#announce(engine);
        return value;
      }),
    );
  }

  /** Runs `work` on the ledger, as a result that survives the way to the caller. */
  async #withEngine<T>(work: (engine: LedgerEngine) => T): Promise<Result<T>> {
    const engine = this.#engine ?? (await this.#adopt());
    return engine === undefined ? NOT_CREATED : attempt(() => work(engine));
  }

  /** An object that does not know itself asks the catalogue: its creation may have been cut off after the row was made. */
  async #adopt(): Promise<LedgerEngine | undefined> {
    const name = this.ctx.id.name;
    const ledger = name === undefined ? undefined : await LedgerCatalogue.from(this.env).find(name);
    if (ledger !== undefined) this.create(ledger);
    return this.#engine;
  }

  /**
   * Sends one message for all commits of a short while, and the next one when that is confirmed: a consumer that lags
   * gets larger ranges, never the same one twice. The alarm is set in the turn of the first commit, so that it is stored
   * with it: whatever happens to the message, the events follow.
   */
  #announce(engine: LedgerEngine): void {
    if (engine.publishedLogId >= engine.lastLogId) return;
    if (!this.#isAlarmSet) this.#armAlarm();
    if (this.#isAnnouncing || engine.publishedLogId < this.#announcedLogId) return;
    this.#isAnnouncing = true;
    const isBusy = Date.now() < this.#busyUntilMs;
    setTimeout(
      () => {
        this.#isAnnouncing = false;
        this.ctx.waitUntil(this.#send(engine));
      },
      isBusy ? ANNOUNCE_DELAY_BUSY_MS : ANNOUNCE_DELAY_MS,
    );
  }

  #armAlarm(): void {
    this.#isAlarmSet = true;
    // Not awaited on purpose: the write is part of this turn's commit, and the answer waits for that.
    void this.ctx.storage.setAlarm(Date.now() + RESEND_DELAY_MS);
  }

  async #send(engine: LedgerEngine): Promise<void> {
    const message: EventsMessage = {
      ledger: engine.info.name,
      from: engine.publishedLogId + 1,
      to: Math.min(engine.lastLogId, engine.publishedLogId + ANNOUNCED_MAX),
    };
    this.#announcedLogId = message.to;
    if (message.to - message.from >= BUSY_ENTRIES) this.#busyUntilMs = Date.now() + BUSY_MS;
    try {
      await this.env.EVENTS.send(message);
    } catch (error) {
      this.#announcedLogId = 0;
      logError("events were not announced; the alarm repeats it", error, {
        ledger: engine.info.name,
      });
    }
  }
}
