import { exportPages } from "./log-export.ts";
import { readLedger, type UpTo, upToNow } from "./reads.ts";
import {
  assertLedgerName,
  assertMetadata,
  parseStoredSchema,
  queryTemplateOf,
  type AccountRecord,
  type AssetBalance,
  type Author,
  type BalanceHistoryQuery,
  type BalanceInterval,
  type BalancesQuery,
  type BulkElement,
  type BulkOptions,
  type Command,
  type CountQuery,
  type LedgerCounts,
  type ImportNote,
  type LedgerReads,
  type NotedEntries,
  type LedgerSchema,
  type LogListEntry,
  type Metadata,
  type MigrationStep,
  type Outcome,
  type QueryTemplate,
  type ReadName,
  type SingleRead,
  type Transaction,
  type VolumeExpansion,
  type VolumeRow,
  type WriteOptions,
} from "#ledger-engine";
import {
  type Ledger,
  LedgerCatalogue,
  type NewLedger,
  toLedgerInfo,
  unknownLedger,
} from "#modules/catalogue/index.ts";
import { wholeCount, wholePage } from "#modules/ledger/answers/whole-page.ts";
import {
  type ExecuteBulk,
  executeAtomically,
  executeInBatches,
  type StreamOutcome,
} from "#modules/ledger/bulk/bulk-stream.ts";
import type { StreamElement } from "#modules/ledger/bulk/elements.ts";
import { bounded, type BulkSettings } from "#modules/ledger/bulk/limits.ts";
import { importInBatches, type SendEntries } from "#modules/ledger/bulk/log-import.ts";
import type { ElementPace } from "#modules/ledger/bulk/paced.ts";
import {
  authorOf,
  checkedRequest,
  ledgerObject,
  type LedgerStub,
  READ_OF_LEDGER,
  TO_LEDGER,
  unknownAccount,
  unknownTransaction,
} from "#modules/ledger/object-calls.ts";
import type { BulkProgress } from "#modules/ledger/objects/bulk-progress.ts";
import type { Caused } from "#modules/ledger/objects/entry-causes.ts";
import type { ledgerSettings } from "#modules/ledger/settings.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { newId } from "#platform/ids.ts";
import { stringifyOwn } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { callObject, type ObjectCall } from "#platform/objects/call.ts";
import { assertLocation, type ObjectLocation } from "#platform/objects/location.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import { type PageQuery } from "#platform/paging/query.ts";
import type { Result } from "#platform/result.ts";
import type { SettingsOf } from "#platform/settings.ts";
import { currentCause } from "#platform/tracing/cause.ts";

/** The call that creates a ledger's object. The ledger exists without it, so that the client does not wait for an object that hangs. */
const MAKING_OF_LEDGER: ObjectCall = { ...READ_OF_LEDGER, timeoutMs: 5000 };
/** The call of an audit. It may be repeated like a read, because the audit goes on from where it is. */

/** The use cases of the ledger module: the catalogue in D1, and each ledger in its object. */
export class LedgerService {
  readonly #catalogue: LedgerCatalogue;
  readonly #context: ServiceContext;
  /** The author of all writes, the number of triggers that led to them, and their cause. */
  readonly #origin: Pick<WriteOptions, "author" | "causationDepth"> & Caused;

  constructor(catalogue: LedgerCatalogue, context: ServiceContext) {
    this.#catalogue = catalogue;
    this.#context = context;
    const { principal, causationDepth } = context;
    const cause = currentCause()?.toText();
    this.#origin = { author: authorOf(principal), causationDepth, cause };
  }

  static from(context: ServiceContext): LedgerService {
    return new LedgerService(LedgerCatalogue.from(context.env), context);
  }

