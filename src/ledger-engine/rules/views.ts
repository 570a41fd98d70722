import { compareBytes } from "./canonical.ts";
import { volumesBefore } from "./postings.ts";
import type { AccountRecord, AccountVolumes, Metadata, Transaction } from "./types.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

/** The volumes of an account in one asset, with their balance. */
export interface VolumeView {
  readonly input: bigint;
  readonly output: bigint;
  readonly balance: bigint;
}

export type AssetMap = Record<string, VolumeView>;
/** Volumes by account, then by asset. */
export type VolumeMap = Record<string, AssetMap>;

/** A transaction in the API, in events and in the library, with its members in the order of the JSON. */
export interface TransactionView {
  readonly postings: { source: string; destination: string; amount: bigint; asset: string }[];
  readonly metadata: Record<string, string>;
  readonly timestamp: string;
  readonly reference?: string;
  readonly id: number;
  readonly insertedAt: string;
  readonly updatedAt: string;
  readonly revertedAt?: string;
  readonly postCommitVolumes?: VolumeMap;
  readonly postCommitEffectiveVolumes?: VolumeMap;
  readonly template?: string;
  readonly reverted: boolean;
  readonly preCommitVolumes?: VolumeMap;
  readonly preCommitEffectiveVolumes?: VolumeMap;
}

/** An account in the API and in the library. */
export interface AccountView {
  readonly address: string;
  readonly metadata: Record<string, string>;
  readonly firstUsage: string;
  readonly insertionDate: string;
  readonly updatedAt: string;
  readonly volumes?: AssetMap;
  readonly effectiveVolumes?: AssetMap;
}

export function toTransactionView(transaction: Transaction): TransactionView {
  const { id, postings, metadata, timestamp, reference, volumes, effectiveVolumes } = transaction;
  const committed = toVolumeMaps(volumes, postings);
  const effective =
    effectiveVolumes === volumes ? committed : toVolumeMaps(effectiveVolumes, postings);
  return {
    postings: postings.map(({ source, destination, amount, asset }) => ({
      source,
      destination,
      amount,
      asset,
    })),
    metadata: sortedByKey(metadata),
    timestamp: formatTimestamp(timestamp),
    ...(reference === undefined ? {} : { reference }),
    id,
    insertedAt: formatTimestamp(transaction.insertedAt),
    updatedAt: formatTimestamp(transaction.updatedAt),
    ...optionalTimestamp("revertedAt", transaction.revertedAt),
    ...(committed === undefined ? {} : { postCommitVolumes: committed.after }),
    ...(effective === undefined ? {} : { postCommitEffectiveVolumes: effective.after }),
    ...(transaction.template === undefined ? {} : { template: transaction.template }),
    reverted: transaction.revertedAt !== undefined,
    ...(committed === undefined ? {} : { preCommitVolumes: committed.before }),
    ...(effective === undefined ? {} : { preCommitEffectiveVolumes: effective.before }),
  };
}

export function toAccountView(
  account: AccountRecord,
  expand: { volumes: boolean; effectiveVolumes: boolean },
): AccountView {
  const volumes = expand.volumes ? toAssetMap(account.volumes) : undefined;
  const effective = expand.effectiveVolumes ? toAssetMap(account.effectiveVolumes) : undefined;
  return {
    address: account.address,
    metadata: sortedByKey(account.metadata),
    firstUsage: formatTimestamp(account.firstUsage),
    insertionDate: formatTimestamp(account.insertionDate),
    updatedAt: formatTimestamp(account.updatedAt),
    ...(volumes === undefined ? {} : { volumes }),
    ...(effective === undefined ? {} : { effectiveVolumes: effective }),
  };
}

/** The volumes by account and asset before and after a transaction; undefined if there are none. */
function toVolumeMaps(
  after: readonly AccountVolumes[] | undefined,
  postings: Transaction["postings"],
): { before: VolumeMap; after: VolumeMap } | undefined {
  if (after === undefined || after.length === 0) return undefined;
  return { before: toVolumeMap(volumesBefore(after, postings)), after: toVolumeMap(after) };
}

function toVolumeMap(entries: readonly AccountVolumes[]): VolumeMap {
  const accounts = Map.groupBy(entries, ({ account }) => account);
  return byKey(
    [...accounts].map(([account, volumes]) => [account, byKey(volumes.map(toAssetEntry))]),
  );
}

/** The volumes by asset; undefined if there are none. */
const toAssetMap = (volumes: readonly AccountVolumes[] = []) =>
  volumes.length === 0 ? undefined : byKey(volumes.map(toAssetEntry));

const toAssetEntry = ({ asset, input, output }: AccountVolumes) =>
  [asset, { input, output, balance: input - output }] as const;

/** An object with its keys in byte order. `Object.fromEntries` makes every key a plain member, also `__proto__`. */
export function byKey<V>(entries: readonly (readonly [string, V])[]): Record<string, V> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => compareBytes(a, b)));
}

export const sortedByKey = (metadata: Metadata): Metadata => byKey(Object.entries(metadata));
