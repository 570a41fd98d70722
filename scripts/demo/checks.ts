import { isDeepStrictEqual } from "node:util";
import type { Books, Outcome } from "./books.ts";
import type { Metadata, Posting } from "./plan.ts";
import type { Account, Transaction } from "./wire.ts";

/** A condition that must hold, and the places where it does not. */
export interface Check {
  readonly title: string;
  readonly differences: readonly string[];
}

/** A plan's outcome, and the ids that the server assigned. */
export interface Played {
  readonly outcome: Outcome;
  readonly ids: ReadonlyMap<string, number>;
  readonly revertIds: ReadonlyMap<string, number>;
}

/** Checks that each acknowledged transaction is stored once, as it was sent, and that no other transaction is stored. */
export function checkTransactions(transactions: readonly Transaction[], played: Played): Check {
  const expected = expectedTransactions(played);
  const found = new Map(
    transactions.map((transaction) => {
      const isDated = expected.get(transaction.id)?.timestamp !== undefined;
      const timestamp = isDated ? new Date(transaction.timestamp) : undefined;
      return [transaction.id, describe({ ...transaction, timestamp })];
    }),
  );
  return {
    title: `${transactions.length} transactions are stored as they were sent, and no others`,
    differences: [
      ...(found.size === transactions.length ? [] : ["a transaction is listed twice"]),
      ...compare(mapValues(expected, describe), found, (id) => `transaction ${id}`),
    ],
  };
}

function expectedTransactions({ outcome, ids, revertIds }: Played): Map<number, TransactionText> {
  const expected = new Map<number, TransactionText>();
  for (const [reference, transaction] of outcome.transactions) {
    expected.set(idOf(ids, reference), { ...transaction, reference });
  }
  for (const [reference, postings] of outcome.reverts) {
    const metadata = { [REVERTS_KEY]: String(idOf(ids, reference)) };
    const transaction = { postings, metadata, reverted: false, timestamp: undefined };
    expected.set(idOf(revertIds, reference), transaction);
  }
  return expected;
}

/** The metadata key by which the ledger marks a revert. */
const REVERTS_KEY = "com.formance.spec/state/reverts";

/** Checks that walking the pages back gives the same transactions in the opposite order. */
export function checkWayBack(transactions: readonly Transaction[], back: readonly number[]): Check {
  const there = transactions.map(({ id }) => id);
  const isSame =
    back.length === there.length && back.every((id, index) => id === there.at(-1 - index));
  const descends = there.every((id, index) => index === 0 || id < (there[index - 1] ?? 0));
  return {
    title: "the cursor leads through all of them, there and back",
    differences: [
      ...(descends ? [] : ["the newest transaction is not always first"]),
      ...(isSame
        ? []
        : [`${there.length} transactions there, ${back.length} back, or their orders differ`]),
    ],
  };
}

/** Checks that each account has the computed volumes, and that no other account exists. */
export function checkAccounts(accounts: readonly Account[], books: Books): Check {
  const expected = new Map(
    books.accounts().map((address) => [address, describeVolumes(books.volumes(address))]),
  );
  const found = new Map(
    accounts.map(({ address, volumes = {} }) => [
      address,
      describeVolumes(new Map(Object.entries(volumes))),
    ]),
  );
  return {
    title: `${accounts.length} accounts hold exactly what was computed`,
    differences: [
      ...compare(expected, found, (address) => address),
      ...accounts.flatMap(({ address, volumes = {} }) =>
        Object.entries(volumes)
          .filter(([, { input, output, balance }]) => balance !== input - output)
          .map(([asset]) => `${address}: the balance in ${asset} is not input less output`),
      ),
    ],
  };
}

/** Checks that the balances of all accounts sum to zero for each asset, because money is only moved. */
export function checkConservation(accounts: readonly Account[]): Check {
  const sums = new Map<string, bigint>();
  for (const { volumes = {} } of accounts) {
    for (const [asset, { balance }] of Object.entries(volumes)) {
      sums.set(asset, (sums.get(asset) ?? 0n) + balance);
    }
  }
  return {
    title: `money is conserved in ${[...sums.keys()].toSorted().join(", ")}`,
    differences: [...sums]
      .filter(([, sum]) => sum !== 0n)
      .map(([asset, sum]) => `${asset}: ${sum} too many`),
  };
}

