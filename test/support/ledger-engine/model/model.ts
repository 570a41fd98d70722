import { type NaiveSchema, NaiveSchemas } from "./naive-schema.ts";
import { netOf, pairsOf, sumOf } from "./sums.ts";
import {
  type AccountRecord,
  type AccountVolumes,
  type Command,
  type CreateTransaction,
  type DeleteMetadata,
  type LogData,
  type LogEntry,
  type Metadata,
  type RevertTransaction,
  type SetMetadata,
  type Transaction,
  WORLD,
} from "#ledger-engine/rules/types.ts";
import type { FailureKind } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/** The answer to a write by the model. */
export type ModelOutcome =
  | { readonly logId: number; readonly isReplay: boolean; readonly transaction?: Transaction }
  | FailureKind;

/**
 * The rules of a ledger in their plainest form. The model stores no volumes, but adds them up from the list of transactions
 * each time. Its state follows from the log entries alone.
 */
export class LedgerModel {
  #transactions: Transaction[] = [];
  #accounts = new Map<string, AccountRecord>();
  #log: LogEntry[] = [];
  #keys = new Map<string, { text: string; entry: LogEntry }>();
  #schemas = new NaiveSchemas();
  #transactionIds = 0;
  #logIds = 0;

  /** Whether writes that a schema does not allow are refused. */
  readonly #isStrict: boolean;

  constructor({ isStrict = false }: { readonly isStrict?: boolean } = {}) {
    this.#isStrict = isStrict;
  }

  /** Makes the model of a log. */
  static fromLog(entries: readonly LogEntry[]): LedgerModel {
    const model = new LedgerModel();
    for (const entry of entries) model.#apply(entry);
    return model;
  }

  get log(): readonly LogEntry[] {
    return this.#log;
  }

  /** The versions of the ledger's schemas. */
  get versions(): readonly string[] {
    return this.#schemas.versions;
  }

  /** All transactions by id, with their volumes as of now. */
  transactions(): Transaction[] {
    return this.#transactions.map((transaction) => this.#withVolumes(transaction));
  }