  /**
   * Creates a ledger. The catalogue's row decides which of several requests was first. If the object is not created then, it creates itself
   * at its first use.
   */
  async createLedger(
    ledger: NewLedger,
    settings: SettingsOf<typeof ledgerSettings>,
  ): Promise<void> {
    const info = toLedgerInfo(ledger, { mayChoose: settings.FLORIN_EXPERIMENTAL_FEATURES });
    const { name, metadata, location } = ledger;
    if (location !== undefined) assertLocation(this.#context.env, location);
    const row = { ...info, metadata, location, addedAt: systemClock() };
    await this.#catalogue.insert(row, this.#audited("create", name));
    try {
      await callObject(this.#object(name, location).assertCreated(), MAKING_OF_LEDGER);
    } catch (error) {
      // The ledger exists from its row on, and the object creates itself when it is first used.
      logError("the object of a ledger is made at its next call", error, { ledger: name });
    }
  }

  /** Whether a ledger of this name exists or was deleted. Throws `VALIDATION` for a name that no ledger can have. */
  async isNameTaken(name: string): Promise<boolean> {
    assertLedgerName(name);
    return this.#catalogue.isNameTaken(name);
  }

  /** Reads a ledger of the catalogue. Throws `NOT_FOUND`, which the route of a ledger answers, and not `LEDGER_NOT_FOUND`. */
  async getLedger(name: string): Promise<Ledger> {
    const ledger = await this.#catalogue.find(name);
    if (ledger === undefined) throw unknownLedger(name);
    return ledger;
  }

  /** Adds metadata to a ledger. Throws `NOT_FOUND`. */
  async addLedgerMetadata(name: string, metadata: Metadata): Promise<void> {
    // The metadata is checked first, because the time to merge it grows with the square of the number of keys.
    assertMetadata(metadata);
    const change = this.#audited("update-metadata", name);
    await this.#catalogue.addMetadata(name, metadata, change);
  }

  /** Deletes a key of a ledger's metadata; a key that does not exist is no failure. Throws `NOT_FOUND` for an unknown ledger. */
  deleteLedgerMetadata(name: string, key: string): Promise<void> {
    return this.#catalogue.deleteMetadata(name, key, this.#audited("delete-metadata", name));
  }

  countLedger(name: string): Promise<LedgerCounts> {
    return callObject(this.#object(name).counts(), READ_OF_LEDGER);
  }

  /** The migrations of a ledger's tables. */
  listMigrations(name: string): Promise<MigrationStep[]> {
    return callObject(this.#object(name).migrations(), READ_OF_LEDGER);
  }

  listLedgers(query: PageQuery): Promise<Page<Ledger>> {
    return this.#catalogue.list(query, this.#context.principal);
  }

  listLedgerNames(countMax: number): Promise<string[]> {
    return this.#catalogue.listNames(countMax, this.#context.principal);
  }

  /** Executes the command that `toCommand` makes of a request. */
  async execute(ledger: string, toCommand: () => Command, options: WriteOptions): Promise<Outcome> {
    const object = this.#object(ledger);
    const command = await checkedRequest(object, toCommand);
    return callObject(object.execute(command, { ...options, ...this.#origin }), TO_LEDGER);
  }

  /** Commits or reverts a transaction, by the command that `toCommand` makes of a request. Returns the new transaction. */
  async commit(
    ledger: string,
    toCommand: () => Command,
    options: WriteOptions,
  ): Promise<{ transaction: Transaction; isReplay: boolean }> {
    const { transaction, isReplay } = await this.execute(ledger, toCommand, options);
    // An idempotency key is checked against the command, so that a replay has the same kind.
    if (transaction === undefined) throw new Error("a commit made no transaction");
    return { transaction, isReplay };
  }

  /** Executes the elements that `toElements` makes of a request. Throws `BULK_SIZE_EXCEEDED` for too many elements. */
  async executeBulk(
    ledger: string,
    toElements: () => readonly BulkElement[],
    { settings, ...options }: BulkOptions & { readonly settings: BulkSettings },
  ): Promise<Result<Outcome>[]> {
    const object = this.#object(ledger);
    const elements = await checkedRequest(object, () => bounded(toElements(), settings));
    return callObject(object.executeBulk(elements, { ...options, ...this.#origin }), TO_LEDGER);
  }

  /** Executes the scripts that `toElements` makes, up to the first failure. A command with amounts as bigints throws `TypeError`. */
  async executeUntilFailure(
    ledger: string,
    toElements: () => readonly BulkElement[],
    options: Omit<BulkOptions, "atomic" | "continueOnFailure">,
  ): Promise<BulkProgress> {
    const object = this.#object(ledger);
    const elements = await checkedRequest(object, toElements);
    const authored = { ...options, ...this.#origin };
    const text = stringifyOwn(elements, { hasBigints: false });
    return callObject(object.executeUntilFailure(text, authored), TO_LEDGER);
  }

  /** Executes the elements of a stream as they arrive, or, with `atomic`, all at its end. */
  async executeStream(
    ledger: string,
    elements: AsyncIterable<Result<StreamElement>>,
    options: BulkOptions,
  ): Promise<StreamOutcome> {
    const object = this.#object(ledger);
    // Nothing is read for an unknown ledger. A ledger that gets the same name meanwhile gets nothing of the stream.
    const uuid = await callObject(object.assertCreated(), READ_OF_LEDGER);
    const common = { schemaVersion: options.schemaVersion ?? "", ...this.#origin };
    const execute: ExecuteBulk = (batch, switches) =>
      callObject(object.executeBulk(batch, { ...switches, ...common }, uuid), TO_LEDGER);
    return options.atomic
      ? executeAtomically(elements, execute, options)
      : executeInBatches(elements, execute, options);
  }

  /**
   * The transactions of log entries, by the ids of the entries: of the first entries, at least one. The call fails like a write, because it
   * reads the outcome of one.
   */
  async readCommitted(
    ledger: string,
    logIds: readonly number[],
  ): Promise<ReadonlyMap<number, Transaction>> {
    const committed = await callObject(this.#object(ledger).readCommitted(logIds), TO_LEDGER);
    return new Map(committed.map(({ logId, transaction }) => [logId, transaction]));
  }

  /** Reads a transaction. Throws `NOT_FOUND`. */
  async getTransaction(ledger: string, id: number, read: SingleRead): Promise<Transaction> {
    const found = await this.#read(ledger, "findTransaction", [id, read]);
    if (found === undefined) throw unknownTransaction(id);
    return found;
  }

  listTransactions(
    ledger: string,
    query: PageQuery,
    expansion: VolumeExpansion,
  ): Promise<Page<Transaction>> {
    return wholePage(query, (part) => this.#read(ledger, "listTransactions", [part, expansion]));
  }

  countTransactions(ledger: string, query: CountQuery): Promise<number> {
    return this.#count(ledger, "countTransactions", query);
  }

  /** Reads an account. Throws `NOT_FOUND`. */
  async getAccount(ledger: string, address: string, read: SingleRead): Promise<AccountRecord> {
    const found = await this.#read(ledger, "findAccount", [address, read]);
    if (found === undefined) throw unknownAccount(address);
    return found;
  }

  listAccounts(
    ledger: string,
    query: PageQuery,
    expansion: VolumeExpansion,
  ): Promise<Page<AccountRecord>> {
    return wholePage(query, (part) => this.#read(ledger, "listAccounts", [part, expansion]));
  }

  countAccounts(ledger: string, query: CountQuery): Promise<number> {
    return this.#count(ledger, "countAccounts", query);
  }

  listVolumes(ledger: string, query: PageQuery): Promise<Page<VolumeRow>> {
    return this.#read(ledger, "listVolumes", [query]);
  }

  aggregateBalances(ledger: string, query: BalancesQuery): Promise<AssetBalance[]> {
    return this.#read(ledger, "aggregateBalances", [query]);
  }

  /** The history of an account's balance up to `endTime`, or now. Throws `NOT_FOUND` where the account never had the asset. */
  readBalanceHistory(ledger: string, query: UpTo<BalanceHistoryQuery>): Promise<BalanceInterval[]> {
    return this.#read(ledger, "balanceHistory", [upToNow(query)]);
  }

  /** Reads a version of the schema. Throws `NOT_FOUND`. */
  async getSchema(ledger: string, version: string): Promise<LedgerSchema> {
    const schema = await this.#read(ledger, "findSchema", [version]);
    if (schema !== undefined) return parseStoredSchema(schema);
    throw new AppError("NOT_FOUND", `schema version '${version}' not found`);
  }

  async listSchemas(ledger: string, query: PageQuery): Promise<Page<LedgerSchema>> {
    return mapPage(await this.#read(ledger, "listSchemas", [query]), parseStoredSchema);
  }

  /** A query template of a schema, by its id. Throws `VALIDATION` where there is none. */
  async getQueryTemplate(
    ledger: string,
    query: { readonly schemaVersion: string; readonly id: string },
  ): Promise<QueryTemplate> {
    return queryTemplateOf(await this.#read(ledger, "findSchema", [query.schemaVersion]), query);
  }

  listLogs(ledger: string, query: PageQuery): Promise<Page<LogListEntry>> {
    return this.#read(ledger, "listLogs", [query]);
  }

  listImportNotes(ledger: string, query: PageQuery): Promise<Page<ImportNote>> {
    return this.#read(ledger, "listImportNotes", [query]);
  }

  /** The author of a log entry; undefined where the author is unknown. Throws `NOT_FOUND`. */
  async getAuthor(ledger: string, logId: number): Promise<Author | undefined> {
    const entry = await this.#read(ledger, "findAuthor", [logId]);
    if (entry === undefined) throw new AppError("NOT_FOUND", `log ${logId} not found`);
    return entry.author;
  }

  /** The entries that the log has now, as JSON, one on each line, which are read while they are taken. Throws as `exportPages` does. */
  exportLogs(ledger: string): AsyncGenerator<string, undefined> {
    return exportPages(this.#object(ledger));
  }

  /**
   * Imports exported entries, as they arrive, into a ledger that has no writes of its own. Returns which entries are odd. Throws `IMPORT`
   * or `VALIDATION`.
   */
  async importLogs(
    ledger: string,
    chunks: AsyncIterable<Uint8Array>,
    pace?: ElementPace,
  ): Promise<NotedEntries> {
    const object = this.#object(ledger);
    const importId = newId();
    let uuid: string | undefined;
    try {
      const send: SendEntries = async (batch) => {
        uuid ??= await callObject(object.assertCreated(), READ_OF_LEDGER);
        const authored = { ...batch, author: this.#origin.author };
        return callObject(object.importLogs(authored, { importId, uuid }), TO_LEDGER);
      };
      return await importInBatches(chunks, send, pace);
    } finally {
      // An error here is only logged, because it would hide why the import was refused. An import that is not ended ends by itself.
      await object.endImport(importId).catch((error: unknown) => {
        logError("an import could not be ended; it ends by itself", error, { ledger });
      });
    }
  }

  #audited(verb: string, ledger: string): AuditedChange {
    const action = { action: `ledger.ledger.${verb}`, object: `ledgers/${ledger}` };
    return new AuditedChange(this.#context, action);
  }

  #read<N extends ReadName>(
    ledger: string,
    name: N,
    args: Parameters<LedgerReads[N]>,
  ): Promise<ReturnType<LedgerReads[N]>> {
    return readLedger(this.#context, { ledger, name, args });
  }

  #count(
    ledger: string,
    name: "countTransactions" | "countAccounts",
    query: CountQuery,
  ): Promise<number> {
    return wholeCount((after) => this.#read(ledger, name, [query, after]));
  }

  #object(ledger: string, location?: ObjectLocation): LedgerStub {
    return ledgerObject(this.#context.env, ledger, location);
  }
}
