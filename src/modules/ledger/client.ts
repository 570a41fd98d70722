import { LedgerService } from "./service/service.ts";
import { ledgerSettings, standardRuntimeOf } from "./settings.ts";
import {
  assertIdempotencyKey,
  BulkElementData,
  parseFeatures,
  toAccountView,
  toBulkElement,
  toTransactionCommand,
  toTransactionView,
  readPlainTransaction,
  TransactionRequest,
  type Command,
  type SingleRead,
} from "#ledger-engine";
import type {
  Account,
  Features,
  Filter,
  Metadata,
  Posting,
  Runtime,
  ScriptVariable,
  Target,
  Transaction,
} from "#library/index.ts";
import { BUCKET_DEFAULT } from "#modules/catalogue/index.ts";
import type { BulkProgress } from "#modules/ledger/objects/calls.ts";
import { parseProgram } from "#numscript";
import { assertLedgerAllowed } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { toFilterText } from "#platform/filter/filter.ts";
import { decodeCursor, type SortColumns } from "#platform/paging/cursor.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { ListScope, PageQuery } from "#platform/paging/query.ts";
import { attempt, unwrap } from "#platform/result.ts";
import { TimestampInput, toValidationError } from "#platform/validation.ts";

/** The idempotency key and the schema version of a write. */
export interface KeyedWrite {
  /**
   * A write with a key happens once: a repetition changes nothing and returns the first result; another write with the same key is refused
   * with `VALIDATION`. All clients of a ledger share its keys, so that a module puts its own name in front. The member may be undefined but
   * not absent, so that no caller forgets the key.
   */
  readonly idempotencyKey: string | undefined;
  /** The version of the schema whose rules the write follows. */
  readonly schemaVersion?: string | undefined;
}

export interface TransactionFields {
  readonly metadata?: Metadata | undefined;
  /** Unique in the ledger. A write with a reference that is taken throws `CONFLICT`. */
  readonly reference?: string | undefined;
  /** The effective date, in RFC 3339; by default, now. */
  readonly timestamp?: string | undefined;
  /** Metadata for accounts, by their addresses. */
  readonly accountMetadata?: Readonly<Record<string, Metadata>> | undefined;
}

export interface NewCommit extends TransactionFields {
  readonly postings: readonly Posting[];
  /** Lets the sources go below zero. */
  readonly force?: boolean | undefined;
}

export interface NewRun extends TransactionFields {
  /** Numscript source text. */
  readonly script: string;
  /** Values of variables, by their names without `$`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
  /** The runtime of the script; by default, that of the deployment. A module's own scripts name their runtime. */
  readonly runtime?: Runtime | undefined;
}

export interface NewTemplateRun extends TransactionFields {
  /** A transaction template of the schema whose rules the write follows. */
  readonly template: string;
  /** Values of variables, by their names without `$`. */
  readonly vars?: Readonly<Record<string, ScriptVariable>> | undefined;
}

export interface KeyedTemplateRun extends NewTemplateRun {
  readonly idempotencyKey: string;
  /** The number of triggers that led to the run; by default, as many as led to the whole call. */
  readonly causationDepth?: number | undefined;
}

/** The part of a transaction template that a caller has to know. */
export interface TemplateShape {
  /** Types of the variables that a run has to give, such as `monetary`, by the variables' names without `$`. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface LedgerCreation {
  /** Name of the bucket; by default, `_default`. */
  readonly bucket?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly features?: Partial<Features> | undefined;
}

/** The items that a list shows: all or those that pass a filter, now or at a point in time (RFC 3339). */
export interface LedgerScope {
  readonly where?: Filter | undefined;
  readonly pit?: string | undefined;
}

export interface LedgerListOptions extends LedgerScope {
  readonly order?: "asc" | "desc" | undefined;
}

export interface LedgerPageRequest {
  /** Largest number of items, at most 1,000; a larger one is lowered to 1,000. With a cursor, the size of its list is the default. */
  readonly pageSize?: number | undefined;
  /** The cursor of an earlier page. Its options replace those that are given with it. */
  readonly cursor?: string | undefined;
}

