import { parseJson, quoteJson, stringifyJson } from "../../../platform/json.ts";
import { fromMicros, toMicros, type Timestamp } from "../../../platform/time.ts";
import type { AccountMetadata, Metadata, Posting, Target, Volumes } from "../core/types.ts";

/**
 * What the `payload` column of a log row holds: JSON without names, accounts and assets as integers. A transaction is
 * `[source, destination, asset, amount, ...]`, four items a posting, and at the end an object of what most lack.
 */
export interface StoredPosting {
  readonly source: number;
  readonly destination: number;
  readonly asset: number;
  readonly amount: bigint;
}

/** What a transaction has besides postings; the short names are those of the stored form. */
export interface TransactionExtras {
  readonly timestamp?: Timestamp;
  readonly reference?: string;
  readonly metadata?: Metadata;
  readonly accountMetadata?: AccountMetadata;
  /** Effective volumes at commit, in order of first appearance, where they differ from the volumes. */
  readonly effective?: readonly Volumes[];
  /** Of a revert: the transaction that it reverts. */
  readonly reverts?: number;
  /** Of a revert: the metadata of the reverted transaction then, where it had changed since its creation. */
  readonly revertedMetadata?: Metadata;
}

export interface TransactionPayload extends TransactionExtras {
  readonly postings: readonly StoredPosting[];
}

/** Numbers of the log types in the `type` column. */
export const LOG_TYPES = {
  NEW_TRANSACTION: 0,
  REVERTED_TRANSACTION: 1,
  SET_METADATA: 2,
  DELETE_METADATA: 3,
} as const;

export interface PostingIds {
  account(address: Posting["source"]): number;
  asset(name: Posting["asset"]): number;
}

export function encodeTransaction(
  postings: readonly Posting[],
  extras: TransactionExtras,
  ids: PostingIds,
): string {
  const items: string[] = [];
  for (const { source, destination, asset, amount } of postings) {
    items.push(`${ids.account(source)},${ids.account(destination)},${ids.asset(asset)},${amount}`);
  }
  const extra = encodeExtras(extras);
  if (extra !== undefined) items.push(extra);
  return `[${items.join(",")}]`;
}

function encodeExtras(extras: TransactionExtras): string | undefined {
  const members: string[] = [];
  const { timestamp, reference, metadata, accountMetadata } = extras;
  if (timestamp !== undefined) members.push(`"t":${toMicros(timestamp)}`);
  if (reference !== undefined) members.push(`"r":${quoteJson(reference)}`);
  if (metadata !== undefined && !isEmpty(metadata)) members.push(`"m":${stringifyJson(metadata)}`);
  if (accountMetadata !== undefined && !isEmpty(accountMetadata)) {
    members.push(`"a":${stringifyJson(accountMetadata)}`);
  }
  if (extras.effective !== undefined) {
    const pairs = extras.effective.map(({ input, output }) => `[${input},${output}]`);
    members.push(`"e":[${pairs.join(",")}]`);
  }
  if (extras.reverts !== undefined) members.push(`"v":${extras.reverts}`);
  if (extras.revertedMetadata !== undefined) {
    members.push(`"o":${stringifyJson(extras.revertedMetadata)}`);
  }
  return members.length === 0 ? undefined : `{${members.join(",")}}`;
}

/** The stored form, as `parseJson` gives it; written by `encodeTransaction` only. */
interface StoredExtras {
  t?: number | bigint;
  r?: string;
  m?: Metadata;
  a?: AccountMetadata;
  e?: readonly (readonly [number | bigint, number | bigint])[];
  v?: number;
  o?: Metadata;
}

export function decodeTransaction(payload: string): TransactionPayload {
  const items = parseJson(payload) as (number | bigint | StoredExtras)[]; // written by encodeTransaction
  const last = items.at(-1);
  const hasExtras = typeof last === "object";
  const numbers = (hasExtras ? items.slice(0, -1) : items) as (number | bigint)[]; // only the last is an object
  const postings: StoredPosting[] = [];
  for (let index = 0; index < numbers.length; index += 4) {
    const [source = 0, destination = 0, asset = 0, amount = 0] = numbers.slice(index, index + 4);
    postings.push({
      source: Number(source),
      destination: Number(destination),
      asset: Number(asset),
      amount: BigInt(amount),
    });
  }
  return { postings, ...(hasExtras ? decodeExtras(last) : {}) };
}

function decodeExtras({ t, r, m, a, e, v, o }: StoredExtras): TransactionExtras {
  return {
    ...(t === undefined ? {} : { timestamp: fromMicros(BigInt(t)) }),
    ...(r === undefined ? {} : { reference: r }),
    ...(m === undefined ? {} : { metadata: m }),
    ...(a === undefined ? {} : { accountMetadata: a }),
    ...(e === undefined
      ? {}
      : {
          effective: e.map(([input, output]) => ({ input: BigInt(input), output: BigInt(output) })),
        }),
    ...(v === undefined ? {} : { reverts: v }),
    ...(o === undefined ? {} : { revertedMetadata: o }),
  };
}

/** Metadata entries keep the target's own name: they are few, and a target need not exist. */
export interface MetadataPayload {
  readonly target: Target;
  readonly metadata: Metadata;
}
export interface KeyPayload {
  readonly target: Target;
  readonly key: string;
}

export const encodeMetadata = ({ target, metadata }: MetadataPayload): string =>
  stringifyJson([target.id, metadata]);

export const encodeKey = ({ target, key }: KeyPayload): string => stringifyJson([target.id, key]);

export function decodeMetadata(payload: string): MetadataPayload {
  const [id, metadata] = parseJson(payload) as [Target["id"], Metadata]; // written by encodeMetadata
  return { target: toTarget(id), metadata };
}

export function decodeKey(payload: string): KeyPayload {
  const [id, key] = parseJson(payload) as [Target["id"], string]; // written by encodeKey
  return { target: toTarget(id), key };
}

const toTarget = (id: Target["id"]): Target =>
  typeof id === "number" ? { type: "TRANSACTION", id } : { type: "ACCOUNT", id };

const isEmpty = (map: object): boolean => Object.keys(map).length === 0;