export function checkAccountMetadata(
  accounts: readonly Account[],
  expected: ReadonlyMap<string, Metadata>,
): Check {
  const tagged = accounts.filter(({ metadata }) => Object.keys(metadata).length > 0);
  return {
    title: `${expected.size} accounts carry their metadata`,
    differences: compare(
      mapValues(expected, describeMetadata),
      new Map(tagged.map(({ address, metadata }) => [address, describeMetadata(metadata)])),
      (address) => address,
    ),
  };
}

/** Checks that refused transactions left nothing behind, not even an account. */
export async function checkAbsence(
  addresses: readonly string[],
  ledger: { hasAccount(address: string): Promise<boolean> },
): Promise<Check> {
  const differences: string[] = [];
  for (const address of addresses) {
    if (await ledger.hasAccount(address)) differences.push(`${address} is there`);
  }
  return {
    title: `${addresses.length} accounts of refused transactions do not exist`,
    differences,
  };
}

/** Describes the differences of two maps, a sentence for each key. */
export function compare<K>(
  expected: ReadonlyMap<K, string>,
  found: ReadonlyMap<K, string>,
  nameOf: (key: K) => string,
): string[] {
  const differences: string[] = [];
  for (const [key, value] of expected) {
    const other = found.get(key);
    if (other === undefined) differences.push(`${nameOf(key)} is missing: ${value}`);
    else if (other !== value) differences.push(`${nameOf(key)} is ${other}, expected ${value}`);
  }
  for (const [key, value] of found) {
    if (!expected.has(key)) differences.push(`${nameOf(key)} should not be there: ${value}`);
  }
  return differences;
}

interface TransactionText {
  readonly reference?: string | undefined;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly timestamp: Date | undefined;
  readonly reverted: boolean;
}

const describe = (transaction: TransactionText): string =>
  [
    transaction.reference,
    describePostings(transaction.postings),
    describeMetadata(transaction.metadata),
    transaction.timestamp?.toISOString(),
    transaction.reverted ? "reverted" : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(" ");

export const describePostings = (postings: readonly Posting[]): string =>
  postings
    .map(
      ({ source, destination, amount, asset }) => `${source} > ${destination} ${amount} ${asset}`,
    )
    .join(", ");

/** Metadata as a text, sorted by key because the order of keys has no meaning. */
export const describeMetadata = (metadata: Metadata): string =>
  JSON.stringify(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const describeVolumes = (
  volumes: ReadonlyMap<string, { readonly input: bigint; readonly output: bigint }>,
): string =>
  [...volumes]
    .map(([asset, { input, output }]) => `${asset} in ${input} out ${output}`)
    .toSorted()
    .join(", ");

const mapValues = <K, V, W>(map: ReadonlyMap<K, V>, change: (value: V) => W): Map<K, W> =>
  new Map([...map].map(([key, value]) => [key, change(value)]));

/** The id of a played transaction. A missing id is a bug of the demo. */
export function idOf(ids: ReadonlyMap<string, number>, reference: string): number {
  const id = ids.get(reference);
  if (id === undefined) throw new Error(`${reference} was not played`);
  return id;
}

/** The contents of a ledger: its exported log, its transactions and its accounts. */
export interface Contents {
  readonly log: string;
  readonly transactions: readonly Transaction[];
  readonly accounts: readonly Account[];
}

/** Checks that a ledger made from the log of another ledger has the same entries and hashes, transactions and volumes. */
export function checkCopy(original: Contents, copy: Contents): Check {
  const entries = original.log.split("\n").length - 1;
  const parts = ["log", "transactions", "accounts"] as const;
  const different = parts.filter((part) => !isDeepStrictEqual(original[part], copy[part]));
  return {
    title: `the log of ${entries} entries, imported into another ledger, makes an identical one`,
    differences: different.map((part) => `the copy has other contents: ${part}`),
  };
}