/** A list of a ledger, read item by item to its end, or page by page. A page may be short or even empty, and still have a next one. */
export interface LedgerList<T> extends AsyncIterable<T> {
  page(request?: LedgerPageRequest): Promise<Page<T>>;
}

/** Items that a walk reads at a time. A caller that stops early has read at most so many for nothing. */
const PAGE_SIZE = 250;
const LEDGER_PAGE_SIZE_MAX = 1000;

/** Current volumes exist whatever features the ledger has. */
const VOLUMES: SingleRead = { volumes: true, effectiveVolumes: false, areImplied: true };
const NO_VOLUMES = { volumes: false, effectiveVolumes: false } as const;

/**
 * A ledger as other modules use it, with the names and the meanings of the library `florin/ledger`. Nothing is kept between calls.
 *
 * Besides the errors that docstrings name, all functions throw `LEDGER_NOT_FOUND` for a ledger that does not exist or is deleted, and
 * `OVERLOADED` where the ledger was busy or restarted. Then the outcome of a write is unknown until the write is repeated with its key.
 */
export class LedgerClient {
  readonly #context: ServiceContext;
  readonly #service: LedgerService;
  readonly #name: string;

  /** Throws `UNAUTHENTICATED` where the principal is bound to other ledgers. */
  constructor(context: ServiceContext, name: string) {
    assertLedgerAllowed(context.principal, name);
    this.#context = context;
    this.#service = LedgerService.from(context);
    this.#name = name;
  }

