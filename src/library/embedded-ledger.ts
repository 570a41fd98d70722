import { toBulkResult } from "./bulk-results.ts";
import { withLedgerErrors, type Entry } from "./error.ts";
import {
  assertInteger,
  assertOrder,
  toAddMetadata,
  toBulkElements,
  toBulkOptions,
  toCreate,
  toDeleteMetadata,
  toInsertion,
  toQueryRequest,
  toRevert,
  toScope,
  toVolumeListOptions,
  toWriteOptions,
} from "./input.ts";
import type { PublicLedger } from "./ledger-type.ts";
import { toQueryList } from "./query-lists.ts";
import type {
  BalanceOptions,
  BulkResult,
  LogOptions,
  NewSchema,
  NewTransaction,
  PublicAccount,
  PublicBulkElement,
  PublicBulkOptions,
  PublicFeatures,
  PublicListOptions,
  PublicLogEntry,
  PublicMetadata,
  PublicTarget,
  PublicTransaction,
  PublicWriteOptions,
  QueryResult,
  QueryRun,
  RevertOptions,
  Schema,
  Verification,
  VolumeEntry,
  VolumeOptions,
} from "./types.ts";
import { toAccount, toLogEntry, toSchema, toTransaction, toVolumeEntry } from "./views.ts";
import { type Command, type LedgerEngine, type Outcome, queryTemplateOf } from "#ledger-engine";
import type { Runtime } from "#numscript";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import { type Page } from "#platform/paging/pagination.ts";
import { type ListScope, type PageQuery } from "#platform/paging/query.ts";

/** Items that an iterator reads at once. The number is small, because the caller may stop at any time. */
const PAGE_SIZE = 100;
const LOGS_LIMITS = { countMax: PAGE_SIZE, bytesMax: 4_000_000 };

const EVERY_VOLUME = { volumes: true, effectiveVolumes: true };

/** The name of a public method. The stack trace of an error starts at the called method. */
type Method = Exclude<keyof PublicLedger, "name" | "features" | "close">;

/** The parts of an open ledger besides its engine. */
export interface EmbeddedOptions {
  /** The runtime of scripts without a runtime of their own. */
  readonly runtime: Runtime;
  /** The schema violations of the engine's writes. */
  readonly violations: string[];
  readonly onViolation: (violation: string) => void;
  readonly verify: () => Verification;
  readonly closeStorage: () => void;
}

/** The public API of an engine, which translates arguments into commands and results into public types. */
export class EmbeddedLedger implements PublicLedger {
  readonly #engine: LedgerEngine;
  readonly #options: EmbeddedOptions;
  #isClosed = false;

  constructor(engine: LedgerEngine, options: EmbeddedOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  get name(): string {
    return this.#engine.info.name;
  }

  get features(): PublicFeatures {
    return this.#engine.info.features;
  }

  createTransaction(
    transaction: NewTransaction,
    options: PublicWriteOptions = {},
  ): PublicTransaction {
    return this.#commit("createTransaction", () => toCreate(transaction), options);
  }

  revertTransaction(id: number, options: RevertOptions = {}): PublicTransaction {
    return this.#commit("revertTransaction", () => toRevert(id, options), options);
  }

  addAccountMetadata(
    address: string,
    metadata: PublicMetadata,
    options: PublicWriteOptions = {},
  ): void {
    this.#execute(
      "addAccountMetadata",
      () => toAddMetadata(accountTarget(address), metadata),
      options,
    );
  }