  /** All accounts by address, with their current volumes by asset. */
  accounts(): AccountRecord[] {
    return [...this.#accounts.values()]
      .map((account) => ({ ...account, volumes: this.#currentVolumes(account.address) }))
      .toSorted((a, b) => (a.address < b.address ? -1 : 1));
  }

  /** Executes a write at a date; a dry run changes nothing but the counters. */
  execute(command: Command, options: ModelOptions): ModelOutcome {
    const { key, dryRun, now, schemaVersion } = options;
    const known = key === "" ? undefined : this.#keys.get(key);
    if (known !== undefined) {
      return known.text === options.inputs ? outcomeOf(known.entry, true) : "VALIDATION";
    }
    const schema = this.#schemas.find(schemaVersion);
    if (schemaVersion !== "" && schema === undefined) return "NOT_FOUND";
    const mustName = this.versions.length > 0 && command.kind !== "insertSchema";
    if (this.#isStrict && schema === undefined && mustName) return "SCHEMA_NOT_SPECIFIED";
    const data = this.#decide(command, { ...options, schema });
    if (typeof data === "string") return data;
    const entry: LogEntry = {
      id: ++this.#logIds,
      date: now,
      idempotencyKey: key,
      ...(schema === undefined ? {} : { schemaVersion }),
      data,
    };
    if (!dryRun) {
      this.#apply(entry);
      if (key !== "") this.#keys.set(key, { text: options.inputs, entry });
    }
    return outcomeOf(entry, false);
  }

  /** Calls `work`, and undoes its changes if it returns false. The counters keep their values. */
  atomically(work: () => boolean): void {
    const kept = [
      this.#transactions,
      this.#accounts,
      this.#log,
      this.#keys,
      this.#schemas,
    ] as const;
    this.#transactions = [...this.#transactions];
    this.#accounts = new Map(this.#accounts);
    this.#log = [...this.#log];
    this.#keys = new Map(this.#keys);
    if (work()) return;
    [this.#transactions, this.#accounts, this.#log, this.#keys, this.#schemas] = kept;
  }

  /** Evicts the ledger, so that ids that were used up but not stored are given again. */
  evict(): void {
    this.#transactionIds = this.#transactions.at(-1)?.id ?? 0;
    this.#logIds = this.#log.at(-1)?.id ?? 0;
  }

  #decide(command: Command, options: DecideOptions): LogData | FailureKind {
    const { now } = options;
    switch (command.kind) {
      case "createTransaction":
        return this.#create(command, options);
      case "runScript":
        throw new Error("the model knows postings only");
      case "revertTransaction":
        return this.#revert(command, now);
      case "setMetadata":
        return this.#setMetadata(command);
      case "deleteMetadata":
        return this.#deleteMetadata(command);
      case "insertSchema": {
        const { version, text } = command;
        if (this.#schemas.find(version) !== undefined) return "SCHEMA_ALREADY_EXISTS";
        return { type: "INSERTED_SCHEMA", schema: { version, text, createdAt: now } };
      }
    }
  }

  #create(
    command: CreateTransaction,
    { now, schema, template }: DecideOptions,
  ): LogData | FailureKind {
    const { postings, metadata, reference, accountMetadata = {}, timestamp = now } = command;
    const templates = schema?.templates ?? [];
    const isTemplateFit =
      template === undefined ? templates.length === 0 : templates.includes(template);
    if (!isTemplateFit) return "VALIDATION";
    const balances = new Map<string, bigint>();
    const balanceOf = (account: string, asset: string): bigint =>
      balances.get(`${account} ${asset}`) ?? this.#balance(account, asset);
    for (const { source, destination, asset, amount } of postings) {
      const left = balanceOf(source, asset) - amount;
      if (!command.force && source !== WORLD && amount > 0n && left < 0n) {
        return "INSUFFICIENT_FUND";
      }
      balances.set(`${source} ${asset}`, left);
      balances.set(`${destination} ${asset}`, balanceOf(destination, asset) + amount);
    }
    const id = ++this.#transactionIds;
    if (reference !== undefined && this.#transactions.some((it) => it.reference === reference)) {
      return "CONFLICT";
    }
    const moving = postings.flatMap(({ source, destination }) => [source, destination]);
    const isAllowed = schema === undefined || moving.every((address) => schema.allows(address));
    if (this.#isStrict && !isAllowed) return "VALIDATION";
    const transaction = this.#withVolumes({
      id,
      postings,
      metadata,
      timestamp,
      ...(reference === undefined ? {} : { reference }),
      ...(template === undefined ? {} : { template }),
      insertedAt: now,
      updatedAt: now,
    });
    return { type: "NEW_TRANSACTION", transaction, accountMetadata };
  }

  #revert(
    { id, metadata, force, atEffectiveDate }: RevertTransaction,
    now: Timestamp,
  ): LogData | FailureKind {
    const original = this.#transactions.find((it) => it.id === id);
    if (original === undefined) return "NOT_FOUND";
    if (original.revertedAt !== undefined) return "ALREADY_REVERT";
    const isShort = original.postings.some(({ destination, asset }) => {
      const undone = netOf(original.postings, destination, asset);
      return destination !== WORLD && this.#balance(destination, asset) - undone < 0n;
    });
    if (isShort && !force) return "INSUFFICIENT_FUND";
    const reverts = { "com.formance.spec/state/reverts": `${id}` };
    const { volumes = [] } = this.#withVolumes(original);
    return {
      type: "REVERTED_TRANSACTION",
      revertedTransaction: { ...original, updatedAt: now, revertedAt: now, volumes },
      transaction: this.#withVolumes({
        id: ++this.#transactionIds,
        postings: original.postings
          .toReversed()
          .map((it) => ({ ...it, source: it.destination, destination: it.source })),
        metadata: { ...metadata, ...reverts },
        timestamp: atEffectiveDate ? original.timestamp : now,
        insertedAt: now,
        updatedAt: now,
      }),
    };
  }

  #setMetadata({ target, metadata }: SetMetadata): LogData | FailureKind {
    if (target.type === "TRANSACTION" && !this.#transactions.some(({ id }) => id === target.id)) {
      return "NOT_FOUND";
    }
    return { type: "SET_METADATA", target, metadata };
  }

