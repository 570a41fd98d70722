import { ledgerList } from "./list.ts";
import { toCommit, toSaveMetadata, toScope, toWriteOptions } from "./requests.ts";
import type {
  AccountBalance,
  KeyedTemplateRun,
  KeyedWrite,
  LedgerCreation,
  LedgerList,
  LedgerListOptions,
  LedgerScope,
  NewCommit,
  NewRun,
  NewTemplateRun,
  TemplateShape,
} from "./types.ts";
import { parseFeatures, toAccountView, toTransactionView, type SingleRead } from "#ledger-engine";
import type { Account, Features, Metadata, Target, Transaction } from "#library/index.ts";
import { BUCKET_DEFAULT } from "#modules/catalogue/index.ts";
import type { BulkProgress } from "#modules/ledger/objects/bulk-progress.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { ledgerSettings, standardRuntimeOf } from "#modules/ledger/settings.ts";
import { parseProgram } from "#numscript";
import { assertLedgerAllowed } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { mapPage } from "#platform/paging/pagination.ts";
import { attempt } from "#platform/result.ts";

/** Current volumes exist whatever features the ledger has. */
const VOLUMES: SingleRead = { volumes: true, effectiveVolumes: false, areImplied: true };
/** Volumes by effective date, of single accounts. */
const BY_ACCOUNT = { insertionDate: false, groupBy: 0 } as const;
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

  /** The transaction that `run` would commit now. Nothing is changed. Throws as `run` does. */
  async preview({ script, vars, ...rest }: NewRun): Promise<Transaction> {
    const { transaction } = await this.#service.commit(
      this.#name,
      () => toCommit({ ...rest, script: { plain: script, vars } }),
      { ...toWriteOptions({ idempotencyKey: undefined }), dryRun: true },
    );
    return toTransactionView(transaction);
  }

  /**
   * The transaction that an earlier `run` with this key has committed; undefined where there is none. Nothing is changed. Where there is none,
   * throws as `run` would.
   */
  async earlierRun(
    { script, vars, ...rest }: NewRun,
    write: KeyedWrite,
  ): Promise<Transaction | undefined> {
    const { transaction, isReplay } = await this.#service.commit(
      this.#name,
      () => toCommit({ ...rest, script: { plain: script, vars } }),
      { ...toWriteOptions(write), dryRun: true },
    );
    return isReplay ? toTransactionView(transaction) : undefined;
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

  /** Balances by account and asset, in the order of addresses. A point in time selects by effective dates. */
  balancesByAccount(options: LedgerListOptions = {}): LedgerList<AccountBalance> {
    return ledgerList(
      {
        list: `${this.#name}/volumes`,
        columns: { account: "text" },
        options,
        fixed: BY_ACCOUNT,
      },
      async (query) =>
        mapPage(
          await this.#service.listVolumes(this.#name, query),
          ({ account, asset, input, output }) => ({
            account,
            asset,
            input,
            output,
            balance: input - output,
          }),
        ),
    );
  }

  /** Accounts in the order of their addresses, with their volumes. */
  accounts(options: LedgerListOptions = {}): LedgerList<Account> {
    return ledgerList(
      { list: `${this.#name}/accounts`, columns: { address: "text" }, options },
      async (query) =>
        mapPage(await this.#service.listAccounts(this.#name, query, VOLUMES), toAccount),
    );
  }

  /** Transactions in the order of their ids, without volumes; the oldest first unless the order is `desc`. */
  transactions(options: LedgerListOptions = {}): LedgerList<Transaction> {
    return ledgerList(
      { list: `${this.#name}/transactions`, columns: { id: "integer" }, options },
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
}

interface WantedLedger {
  readonly name: string;
  readonly bucket: string;
  readonly features: Readonly<Record<string, string>>;
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