  deleteAccountMetadata(address: string, key: string, options: PublicWriteOptions = {}): void {
    this.#execute(
      "deleteAccountMetadata",
      () => toDeleteMetadata(accountTarget(address), key),
      options,
    );
  }

  addTransactionMetadata(
    id: number,
    metadata: PublicMetadata,
    options: PublicWriteOptions = {},
  ): void {
    this.#execute(
      "addTransactionMetadata",
      () => toAddMetadata(transactionTarget(id), metadata),
      options,
    );
  }

  deleteTransactionMetadata(id: number, key: string, options: PublicWriteOptions = {}): void {
    this.#execute(
      "deleteTransactionMetadata",
      () => toDeleteMetadata(transactionTarget(id), key),
      options,
    );
  }

  bulk(elements: readonly PublicBulkElement[], options: PublicBulkOptions = {}): BulkResult[] {
    return this.#write("bulk", (engine) => {
      const wanted = toBulkOptions(options);
      const results = engine.executeBulk(toBulkElements(elements), wanted);
      const isUndone = wanted.atomic && results.some(({ ok }) => !ok);
      if (isUndone) this.#options.violations.length = 0;
      return elements.map((_, index) =>
        toBulkResult(results[index], { isUndone, entry: this.#entry("bulk") }),
      );
    });
  }

  insertSchema(version: string, schema: NewSchema, options: PublicWriteOptions = {}): void {
    const { runtime } = this.#options;
    this.#execute("insertSchema", () => toInsertion(version, schema, { runtime }), options);
  }

  getTransaction(id: number): PublicTransaction {
    return this.#with("getTransaction", (engine) => {
      assertInteger(id, "transaction id");
      const found = engine.reads.findTransaction(id, EVERY_VOLUME);
      if (found === undefined) throw new AppError("NOT_FOUND", `transaction ${id} not found`);
      return toTransaction(found);
    });
  }

  getAccount(address: string): PublicAccount {
    return this.#with("getAccount", (engine) => {
      const found = engine.reads.findAccount(address, this.#accountVolumes);
      if (found === undefined) throw new AppError("NOT_FOUND", `account '${address}' not found`);
      return toAccount(found);
    });
  }

  balance(address: string, asset: string): bigint {
    return this.#with("balance", (engine) => {
      const account = engine.reads.findAccount(address, { volumes: true, effectiveVolumes: false });
      const volumes = account?.volumes?.find((entry) => entry.asset === asset);
      return volumes === undefined ? 0n : volumes.input - volumes.output;
    });
  }

  *transactions({
    order = "asc",
    where,
    pit,
  }: PublicListOptions = {}): Generator<PublicTransaction> {
    const list = this.#listOf("transactions", order, () => ({
      columns: { id: "integer" },
      scope: toScope({ where, pit }),
    }));
    yield* this.#transactions(list);
  }

  *accounts({ order = "asc", where, pit }: PublicListOptions = {}): Generator<PublicAccount> {
    const list = this.#listOf("accounts", order, () => ({
      columns: { address: "text" },
      scope: toScope({ where, pit }),
    }));
    yield* this.#accounts(list);
  }

  *volumes(options: VolumeOptions = {}): Generator<VolumeEntry> {
    const { order = "asc", where, startTime, endTime } = options;
    const list = this.#listOf("volumes", order, () => ({
      columns: { account: "text" },
      scope: {
        ...toScope({ where, oot: startTime, pit: endTime }),
        options: { ...toVolumeListOptions(options) },
      },
    }));
    yield* this.#volumes(list);
  }

  aggregateBalances(options: BalanceOptions = {}): Readonly<Record<string, bigint>> {
    return this.#with("aggregateBalances", ({ reads }) => {
      const { insertionDate } = toVolumeListOptions(options);
      const balances = reads.aggregateBalances({
        ...toScope(options),
        useInsertionDate: insertionDate,
      });
      return Object.fromEntries(balances.map(({ asset, balance }) => [asset, balance]));
    });
  }

  *logs({ after = 0 }: LogOptions = {}): Generator<PublicLogEntry> {
    this.#with("logs", () => assertInteger(after, "log id"));
    let last = after;
    for (;;) {
      const entries = this.#with("logs", (engine) =>
        engine.readLogs(last + 1, engine.lastLogId, LOGS_LIMITS),
      );
      yield* entries.map(toLogEntry);
      const end = entries.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  getSchema(version: string): Schema {
    return this.#with("getSchema", ({ reads }) => {
      const found = reads.findSchema(version);
      if (found !== undefined) return toSchema(found);
      throw new AppError("NOT_FOUND", `schema version '${version}' not found`);
    });
  }

  *schemas({ order = "desc", where, pit }: PublicListOptions = {}): Generator<Schema> {
    const list = this.#listOf("schemas", order, () => ({
      columns: { created_at: "date" },
      scope: toScope({ where, pit }),
    }));
    const pages = this.#pages(list, ({ reads }, query) => reads.listSchemas(query));
    for (const page of pages) yield* page.map(toSchema);
  }

  runQuery(schemaVersion: string, id: string, run: QueryRun = {}): QueryResult {
    const name = "runQuery";
    const { resource, ...rest } = this.#with(name, ({ reads }) => {
      const query = queryTemplateOf(reads.findSchema(schemaVersion), { schemaVersion, id });
      return toQueryList(query, toQueryRequest(run));
    });
    const list: List = { name, ...rest };
    switch (resource) {
      case "transactions":
        return { resource, items: this.#transactions(list) };
      case "accounts":
        return { resource, items: this.#accounts(list) };
      case "logs":
        return { resource, items: this.#logs(list) };
      case "volumes":
        return { resource, items: this.#volumes(list) };
    }
  }

  verify(): Verification {
    return this.#with("verify", () => this.#options.verify());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.closeStorage();
  }

  #commit(name: Method, toCommand: () => Command, options: PublicWriteOptions): PublicTransaction {
    const { transaction } = this.#execute(name, toCommand, options);
    // The engine checks an idempotency key against its command, so that a replay gives the same kind of result.
    return toTransaction(present(transaction, "a commit makes a transaction"));
  }

  #execute(name: Method, toCommand: () => Command, options: PublicWriteOptions): Outcome {
    return this.#write(name, (engine) => engine.execute(toCommand(), toWriteOptions(options)));
  }

  /** Does a write, and reports its violations afterwards, because the callback may write again. */
  #write<T>(name: Method, work: (engine: LedgerEngine) => T): T {
    const { violations, onViolation } = this.#options;
    violations.length = 0; // Drops the violations of an earlier, refused write.
    const result = this.#with(name, work);
    for (const violation of violations.splice(0)) onViolation(violation);
    return result;
  }

  *#transactions(list: List): Generator<PublicTransaction> {
    const pages = this.#pages(list, ({ reads }, query) =>
      reads.listTransactions(query, EVERY_VOLUME),
    );
    for (const page of pages) yield* page.map(toTransaction);
  }

  *#accounts(list: List): Generator<PublicAccount> {
    const pages = this.#pages(list, ({ reads }, query) =>
      reads.listAccounts(query, this.#accountVolumes),
    );
    for (const page of pages) yield* page.map(toAccount);
  }

  *#volumes(list: List): Generator<VolumeEntry> {
    const pages = this.#pages(list, ({ reads }, query) => reads.listVolumes(query));
    for (const page of pages) yield* page.map(toVolumeEntry);
  }

  *#logs(list: List): Generator<PublicLogEntry> {
    const pages = this.#pages(list, ({ reads }, query) => reads.listLogs(query));
    // The engine caches entries, which a caller must not change.
    for (const page of pages) yield* page.map((entry) => toLogEntry(structuredClone(entry)));
  }

  /** Iterates over a list. Throws for arguments that are not valid. */
  #listOf(
    name: Method,
    order: "asc" | "desc",
    toRest: () => Pick<List, "columns" | "scope">,
  ): List {
    return this.#with(name, () => {
      assertOrder(order);
      return { name, order, ...toRest() };
    });
  }

  *#pages<T>(
    { name, columns, order, scope }: List,
    read: (engine: LedgerEngine, query: PageQuery) => Page<T>,
  ): Generator<readonly T[]> {
    const [column = ""] = Object.keys(columns);
    const common = { ...scope, column, order, pageSize: PAGE_SIZE };
    const { options } = scope;
    const rules = {
      columns,
      pageSizeMax: PAGE_SIZE,
      ...(options === undefined ? {} : { options }),
    };
    let query: PageQuery | undefined = { kind: "column", ...common, reverse: false };
    while (query !== undefined) {
      const wanted: PageQuery = query;
      const page: Page<T> = this.#with(name, (engine) => read(engine, wanted));
      yield page.data;
      const { next } = page;
      query = next === undefined ? undefined : decodeCursor(next, rules);
    }
  }

  get #accountVolumes() {
    return { volumes: this.features.MOVES_HISTORY === "ON", effectiveVolumes: false };
  }

  #with<T>(name: Method, work: (engine: LedgerEngine) => T): T {
    return withLedgerErrors(this.#entry(name), () => {
      if (this.#isClosed) throw new AppError("LEDGER_NOT_FOUND", "the ledger is closed");
      return work(this.#engine);
    });
  }

  #entry(name: Method): Entry {
    return this[name];
  }
}

const accountTarget = (targetId: string): PublicTarget => ({ targetType: "ACCOUNT", targetId });
const transactionTarget = (targetId: number): PublicTarget => ({
  targetType: "TRANSACTION",
  targetId,
});

/** The parts of an iterator: its public method, its single sort column, its order and its scope. */
interface List {
  readonly name: Method;
  readonly columns: SortColumns;
  readonly order: "asc" | "desc";
  readonly scope: ListScope;
}