  #deleteMetadata({ target, key }: DeleteMetadata): LogData | FailureKind {
    if (target.type === "TRANSACTION") {
      const found = this.#transactions.find(({ id }) => id === target.id);
      if (found === undefined || !Object.hasOwn(found.metadata, key)) return "NOT_FOUND";
    }
    return { type: "DELETE_METADATA", target, key };
  }

  #apply(entry: LogEntry): void {
    const { data, date } = entry;
    this.#log.push(entry);
    this.#schemas = this.#schemas.after(entry);
    switch (data.type) {
      case "NEW_TRANSACTION":
        this.#addTransaction(data.transaction);
        for (const { source, destination } of data.transaction.postings) {
          this.#use(source, data.transaction.timestamp, entry);
          this.#use(destination, data.transaction.timestamp, entry);
        }
        for (const [address, metadata] of Object.entries(data.accountMetadata)) {
          this.#use(address, data.transaction.timestamp, entry);
          this.#mergeIntoAccount(address, metadata ?? {}, date);
        }
        break;
      case "REVERTED_TRANSACTION":
        this.#change(data.revertedTransaction.id, { revertedAt: date, updatedAt: date });
        this.#addTransaction(data.transaction);
        break;
      case "SET_METADATA":
        if (data.target.type === "ACCOUNT") {
          this.#use(data.target.id, date, entry);
          this.#mergeIntoAccount(data.target.id, data.metadata ?? {}, date);
        } else {
          const known = this.#find(data.target.id).metadata;
          const merged = { ...known, ...data.metadata };
          if (!isEqual(known, merged))
            this.#change(data.target.id, { metadata: merged, updatedAt: date });
        }
        break;
      case "DELETE_METADATA":
        if (data.target.type === "ACCOUNT") {
          const account = this.#accounts.get(data.target.id);
          if (account === undefined) break;
          const metadata = without(account.metadata, data.key);
          this.#accounts.set(account.address, { ...account, metadata });
        } else {
          const metadata = without(this.#find(data.target.id).metadata, data.key);
          this.#change(data.target.id, { metadata, updatedAt: date });
        }
        break;
      case "INSERTED_SCHEMA":
        break;
    }
  }

  #addTransaction(transaction: Transaction): void {
    const { volumes: _, effectiveVolumes: __, ...bare } = transaction;
    this.#transactions.push(bare);
  }

  #use(address: string, timestamp: Timestamp, entry: LogEntry): void {
    const known = this.#accounts.get(address);
    const now = entry.date;
    const metadata = this.#schemas.defaultsOf(entry, address);
    const unused = { address, metadata, firstUsage: timestamp, insertionDate: now } as const;
    if (known === undefined) {
      this.#accounts.set(address, { ...unused, updatedAt: now } as AccountRecord); // addresses come from commands
    } else if (timestamp < known.firstUsage) {
      this.#accounts.set(address, { ...known, firstUsage: timestamp, updatedAt: now });
    }
  }

  #mergeIntoAccount(address: string, metadata: Metadata, now: Timestamp): void {
    const account = this.#accounts.get(address);
    if (account === undefined) throw new Error("the account was just used");
    const merged = { ...account.metadata, ...metadata };
    if (isEqual(merged, account.metadata)) return;
    this.#accounts.set(address, { ...account, metadata: merged, updatedAt: now });
  }

  #find(id: number): Transaction {
    const found = this.#transactions.find((it) => it.id === id);
    if (found === undefined) throw new Error(`no transaction ${id}`);
    return found;
  }

  #change(id: number, fields: Partial<Transaction>): void {
    const changed = { ...this.#find(id), ...fields };
    this.#transactions = this.#transactions.map((it) => (it.id === id ? changed : it));
  }

  /** Adds up the volumes after a transaction in both orders. The transaction need not be stored yet. */
  #withVolumes(transaction: Transaction): Transaction {
    const others = this.#transactions.filter(({ id }) => id !== transaction.id);
    const before = others.filter(({ id }) => id < transaction.id);
    const earlier = others.filter(
      ({ id, timestamp }) =>
        timestamp < transaction.timestamp ||
        (timestamp === transaction.timestamp && id < transaction.id),
    );
    const after = (list: readonly Transaction[]): AccountVolumes[] =>
      pairsOf(transaction.postings).map((pair) => sumOf([...list, transaction], pair));
    return { ...transaction, volumes: after(before), effectiveVolumes: after(earlier) };
  }

  #currentVolumes(address: string): AccountVolumes[] {
    const pairs = pairsOf(this.#transactions.flatMap(({ postings }) => postings));
    return pairs
      .filter(({ account }) => account === address)
      .map((pair) => sumOf(this.#transactions, pair))
      .toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
  }

  #balance(account: string, asset: string): bigint {
    return this.#transactions.reduce((sum, it) => sum + netOf(it.postings, account, asset), 0n);
  }
}

export interface ModelOptions {
  /** The idempotency key; empty for none. */
  readonly key: string;
  readonly dryRun: boolean;
  readonly now: Timestamp;
  /** The version of the schema; empty for none. */
  readonly schemaVersion: string;
  /** The name of the template that the command runs. */
  readonly template: string | undefined;
  /** The inputs as text, which a repetition with the idempotency key must equal. */
  readonly inputs: string;
}

interface DecideOptions extends Pick<ModelOptions, "now" | "template"> {
  readonly schema: NaiveSchema | undefined;
}

const outcomeOf = ({ id, data }: LogEntry, isReplay: boolean): ModelOutcome => ({
  logId: id,
  isReplay,
  ...("transaction" in data ? { transaction: data.transaction } : {}),
});

const without = (metadata: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key));

const isEqual = (a: Metadata, b: Metadata): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([key, value]) => Object.hasOwn(b, key) && b[key] === value);
