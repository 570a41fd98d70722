import type { BookAccount } from "./core/account.ts";
import { ledgerKey } from "./core/ids.ts";
import type { WalletMetadata } from "./core/keys.ts";
import type { WalletScript } from "./core/scripts.ts";
import { walletSettings } from "./settings.ts";
import {
  LedgerClient,
  type LedgerList,
  type LedgerListOptions,
  type LedgerPageRequest,
  type LedgerTransaction,
} from "#modules/ledger/index.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError, type FailureKind } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";

/** A movement of money, and the metadata of its transaction and of accounts. */
export interface WalletMovement extends WalletScript {
  readonly metadata: WalletMetadata;
  readonly accountMetadata?: Readonly<Record<string, WalletMetadata>>;
  readonly reference?: string | undefined;
  /** The effective date, in RFC 3339. */
  readonly timestamp?: string | undefined;
}

export interface WalletTransaction extends LedgerTransaction {
  readonly ledger: string;
}

/** A test that an item of a list has to pass, in the ledger's language of filters. */
export type Test = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The ledger in which all wallets are. It is created when it is first needed. */
export class WalletLedger {
  readonly name: string;
  readonly #client: LedgerClient;

  /** Throws `UNAUTHENTICATED` where the principal is bound to other ledgers. */
  constructor(context: ServiceContext, name: string) {
    this.name = name;
    this.#client = new LedgerClient(context, name);
  }

  static of(context: ServiceContext): WalletLedger {
    return new WalletLedger(context, walletSettings.of(context.env).FLORIN_WALLETS_LEDGER);
  }

  /** Finds an account; undefined for an account that was never used. */
  findAccount(address: string): Promise<BookAccount | undefined> {
    return this.#call(async (client) => {
      try {
        return await client.account(address);
      } catch (error) {
        if (isKind(error, "NOT_FOUND")) return undefined;
        throw error;
      }
    });
  }

  /** Accounts that pass all tests, by their addresses. */
  pageOfAccounts(tests: readonly Test[], request: LedgerPageRequest): Promise<Page<BookAccount>> {
    return this.#call((client) => client.accounts(passing(tests)).page(request));
  }

  allAccounts(tests: readonly Test[]): Promise<BookAccount[]> {
    return this.#call((client) => collect(client.accounts(passing(tests))));
  }

  /** Transactions that pass all tests, the newest first. */
  pageOfTransactions(
    tests: readonly Test[],
    request: LedgerPageRequest,
  ): Promise<Page<LedgerTransaction>> {
    const options = { ...passing(tests), order: "desc" } as const;
    return this.#call((client) => client.transactions(options).page(request));
  }

  /** The first `countMax` transactions that pass all tests, the oldest first. */
  firstTransactions(tests: readonly Test[], countMax: number): Promise<LedgerTransaction[]> {
    return this.#call((client) => collect(client.transactions(passing(tests)), countMax));
  }

  /**
   * Moves money in one transaction. Movements with the same key of a client happen once. Throws `INSUFFICIENT_FUND`, `CONFLICT` for a
   * reference that is taken, and `VALIDATION`.
   */
  async move(
    movement: WalletMovement,
    idempotencyKey: string | undefined,
  ): Promise<WalletTransaction> {
    const key = idempotencyKey === undefined ? undefined : ledgerKey("key", idempotencyKey);
    const transaction = await this.#call((client) =>
      client.run({ ...movement, runtime: "machine" }, { idempotencyKey: key }),
    );
    return { ...transaction, ledger: this.name };
  }

  /** Adds metadata to an account, and replaces values of keys that it has. The idempotency key is one of the ledger. */
  saveMetadata(
    address: string,
    metadata: WalletMetadata,
    idempotencyKey: string | undefined,
  ): Promise<void> {
    const target = { targetType: "ACCOUNT", targetId: address } as const;
    return this.#call((client) => client.saveMetadata(target, metadata, { idempotencyKey }));
  }

  /** Calls the ledger. If there is none, the call has done nothing; then the ledger is created, and the call is repeated. */
  async #call<T>(work: (client: LedgerClient) => Promise<T>): Promise<T> {
    try {
      return await work(this.#client);
    } catch (error) {
      if (!isKind(error, "LEDGER_NOT_FOUND")) throw toWalletError(error);
    }
    await this.#create();
    try {
      return await work(this.#client);
    } catch (error) {
      throw toWalletError(error);
    }
  }

  async #create(): Promise<void> {
    try {
      await this.#client.create({ bucket: this.name });
    } catch (error) {
      // The ledger is deleted, or another request has just created it. The next call tells which.
      if (!isKind(error, "LEDGER_ALREADY_EXISTS")) throw toWalletError(error);
    }
  }
}

const passing = (tests: readonly Test[]): LedgerListOptions => ({ where: { $and: tests } });

async function collect<T>(list: LedgerList<T>, countMax = Infinity): Promise<T[]> {
  const items: T[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length >= countMax) break;
  }
  return items;
}

/** Kinds of refusals of the ledger that are `VALIDATION` for clients of wallets. */
const REFUSALS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "COMPILATION_FAILED",
  "METADATA_OVERRIDE",
  "NO_POSTINGS",
  "SCHEMA_NOT_SPECIFIED",
]);

function toWalletError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { kind, message, details } = error;
  if (kind === "LEDGER_NOT_FOUND") {
    return new AppError(
      "WALLETS_DELETED",
      "the ledger of the wallets is deleted with its bucket; the wallets are there again when the bucket is restored",
      { cause: error },
    );
  }
  // The message of the ledger is about a script that the client has not written.
  if (kind === "INSUFFICIENT_FUND") {
    return new AppError(kind, "insufficient fund", { cause: error });
  }
  if (!REFUSALS.has(kind)) return error;
  const given = details === undefined ? {} : { details };
  return new AppError("VALIDATION", message, { cause: error, ...given });
}

export const isKind = (error: unknown, kind: FailureKind): error is AppError =>
  error instanceof AppError && error.kind === kind;
