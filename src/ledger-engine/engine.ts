import { ENGINE_SETTINGS, type EngineSettings } from "./engine-settings.ts";
import { LedgerReads } from "./read/ledger-reads.ts";
import { keepsEffectiveVolumes } from "./read/scan/account-volumes.ts";
import { isDerivable } from "./rules/log/idempotency.ts";
import type { LedgerCounts } from "./rules/reads.ts";
import type { Command, LedgerInfo, LogEntry, EntryHead } from "./rules/types.ts";
import type {
  BulkElement,
  BulkOptions,
  CommittedTransaction,
  Outcome,
  WriteOptions,
} from "./rules/writes.ts";
import { Authorship } from "./storage/authorship.ts";
import { Causation } from "./storage/causation.ts";
import { insertLedgerRow, readLedgerRow } from "./storage/ledger-row.ts";
import { LogReader } from "./storage/log/log-reader.ts";
import { type RangeLimits, readHeads } from "./storage/log/log-tables.ts";
import { isCreated, migrateToEnd } from "./storage/migrations.ts";
import { StoredNames } from "./storage/names/names.ts";
import { SchemaStore } from "./storage/schema-store.ts";
import { TransactionReader } from "./storage/transaction-reader.ts";
import { WriteBatch } from "./storage/write-batch.ts";
import { BulkLimits, BulkOverflow, stepsOf, toBrief } from "./write/bulk-limits.ts";
import { CommandRunner } from "./write/command-runner.ts";
import { EffectiveVolumes } from "./write/effective-volumes.ts";
import { EntryAppender } from "./write/entry-appender.ts";
import { EntryBuilder } from "./write/entry-builder.ts";
import { findReplay, idempotencyHash } from "./write/idempotency.ts";
import { LogClock } from "./write/log-clock.ts";
import { type ImportBatch, type ImportOutcome, LogImporter } from "./write/log-importer.ts";
import { decodeAhead, type LogRowPage, ReplayError, type StoredLogRow } from "./write/log-rows.ts";
import { LogWriter, transactionOf } from "./write/log-writer.ts";
import type { DecodedEntry } from "./write/pending-entry.ts";
import { elementsAhead } from "./write/prefetched-items.ts";
import { SchemaRequirement } from "./write/schema-requirement.ts";
import { assert } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { type Result, toFailure } from "#platform/result.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** The options of an element of a bulk. */
interface ElementOptions extends Pick<WriteOptions, "author" | "causationDepth"> {
  readonly schemaVersion: string;
  readonly now: Timestamp;
}

/**
 * One ledger. All changes take the path of `PendingEntry`: commands by `execute` and `executeBulk`, entries of other logs by
 * `replay` and `importLogs`. The engine is synchronous and knows no runtime; the time comes from the clock.
 */
export class LedgerEngine {
  readonly #sql: Sql;
  readonly #clock: LogClock;
  readonly #settings: EngineSettings;
  readonly #batch: WriteBatch;
  readonly #names: StoredNames;
  readonly #transactions: TransactionReader;
  readonly #logs: LogReader;
  readonly #entries: EntryBuilder;
  readonly #schemas: SchemaStore;
  readonly #requirement: SchemaRequirement;
  readonly #runner: CommandRunner;
  readonly #importer: LogImporter;
  readonly info: LedgerInfo;
  /** The reads of the ledger. They may run between any two commands. */
  readonly reads: LedgerReads;
  readonly #log: LogWriter;
  readonly #authorship: Authorship;
  readonly causation: Causation;
  #publishedLog: number;
  readonly #appender: EntryAppender;

  /** Creates an empty ledger, if there is none yet. */
  static create(sql: Sql, info: LedgerInfo): void {
    if (isCreated(sql)) return;
    sql.transaction(() => {
      migrateToEnd(sql);
      insertLedgerRow(sql, info);
    });
  }

