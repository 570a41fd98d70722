import { type Metadata, type Plan, type Posting, stepsOf } from "./plan.ts";

export interface Volumes {
  readonly input: bigint;
  readonly output: bigint;
}

/** The expected volumes of each account, by asset. */
export class Books {
  readonly #volumes = new Map<string, Map<string, Volumes>>();

  post(postings: readonly Posting[]): void {
    for (const { source, destination, amount, asset } of postings) {
      this.#add(source, asset, { input: 0n, output: amount });
      this.#add(destination, asset, { input: amount, output: 0n });
    }
  }

  accounts(): string[] {
    return [...this.#volumes.keys()].toSorted();
  }

  volumes(account: string): ReadonlyMap<string, Volumes> {
    return this.#volumes.get(account) ?? new Map<string, Volumes>();
  }

  balance(account: string, asset: string): bigint {
    const { input, output } = this.volumes(account).get(asset) ?? NONE;
    return input - output;
  }

  #add(account: string, asset: string, { input, output }: Volumes): void {
    const assets = this.#volumes.get(account) ?? new Map<string, Volumes>();
    const before = assets.get(asset) ?? NONE;
    assets.set(asset, { input: before.input + input, output: before.output + output });
    this.#volumes.set(account, assets);
  }
}

const NONE: Volumes = { input: 0n, output: 0n };

/** The expected state of the ledger after a plan was played. */
export interface Outcome {
  readonly books: Books;
  /** The transactions that the ledger keeps, by reference. */
  readonly transactions: ReadonlyMap<string, ExpectedTransaction>;
  /** The postings of reverts, by the references of the reverted transactions. */
  readonly reverts: ReadonlyMap<string, readonly Posting[]>;
  readonly accountMetadata: ReadonlyMap<string, Metadata>;
  /** Accounts that appear in refused transactions only. */
  readonly absentAccounts: readonly string[];
}

export interface ExpectedTransaction {
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly reverted: boolean;
  /** The effective date; undefined if the server sets it. */
  readonly timestamp: Date | undefined;
}

/** Computes the outcome from the plan alone, without data of the server. */
export function outcomeOf(plan: Plan): Outcome {
  const books = new Books();
  const transactions = new Map<string, ExpectedTransaction>();
  const reverts = new Map<string, readonly Posting[]>();
  const accountMetadata = new Map<string, Metadata>();
  const refused = new Set<string>();
  const tag = (address: string, metadata: Metadata): void => {
    accountMetadata.set(address, { ...accountMetadata.get(address), ...metadata });
  };
  for (const step of stepsOf(plan)) {
    switch (step.kind) {
      case "commit": {
        const { reference, postings, metadata, timestamp } = step.transaction;
        if (step.fate !== "kept") {
          for (const { source, destination } of postings) refused.add(source).add(destination);
          break;
        }
        books.post(postings);
        transactions.set(reference, { postings, metadata, timestamp, reverted: false });
        for (const tags of Object.entries(step.transaction.accountMetadata ?? {})) tag(...tags);
        break;
      }
      case "revert": {
        const original = plannedTransaction(transactions, step.reference);
        const postings = reversed(original.postings);
        books.post(postings);
        transactions.set(step.reference, { ...original, reverted: true });
        reverts.set(step.reference, postings);
        break;
      }
      case "tagAccount":
        tag(step.address, step.metadata);
        break;
      case "tagTransaction": {
        const original = plannedTransaction(transactions, step.reference);
        const metadata = { ...original.metadata, ...step.metadata };
        transactions.set(step.reference, { ...original, metadata });
        break;
      }
    }
  }
  const absentAccounts = [...refused].filter((account) => books.volumes(account).size === 0);
  return { books, transactions, reverts, accountMetadata, absentAccounts };
}

/** The postings of a revert: the original ones in reverse order, with source and destination exchanged. */
const reversed = (postings: readonly Posting[]): Posting[] =>
  postings.toReversed().map(({ source, destination, ...rest }) => ({
    source: destination,
    destination: source,
    ...rest,
  }));

function plannedTransaction(
  transactions: ReadonlyMap<string, ExpectedTransaction>,
  reference: string,
): ExpectedTransaction {
  const transaction = transactions.get(reference);
  if (transaction === undefined)
    throw new Error(`the plan uses ${reference} before it is committed`);
  return transaction;
}
