import { toBulkResult } from "./bulk-results.ts";
import { withLedgerErrors, type Entry } from "./error.ts";
import {
  assertInteger,
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
import {
  EVERY_VOLUME,
  type LedgerListing,
  LedgerLists,
  type LedgerMethod,
} from "./ledger-lists.ts";
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
import { toAccount, toSchema, toTransaction } from "./views.ts";
import { type Command, type LedgerEngine, type Outcome, queryTemplateOf } from "#ledger-engine";
import type { Runtime } from "#numscript";
import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";

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
  readonly #accountVolumes: { readonly volumes: boolean; readonly effectiveVolumes: boolean };
  readonly #lists: LedgerLists;
  #isClosed = false;

  constructor(engine: LedgerEngine, options: EmbeddedOptions) {
    this.#engine = engine;
    this.#options = options;
    const { MOVES_HISTORY } = engine.info.features;
    this.#accountVolumes = { volumes: MOVES_HISTORY === "ON", effectiveVolumes: false };
    this.#lists = new LedgerLists((name, work) => this.#with(name, work), this.#accountVolumes);
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
    const list = this.#lists.prepare("transactions", order, () => ({
      columns: { id: "integer" },
      scope: toScope({ where, pit }),
    }));
    yield* this.#lists.transactions(list);
  }

  *accounts({ order = "asc", where, pit }: PublicListOptions = {}): Generator<PublicAccount> {
    const list = this.#lists.prepare("accounts", order, () => ({
      columns: { address: "text" },
      scope: toScope({ where, pit }),
    }));
    yield* this.#lists.accounts(list);
  }

  *volumes(options: VolumeOptions = {}): Generator<VolumeEntry> {
    const { order = "asc", where, startTime, endTime } = options;
    const list = this.#lists.prepare("volumes", order, () => ({
      columns: { account: "text" },
      scope: {
        ...toScope({ where, oot: startTime, pit: endTime }),
        options: { ...toVolumeListOptions(options) },
      },
    }));
    yield* this.#lists.volumes(list);
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
    yield* this.#lists.logsAfter(after);
  }

  getSchema(version: string): Schema {
    return this.#with("getSchema", ({ reads }) => {
      const found = reads.findSchema(version);
      if (found !== undefined) return toSchema(found);
      throw new AppError("NOT_FOUND", `schema version '${version}' not found`);
    });
  }

  *schemas({ order = "desc", where, pit }: PublicListOptions = {}): Generator<Schema> {
    const list = this.#lists.prepare("schemas", order, () => ({
      columns: { created_at: "date" },
      scope: toScope({ where, pit }),
    }));
    yield* this.#lists.schemas(list);
  }

  runQuery(schemaVersion: string, id: string, run: QueryRun = {}): QueryResult {
    const name = "runQuery";
    const { resource, ...rest } = this.#with(name, ({ reads }) => {
      const query = queryTemplateOf(reads.findSchema(schemaVersion), { schemaVersion, id });
      return toQueryList(query, toQueryRequest(run));
    });
    const list: LedgerListing = { name, ...rest };
    switch (resource) {
      case "transactions":
        return { resource, items: this.#lists.transactions(list) };
      case "accounts":
        return { resource, items: this.#lists.accounts(list) };
      case "logs":
        return { resource, items: this.#lists.logs(list) };
      case "volumes":
        return { resource, items: this.#lists.volumes(list) };
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

  #commit(
    name: LedgerMethod,
    toCommand: () => Command,
    options: PublicWriteOptions,
  ): PublicTransaction {
    const { transaction } = this.#execute(name, toCommand, options);
    // The engine checks an idempotency key against its command, so that a replay gives the same kind of result.
    return toTransaction(present(transaction, "a commit makes a transaction"));
  }

  #execute(name: LedgerMethod, toCommand: () => Command, options: PublicWriteOptions): Outcome {
    return this.#write(name, (engine) => engine.execute(toCommand(), toWriteOptions(options)));
  }

  /** Does a write, and reports its violations afterwards, because the callback may write again. */
  #write<T>(name: LedgerMethod, work: (engine: LedgerEngine) => T): T {
    const { violations, onViolation } = this.#options;
    violations.length = 0; // Drops the violations of an earlier, refused write.
    const result = this.#with(name, work);
    for (const violation of violations.splice(0)) onViolation(violation);
    return result;
  }

  #with<T>(name: LedgerMethod, work: (engine: LedgerEngine) => T): T {
    return withLedgerErrors(this.#entry(name), () => {
      if (this.#isClosed) throw new AppError("LEDGER_NOT_FOUND", "the ledger is closed");
      return work(this.#engine);
    });
  }

  #entry(name: LedgerMethod): Entry {
    return this[name];
  }
}

const accountTarget = (targetId: string): PublicTarget => ({ targetType: "ACCOUNT", targetId });
const transactionTarget = (targetId: number): PublicTarget => ({
  targetType: "TRANSACTION",
  targetId,
});