  /** Opens the ledger of `create`. `migrate` must have said that its tables can be read. */
  constructor(sql: Sql, clock: Clock, settings: EngineSettings = ENGINE_SETTINGS) {
    this.#sql = sql;
    this.#settings = settings;
    const { info, publishedLog } = readLedgerRow(sql);
    this.info = info;
    this.#publishedLog = publishedLog;
    this.#batch = new WriteBatch(sql, this.info.features);
    this.#names = new StoredNames(sql);
    this.#transactions = new TransactionReader(sql, this.#names);
    const hasEffectiveVolumes = keepsEffectiveVolumes(info.features);
    this.#logs = new LogReader(sql, this.#transactions, {
      keepsEffectiveVolumes: hasEffectiveVolumes,
    });
    this.#schemas = new SchemaStore(sql);
    this.#requirement = new SchemaRequirement(this.#schemas, settings.schemas);
    this.#authorship = new Authorship(sql);
    this.causation = new Causation(sql);
    this.reads = new LedgerReads({
      sql,
      names: this.#names,
      transactions: this.#transactions,
      logs: this.#logs,
      schemas: this.#schemas,
      authorship: this.#authorship,
      features: this.info.features,
      sizes: this.#batch,
      sums: this.#batch.sums,
      countTransactions: () => this.counts().transactions,
      countMetadataPairs: () => this.#entries.metadata.pairs,
    });
    this.#log = new LogWriter(sql, this.#batch, {
      isChained: this.info.features.HASH_LOGS === "SYNC",
    });
    this.#clock = new LogClock(clock, () => this.#log.head.date);
    this.#appender = new EntryAppender({
      log: this.#log,
      authorship: this.#authorship,
      causation: this.causation,
      lastIds: { transaction: Math.max(0, this.#batch.lastTransaction), log: this.lastLogId },
    });
    const [batch, transactions, schemas] = [this.#batch, this.#transactions, this.#schemas];
    const effective = hasEffectiveVolumes
      ? new EffectiveVolumes(sql, batch, transactions)
      : undefined;
    this.#entries = new EntryBuilder({ sql, batch, transactions, effective, schemas });
    this.#runner = new CommandRunner({
      batch,
      entries: this.#entries,
      takeTransactionId: () => this.#appender.takeTransactionId(),
      scripts: settings.scripts,
      schemas: settings.schemas,
    });
    this.#importer = new LogImporter({
      sql,
      batch,
      entries: this.#entries,
      schemas,
      transactions,
      head: () => this.#log.head,
      append: (id, pending, options) => this.#appender.appendLogged(id, pending, options),
      steps: () => this.#steps,
      nextHash: (memento) => this.#log.nextHash(memento),
      clock,
    });
  }

  /** The id of the last log entry; 0 if the log is empty. */
  get lastLogId(): number {
    return Math.max(0, this.#log.head.logId);
  }

  /** The id of the last log entry; -1 if the log is empty. An imported log may begin with entry 0. */
  get headLogId(): number {
    return this.#log.head.logId;
  }

  /** The id of the last log entry whose event is known to be published. */
  get publishedLogId(): number {
    return this.#publishedLog;
  }

  /** Executes one command. Throws `AppError` for a refused command, which changes nothing. */
  execute(command: Command, options: WriteOptions): Outcome {
    return this.#unitOfWork(() => this.#run(command, options, this.#clock.now()));
  }

  /**
   * Executes commands in order, each on its own or, with `atomic`, all or none. Returns one result for each command that was
   * tried.
   */
  executeBulk(elements: readonly BulkElement[], options: BulkOptions): Result<Outcome>[] {
    const results: Result<Outcome>[] = [];
    const date = options.atomic ? this.#clock.now() : undefined;
    const rollback = new Error("an atomic bulk failed");
    const limits = new BulkLimits(this.#steps);
    try {
      this.#unitOfWork(() => {
        this.#batch.prefetch(elementsAhead(elements, () => results.length));
        for (const element of elements) {
          const outcome = this.#runElement(element, {
            schemaVersion: options.schemaVersion ?? "",
            author: options.author,
            causationDepth: element.causationDepth ?? options.causationDepth,
            now: date ?? this.#clock.nextReading(),
          });
          const result = options.isPart === true ? toBrief(outcome) : outcome;
          results.push(result);
          const overflow = limits.add(result, this.#steps);
          if (overflow !== undefined && options.isPart !== true) throw overflow;
          this.#batch.flushIfLarge();
          if (overflow !== undefined || (!result.ok && !options.continueOnFailure)) break;
        }
        if (options.atomic && results.some(({ ok }) => !ok)) throw rollback;
      });
    } catch (error) {
      if (error instanceof BulkOverflow) throw error.toAppError();
      if (error !== rollback) throw error;
    }
    return results;
  }

  /**
   * The numbers of transactions and accounts. Transactions are counted at the first call only; later, each new transaction
   * is added.
   */
  counts(): LedgerCounts {
    this.#appender.transactionCount ??= first(
      this.#sql.all<{ count: number }>("SELECT count(*) AS count FROM tx"),
    ).count;
    return { transactions: this.#appender.transactionCount, accounts: this.#batch.accountCount };
  }

  /**
   * Replays log entries of another ledger in one transaction. This ledger must have all earlier entries of the other one. Throws
   * `ReplayError` for an entry that cannot be replayed, and then keeps none.
   */
  replay(pages: Iterable<LogRowPage>): void {
    this.#unitOfWork(() => {
      for (const { row, entry } of decodeAhead(pages, this.#batch)) {
        try {
          this.#replayRow(row, entry());
        } catch (cause) {
          throw new ReplayError(row.id, cause);
        }
        this.#batch.flushIfLarge();
      }
    });
  }

  /** Imports log entries of another ledger in one transaction. The outcome names a refused entry and the reason. */
  importLogs(batch: ImportBatch): ImportOutcome {
    const outcome = this.#unitOfWork(() => this.#importer.take(batch));
    if (outcome.taken > 0) this.#publishedLog = this.lastLogId;
    return outcome;
  }

  /** Reads the log entries of a range: as many as the limits allow, but at least one if there is any. */
  readLogs(from: number, to: number, limits: RangeLimits): LogEntry[] {
    return this.#logs.range(from, to, limits);
  }

  /** Reads the ids, dates and types of the first log entries of a range. */
  readHeads(from: number, to: number, countMax: number): EntryHead[] {
    return readHeads(this.#sql, { from, to }, countMax);
  }

  /** Reads the transactions that the first log entries created: as many as the limit allows, but at least one. */
  readCommitted(logIds: readonly number[], limits: { bytesMax: number }): CommittedTransaction[] {
    return this.#logs.findAll(logIds, limits).flatMap(({ id, data }) => {
      const transaction = transactionOf(data);
      return transaction === undefined ? [] : { logId: id, transaction };
    });
  }

  /** Notes that events up to a log entry are published. The mark never moves back. */
  confirmPublished(to: number): void {
    const reached = Math.min(to, this.#log.head.logId);
    if (reached <= this.#publishedLog) return;
    this.#sql.all("UPDATE ledger SET published_log = ?", reached);
    this.#publishedLog = reached;
  }

  /** Forgets all rows in memory, because a step of a migration has changed stored rows, or a unit of work was rolled back. */
  forgetRows(): void {
    this.#batch.reset();
    this.#names.reset();
    this.#logs.reset();
    this.reads.forgetRows();
    this.#transactions.reset();
    this.#entries.reset();
    this.#schemas.reset();
    this.#authorship.reset();
    this.causation.reset();
    this.#appender.transactionCount = undefined;
  }

  /** The work so far that the number of elements does not bound: of scripts, rewritten moves, schemas and metadata. */
  get #steps(): number {
    const { rewrittenMoves, metadata } = this.#entries;
    const { scriptSteps } = this.#runner;
    const ruleSteps = scriptSteps + this.#schemas.steps;
    return stepsOf({ ruleSteps, rewrittenMoves, metadataPairs: metadata.pairs });
  }

  /** Runs `work` in a transaction of SQL. If it fails, none of its changes remain, neither stored nor in memory. */
  #unitOfWork<T>(work: () => T): T {
    const { head } = this.#log;
    try {
      const result = this.#sql.transaction(() => {
        const value = work();
        this.#batch.flush();
        return value;
      });
      this.#batch.trim();
      this.#schemas.settle();
      return result;
    } catch (error) {
      // A refused command has collected nothing. After any other error, rows in memory may never have been stored.
      if (!(error instanceof AppError)) {
        this.#log.reset(head);
        this.forgetRows();
      }
      this.#batch.trim();
      throw error;
    }
  }

  #runElement(
    { command, idempotencyKey }: BulkElement,
    { schemaVersion, author, causationDepth, now }: ElementOptions,
  ): Result<Outcome> {
    if (!command.ok) return command;
    try {
      const options = { idempotencyKey, schemaVersion, author, causationDepth, dryRun: false };
      const value = this.#run(command.value, options, now);
      return { ok: true, value };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ok: false, failure: toFailure(error) };
    }
  }

  #run(command: Command, options: WriteOptions, now: Timestamp): Outcome {
    const { idempotencyKey, dryRun, author, causationDepth } = options;
    // Without an idempotency key, the hash is stored only if it cannot be derived from the log entry.
    const isHashed = idempotencyKey !== "" || !this.#isDerivable(command, now);
    const keyHash = isHashed ? idempotencyHash(command) : undefined;
    if (keyHash !== undefined && idempotencyKey !== "" && this.#batch.hasKey(idempotencyKey)) {
      if (this.#batch.hasPendingKey(idempotencyKey)) this.#batch.flush();
      const replay = findReplay(this.#logs, { key: idempotencyKey, keyHash });
      if (replay !== undefined) return replay;
    }
    const schema = this.#requirement.schemaOf(command, options.schemaVersion ?? "");
    const pending = this.#runner.decide(command, { now, schema });
    if (schema === undefined) this.#requirement.reportUnnamed(command);
    const logId = this.#appender.takeLogId();
    const written = { now, key: idempotencyKey, keyHash, author, causationDepth };
    if (!dryRun) this.#appender.append(logId, pending, written);
    const { transaction } = pending;
    return transaction === undefined
      ? { logId, isReplay: false }
      : { logId, isReplay: false, transaction };
  }

  #isDerivable(command: Command, now: Timestamp): boolean {
    return this.#settings.scripts.runtime === "machine" && isDerivable(command, now);
  }

  #replayRow(row: StoredLogRow, data: DecodedEntry): void {
    const { id, date, hash, key, keyHash, hasChecksum } = row;
    assert(date >= this.#log.head.date, "dates of log entries never decrease");
    const hashes = { keyHash: keyHash ?? undefined, storedHash: hash ?? undefined };
    const options = { now: date, key: key ?? "", ...hashes, hasChecksum };
    this.#appender.appendLogged(id, this.#entries.replay(data, date), options);
    // The next entry is chained to the stored hash, so that one wrong hash is reported once.
    this.#log.chainTo(hash);
  }
}