  /**
   * Creates the ledger. The name is the key of this write: where the ledger exists with this bucket and these features, nothing changes.
   * Throws `LEDGER_ALREADY_EXISTS` where the ledger has others, or is deleted.
   */
  async create(creation: LedgerCreation = {}): Promise<void> {
    const { bucket, metadata = {}, features = {} } = creation;
    const wanted = {
      name: this.#name,
      bucket: bucket === undefined || bucket === "" ? BUCKET_DEFAULT : bucket,
      metadata,
      features: given(features),
    };
    try {
      await this.#service.createLedger(wanted, ledgerSettings.of(this.#context.env));
    } catch (error) {
      if (!isFailure(error, "LEDGER_ALREADY_EXISTS")) throw error;
      if (!(await this.#exists(wanted))) throw error;
    }
  }

  /** Commits postings. Throws `INSUFFICIENT_FUND`, `CONFLICT` for a reference that is taken, and `VALIDATION`. */
  commit(transaction: NewCommit, write: KeyedWrite): Promise<Transaction> {
    return this.#commit(transaction, write);
  }

  /** Commits the movements of a script. Throws as `commit` does, and the failures of the script. */
  run({ script, vars, ...rest }: NewRun, write: KeyedWrite): Promise<Transaction> {
    return this.#commit({ ...rest, script: { plain: script, vars } }, write);
  }

  /** Commits the movements of a transaction template. Throws as `run` does, and `VALIDATION` where there is no such template. */
  runTemplate(
    { template, vars, ...rest }: NewTemplateRun,
    write: KeyedWrite & { readonly schemaVersion: string },
  ): Promise<Transaction> {
    return this.#commit({ ...rest, script: { template, vars } }, write);
  }

  /**
   * Runs several transaction templates in one call, one after the other, up to the first one that fails. Throws `BULK_SIZE_EXCEEDED` where all together are too much work for one call, which then commits nothing.
   */
  async runTemplates(
    runs: readonly KeyedTemplateRun[],
    { schemaVersion }: { readonly schemaVersion: string },
  ): Promise<BulkProgress> {
    const elements = runs.map(({ idempotencyKey, causationDepth, template, vars, ...rest }) => {
      toWriteOptions({ idempotencyKey });
      const command = attempt(() => toCommit({ ...rest, script: { template, vars } }));
      return { idempotencyKey, command, causationDepth };
    });
    return this.#service.executeUntilFailure(this.#name, () => elements, { schemaVersion });
  }

  /** Describes a transaction template. Throws `NOT_FOUND` for an unknown version of the schema, and for an unknown template. */
  async template(name: string, schemaVersion: string): Promise<TemplateShape> {
    const { transactions } = await this.#service.getSchema(this.#name, schemaVersion);
    const template = transactions.get(name);
    if (template === undefined) {
      throw new AppError(
        "NOT_FOUND",
        `schema version '${schemaVersion}' has no transaction template '${name}'`,
      );
    }
    const runtime = template.runtime ?? standardRuntimeOf(ledgerSettings.of(this.#context.env));
    const { variables } = parseProgram(template.script, runtime).program;
    const given = variables.filter(({ origin }) => origin === undefined);
    return { variables: Object.fromEntries(given.map(({ name: key, type }) => [key, type])) };
  }

  /** Adds metadata to an account or a transaction, or replaces it. Throws `NOT_FOUND` for an unknown transaction. */
  async saveMetadata(target: Target, metadata: Metadata, write: KeyedWrite): Promise<void> {
    await this.#service.execute(
      this.#name,
      () => toSaveMetadata(target, metadata),
      toWriteOptions(write),
    );
  }

  /** Reads an account with its volumes. Throws `NOT_FOUND` for an account that no transaction and no metadata has named. */
  async account(address: string): Promise<Account> {
    return toAccount(await this.#service.getAccount(this.#name, address, VOLUMES));
  }

  /** The balance of an account in an asset; 0 for an asset that it has never moved. */
  async balance(address: string, asset: string): Promise<bigint> {
    try {
      const { volumes } = await this.account(address);
      return volumes[asset]?.balance ?? 0n;
    } catch (error) {
      if (isFailure(error, "NOT_FOUND")) return 0n;
      throw error;
    }
  }

  /** Balances by asset, summed over the accounts that a filter matches. A point in time selects by effective dates. */
  async aggregateBalances(scope: LedgerScope = {}): Promise<Readonly<Record<string, bigint>>> {
    const balances = await this.#service.aggregateBalances(this.#name, {
      ...toScope(scope),
      useInsertionDate: false,
    });
    return Object.fromEntries(balances.map(({ asset, balance }) => [asset, balance]));
  }

  /** Accounts in the order of their addresses, with their volumes. */
  accounts(options: LedgerListOptions = {}): LedgerList<Account> {
    return this.#list(
      { resource: "accounts", columns: { address: "text" }, options },
      async (query) =>
        mapPage(await this.#service.listAccounts(this.#name, query, VOLUMES), toAccount),
    );
  }

  /** Transactions in the order of their ids, without volumes; the oldest first unless the order is `desc`. */
  transactions(options: LedgerListOptions = {}): LedgerList<Transaction> {
    return this.#list(
      { resource: "transactions", columns: { id: "integer" }, options },
      async (query) =>
        mapPage(
          await this.#service.listTransactions(this.#name, query, NO_VOLUMES),
          toTransactionView,
        ),
    );
  }

  async #commit(request: unknown, write: KeyedWrite): Promise<Transaction> {
    const { transaction } = await this.#service.commit(
      this.#name,
      () => toCommit(request),
      toWriteOptions(write),
    );
    return toTransactionView(transaction);
  }

  /** Whether the ledger exists with the wanted bucket and features. */
  async #exists({ name, bucket, features }: WantedLedger): Promise<boolean> {
    try {
      const found = await this.#service.getLedger(name);
      const wanted = Object.entries(parseFeatures(features, { mayChoose: true }));
      const kept: Readonly<Record<string, string>> = found.features;
      return found.bucket === bucket && wanted.every(([key, value]) => kept[key] === value);
    } catch (error) {
      if (isFailure(error, "NOT_FOUND")) return false;
      throw error;
    }
  }

  #list<T>(
    { resource, columns, options }: ListedResource,
    read: (query: PageQuery) => Promise<Page<T>>,
  ): LedgerList<T> {
    const rules = { columns, list: `${this.#name}/${resource}`, pageSizeMax: LEDGER_PAGE_SIZE_MAX };
    const [column = ""] = Object.keys(columns);
    const { order = "asc", ...scope } = options;
    const page = async ({ pageSize, cursor }: LedgerPageRequest = {}): Promise<Page<T>> => {
      const size = pageSize === undefined ? undefined : toPageSize(pageSize);
      if (cursor !== undefined) {
        const query = decodeCursor(cursor, rules);
        return read({ ...query, pageSize: size ?? query.pageSize });
      }
      const wanted = { list: rules.list, column, order, ...toScope(scope) };
      return read({ kind: "column", ...wanted, pageSize: size ?? PAGE_SIZE, reverse: false });
    };
    return { page, [Symbol.asyncIterator]: () => walk(page) };
  }
}

