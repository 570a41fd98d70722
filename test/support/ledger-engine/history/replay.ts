import type { LogListEntry, VolumeRow } from "#ledger-engine/rules/reads.ts";
import type {
  AccountRecord,
  AccountVolumes,
  Metadata,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import type { Timestamp } from "#platform/time.ts";
import { NaiveSchemas } from "#test/support/ledger-engine/model/naive-schema.ts";

/** The state of all transactions after the last entry, without volumes, by id. */
export function transactionsOf(entries: readonly LogListEntry[]): Transaction[] {
  const transactions = new Map<number, Transaction>();
  const change = (id: number, fields: Partial<Transaction>): void => {
    const known = transactions.get(id);
    if (known === undefined) throw new Error(`no transaction ${id}`);
    transactions.set(id, { ...known, ...fields });
  };
  for (const { date, data } of entries) {
    if ("transaction" in data) {
      const { id, postings, metadata, timestamp, reference, template } = data.transaction;
      transactions.set(id, {
        id,
        postings,
        metadata,
        timestamp,
        ...(reference === undefined ? {} : { reference }),
        ...(template === undefined ? {} : { template }),
        insertedAt: date,
        updatedAt: date,
      });
    }
    if (data.type === "REVERTED_TRANSACTION") {
      change(data.revertedTransaction.id, { revertedAt: date, updatedAt: date });
    } else if (data.type === "SET_METADATA" && data.target.type === "TRANSACTION") {
      const metadata = transactions.get(data.target.id)?.metadata ?? {};
      if (isContained(data.metadata ?? {}, metadata)) continue;
      change(data.target.id, { metadata: { ...metadata, ...data.metadata }, updatedAt: date });
    } else if (data.type === "DELETE_METADATA" && data.target.type === "TRANSACTION") {
      const metadata = transactions.get(data.target.id)?.metadata ?? {};
      change(data.target.id, { metadata: without(metadata, data.key), updatedAt: date });
    }
  }
  return [...transactions.values()];
}

/** An account after one of its changes, without volumes. */
export interface AccountVersion {
  readonly account: AccountRecord;
  /** The date from which reads of the past show its metadata. */
  readonly since: Timestamp;
}

/**
 * Every version of each account, with accounts in the order of their creation. The deletion of a key does not count as
 * an update: it belongs to the update before it, and reads see it from that date on.
 */
export function accountVersionsOf(entries: readonly LogListEntry[]): AccountVersion[][] {
  const versions = new Map<string, AccountVersion[]>();
  const last = (address: string): AccountVersion | undefined => versions.get(address)?.at(-1);
  const change = (
    known: AccountVersion,
    fields: Partial<AccountRecord>,
    since?: Timestamp,
  ): void => {
    const account = { ...known.account, ...fields };
    versions.get(account.address)?.push({ account, since: since ?? known.since });
  };
  let schemas = new NaiveSchemas();
  const use = (address: string, usage: Timestamp, entry: LogListEntry): void => {
    const known = last(address);
    const now = entry.date;
    if (known === undefined) {
      const dates = { firstUsage: usage, insertionDate: now, updatedAt: now };
      const metadata = schemas.defaultsOf(entry, address);
      const account = { address, metadata, ...dates } as AccountRecord; // addresses come from the log
      versions.set(address, [{ account, since: now }]);
    } else if (usage < known.account.firstUsage) {
      change(known, { firstUsage: usage, updatedAt: now });
    }
  };
  const merge = (address: string, metadata: Metadata, now: Timestamp): void => {
    const known = last(address);
    if (known === undefined || isContained(metadata, known.account.metadata)) return;
    const merged = { ...known.account.metadata, ...metadata };
    change(known, { metadata: merged, updatedAt: now }, now);
  };
  for (const entry of entries) {
    const { date, data } = entry;
    schemas = schemas.after(entry);
    if (data.type === "NEW_TRANSACTION") {
      const { postings, timestamp } = data.transaction;
      const moving = postings.flatMap(({ source, destination }) => [source, destination]);
      for (const address of moving) use(address, timestamp, entry);
      for (const [address, metadata] of Object.entries(data.accountMetadata)) {
        use(address, timestamp, entry);
        merge(address, metadata ?? {}, date);
      }
    } else if (data.type === "SET_METADATA" && data.target.type === "ACCOUNT") {
      use(data.target.id, date, entry);
      merge(data.target.id, data.metadata ?? {}, date);
    } else if (data.type === "DELETE_METADATA" && data.target.type === "ACCOUNT") {
      const known = last(data.target.id);
      if (known !== undefined) {
        change(known, { metadata: without(known.account.metadata, data.key) });
      }
    }
  }
  return [...versions.values()];
}

/** Metadata of transactions as of a date, or the current metadata. The metadata of their creation is always included. */
export function transactionMetadataOf(
  entries: readonly LogListEntry[],
  pit: Timestamp | undefined,
): Map<number, Metadata> {
  const found = new Map<number, Metadata>();
  for (const { date, data } of entries) {
    if ("transaction" in data) found.set(data.transaction.id, data.transaction.metadata);
    else if (data.type === "INSERTED_SCHEMA" || data.target.type === "ACCOUNT") continue;
    else if (pit !== undefined && date > pit) continue;
    else if (data.type === "SET_METADATA") {
      found.set(data.target.id, { ...found.get(data.target.id), ...data.metadata });
    } else found.set(data.target.id, without(found.get(data.target.id) ?? {}, data.key));
  }
  return found;
}

/** The volumes of each account and asset that some transactions move. */
export function volumesOf(transactions: readonly Transaction[]): AccountVolumes[] {
  const volumes = new Map<string, AccountVolumes>();
  const add = (change: AccountVolumes): void => {
    const name = pairName(change);
    const { input, output } = volumes.get(name) ?? { input: 0n, output: 0n };
    const sums = { input: input + change.input, output: output + change.output };
    volumes.set(name, { ...change, ...sums });
  };
  for (const { postings } of transactions) {
    for (const { source, destination, asset, amount } of postings) {
      add({ account: source, asset, input: 0n, output: amount });
      add({ account: destination, asset, input: amount, output: 0n });
    }
  }
  return [...volumes.values()];
}

/** Sums rows over the accounts whose first segments are the same. Shorter addresses are groups of their own. */
export function grouped(rows: readonly AccountVolumes[], segments: number): VolumeRow[] {
  if (segments <= 0) return [...rows];
  const groups = new Map<string, VolumeRow>();
  for (const { account, asset, input, output } of rows) {
    const group = account.split(":").slice(0, segments).join(":");
    const name = `${group} ${asset}`;
    const sum = groups.get(name) ?? { account: group, asset, input: 0n, output: 0n };
    groups.set(name, { ...sum, input: sum.input + input, output: sum.output + output });
  }
  return [...groups.values()];
}

const isContained = (some: Metadata, all: Metadata): boolean =>
  Object.entries(some).every(([key, value]) => Object.hasOwn(all, key) && all[key] === value);

const without = (metadata: Metadata, key: string): Metadata =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== key));

/** A key for an account and asset. */
export const pairName = ({
  account,
  asset,
}: Readonly<Record<"account" | "asset", string>>): string => `${account} ${asset}`;
