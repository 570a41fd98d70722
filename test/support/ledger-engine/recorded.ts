import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { at } from "./fixtures.ts";
import { parseAccount, parseAsset } from "#ledger-engine/rules/names.ts";
import type {
  LogData,
  LogEntry,
  Metadata,
  MetadataTarget,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import { parseJson } from "#platform/json.ts";

/** An entry of the log of a Formance Ledger v2.4.12, as exported. */
export interface RecordedEntry {
  readonly id: number;
  readonly type: string;
  readonly hash: string;
  readonly idempotencyHash: string;
  /** The entry in Florin's form; absent for types that Florin does not write. */
  readonly entry: LogEntry | undefined;
}

/** The 17 entries of the exported log, which include every type. */
export const recordedLog = (): RecordedEntry[] =>
  recordedLines().map((line) => toRecordedEntry(parseJson(line) as WireEntry)); // `line` is a line of a file in this repository

/** The lines of the exported log, unchanged. */
export function recordedLines(): string[] {
  const file = resolve(import.meta.dirname, "../../fixtures/ledger-log.ndjson");
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** The hash of an entry in the chain, in base64. */
export function chainHash(memento: string, previous: string | undefined): string {
  const hash = createHash("sha256");
  if (previous !== undefined) hash.update(`"${previous}"\n`);
  return hash.update(`${memento}\n`).digest("base64");
}

interface WireTransaction {
  readonly postings: readonly {
    readonly source: string;
    readonly destination: string;
    readonly amount: number | bigint;
    readonly asset: string;
  }[];
  readonly metadata: Metadata;
  readonly timestamp: string;
  readonly reference?: string;
  readonly id: number;
  readonly insertedAt: string;
  readonly updatedAt: string;
}

interface WireEntry {
  readonly type: string;
  readonly data: {
    readonly transaction: WireTransaction;
    readonly revertedTransaction: WireTransaction;
    readonly accountMetadata: Readonly<Record<string, Metadata>>;
    readonly targetType: MetadataTarget["type"];
    readonly targetId: string | number;
    readonly metadata: Metadata;
    readonly key: string;
  };
  readonly date: string;
  readonly idempotencyKey: string;
  readonly idempotencyHash: string;
  readonly id: number;
  readonly hash: string;
}

function toRecordedEntry(wire: WireEntry): RecordedEntry {
  const { id, type, hash, idempotencyHash, idempotencyKey } = wire;
  const data = toData(wire);
  const entry = data === undefined ? undefined : { id, date: at(wire.date), idempotencyKey, data };
  return { id, type, hash, idempotencyHash, entry };
}

function toData({ type, data }: WireEntry): LogData | undefined {
  switch (type) {
    case "NEW_TRANSACTION":
      return {
        type,
        transaction: toTransaction(data.transaction),
        accountMetadata: data.accountMetadata,
      };
    case "REVERTED_TRANSACTION":
      return {
        type,
        revertedTransaction: toTransaction(data.revertedTransaction),
        transaction: toTransaction(data.transaction),
      };
    case "SET_METADATA":
      return { type, target: toTarget(data), metadata: data.metadata };
    case "DELETE_METADATA":
      return { type, target: toTarget(data), key: data.key };
    default:
      return undefined;
  }
}

const toTransaction = (wire: WireTransaction): Transaction => ({
  id: wire.id,
  postings: wire.postings.map(({ source, destination, amount, asset }) => ({
    source: parseAccount(source, "source"),
    destination: parseAccount(destination, "destination"),
    amount: BigInt(amount),
    asset: parseAsset(asset),
  })),
  metadata: wire.metadata,
  timestamp: at(wire.timestamp),
  ...(wire.reference === undefined ? {} : { reference: wire.reference }),
  insertedAt: at(wire.insertedAt),
  updatedAt: at(wire.updatedAt),
});

const toTarget = ({ targetType, targetId }: WireEntry["data"]): MetadataTarget =>
  targetType === "ACCOUNT"
    ? { type: targetType, id: parseAccount(String(targetId), "account") }
    : { type: targetType, id: Number(targetId) };