interface WantedLedger {
  readonly name: string;
  readonly bucket: string;
  readonly features: Readonly<Record<string, string>>;
}

interface ListedResource {
  readonly resource: string;
  /** The column by which the list is sorted. */
  readonly columns: SortColumns;
  readonly options: LedgerListOptions;
}

async function* walk<T>(
  page: (request: LedgerPageRequest) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, next } = await page({ cursor });
    yield* data;
    cursor = next;
  } while (cursor !== undefined);
}

function toPageSize(pageSize: number): number {
  if (Number.isSafeInteger(pageSize) && pageSize > 0) {
    return Math.min(pageSize, LEDGER_PAGE_SIZE_MAX);
  }
  throw new AppError("VALIDATION", "invalid page size: expected a positive integer");
}

function toWriteOptions({ idempotencyKey, schemaVersion = "" }: KeyedWrite) {
  // An empty key would count as no key later on, which a caller that has computed a key does not mean.
  if (idempotencyKey === "") throw new AppError("VALIDATION", "the idempotency key is empty");
  assertIdempotencyKey(idempotencyKey ?? "");
  return { idempotencyKey: idempotencyKey ?? "", dryRun: false, schemaVersion };
}

/** The command of a transaction. Throws `VALIDATION` or `NO_POSTINGS`. */
function toCommit(request: unknown): Command {
  const plain = readPlainTransaction(request);
  if (plain !== undefined) return toTransactionCommand(plain, { force: false });
  const parsed = TransactionRequest.safeParse(request);
  if (!parsed.success) throw toValidationError(parsed.error, "transaction");
  return toTransactionCommand(parsed.data, { force: false });
}

function toSaveMetadata(target: Target, metadata: Metadata): Command {
  const action = "ADD_METADATA";
  const parsed = BulkElementData[action].safeParse({ ...target, metadata });
  if (!parsed.success) throw toValidationError(parsed.error, "metadata");
  return unwrap(toBulkElement({ action, data: parsed.data }).command);
}

function toScope({ where, pit }: LedgerScope): Pick<ListScope, "where" | "pit"> {
  const filter = toFilterText(where);
  return {
    ...(filter === undefined ? {} : { where: filter }),
    ...(pit === undefined ? {} : { pit: toTimestamp(pit) }),
  };
}

function toTimestamp(text: string) {
  const parsed = TimestampInput.safeParse(text);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, "point in time");
}

function toAccount(account: Parameters<typeof toAccountView>[0]): Account {
  const view = toAccountView(account, NO_EFFECTIVE);
  return { ...view, volumes: view.volumes ?? {} };
}

const NO_EFFECTIVE = { volumes: true, effectiveVolumes: false } as const;

const given = (features: Partial<Features>): Record<string, string> =>
  Object.fromEntries(Object.entries(features).filter(([, value]) => value !== undefined));

const isFailure = (error: unknown, kind: AppError["kind"]): boolean =>
  error instanceof AppError && error.kind === kind;
