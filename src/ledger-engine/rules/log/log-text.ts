import { compareBytes } from "#ledger-engine/rules/canonical.ts";
import { volumesBefore } from "#ledger-engine/rules/postings.ts";
import type { LogListEntry } from "#ledger-engine/rules/reads.ts";
import { renderStoredSchema } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import type {
  AccountMetadata,
  AccountVolumes,
  LogData,
  Metadata,
  MetadataTarget,
  Transaction,
} from "#ledger-engine/rules/types.ts";
import { quoteJson, stringifyJson } from "#platform/json.ts";
import { formatTimestamp } from "#platform/time.ts";

/**
 * Writes a log entry as JSON: the same text that the item of a list has, but several times as fast, because no objects
 * are made for it. Addresses and assets need no escapes.
 */
export function toLogText(entry: LogListEntry): string {
  const { id, date, data, idempotencyKey, idempotencyHash, hash, schemaVersion } = entry;
  const keyText = idempotencyKey === "" ? '""' : quoteJson(idempotencyKey);
  const versionText =
    schemaVersion === undefined ? "" : `,"schemaVersion":${quoteJson(schemaVersion)}`;
  return `{"type":"${data.type}","data":${dataText(data)},"date":"${formatTimestamp(date)}","idempotencyKey":${keyText},"idempotencyHash":"${idempotencyHash}","id":${id},"hash":"${hash}"${versionText}}`;
}

function dataText(data: LogData): string {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return `{"transaction":${transactionText(data.transaction)},"accountMetadata":${accountMetadataText(data.accountMetadata)}}`;
    case "REVERTED_TRANSACTION":
      return `{"revertedTransaction":${transactionText(data.revertedTransaction)},"transaction":${transactionText(data.transaction)}}`;
    case "SET_METADATA":
      return `{${targetText(data.target)},"metadata":${metadataText(data.metadata)}}`;
    case "DELETE_METADATA":
      return `{${targetText(data.target)},"key":${quoteJson(data.key)}}`;
    case "INSERTED_SCHEMA":
      return `{"schema":${stringifyJson(renderStoredSchema(data.schema))}}`;
  }
}

function transactionText(transaction: Transaction): string {
  const { id, postings, metadata, timestamp, reference, revertedAt, template } = transaction;
  const { volumes, effectiveVolumes } = transaction;
  const committed = volumeTexts(volumes, postings);
  const effective =
    effectiveVolumes === volumes ? committed : volumeTexts(effectiveVolumes, postings);
  const list = postings.map(
    ({ source, destination, amount, asset }) =>
      `{"source":"${source}","destination":"${destination}","amount":${amount},"asset":"${asset}"}`,
  );
  const isReverted = revertedAt !== undefined;
  return [
    `{"postings":[${list.join(",")}],"metadata":${metadataText(metadata)},"timestamp":"${formatTimestamp(timestamp)}"`,
    reference === undefined ? "" : `,"reference":${quoteJson(reference)}`,
    `,"id":${id},"insertedAt":"${formatTimestamp(transaction.insertedAt)}","updatedAt":"${formatTimestamp(transaction.updatedAt)}"`,
    isReverted ? `,"revertedAt":"${formatTimestamp(revertedAt)}"` : "",
    committed === undefined ? "" : `,"postCommitVolumes":${committed.after}`,
    effective === undefined ? "" : `,"postCommitEffectiveVolumes":${effective.after}`,
    template === undefined ? "" : `,"template":${quoteJson(template)}`,
    `,"reverted":${isReverted}`,
    committed === undefined ? "" : `,"preCommitVolumes":${committed.before}`,
    effective === undefined ? "" : `,"preCommitEffectiveVolumes":${effective.before}`,
    "}",
  ].join("");
}

function volumeTexts(
  after: readonly AccountVolumes[] | undefined,
  postings: Transaction["postings"],
): { before: string; after: string } | undefined {
  if (after === undefined || after.length === 0) return undefined;
  return { before: volumeText(volumesBefore(after, postings)), after: volumeText(after) };
}

/** Volumes by account and asset. */
export function volumeText(volumes: readonly AccountVolumes[]): string {
  const sorted = volumes.toSorted(
    (a, b) => compareNames(a.account, b.account) || compareNames(a.asset, b.asset),
  );
  let text = "";
  let account: string | undefined;
  for (const { account: next, asset, input, output } of sorted) {
    if (next === account) text += ",";
    else text += account === undefined ? `{"${next}":{` : `},"${next}":{`;
    account = next;
    text += `"${asset}":{"input":${input},"output":${output},"balance":${input - output}}`;
  }
  return `${text}}}`;
}

const metadataText = (metadata: Metadata): string => mapText(metadata, quoteJson);

const accountMetadataText = (accountMetadata: AccountMetadata): string =>
  mapText(accountMetadata, metadataText);

function mapText<V>(map: Readonly<Record<string, V>>, write: (value: V) => string): string {
  const entries = Object.entries(map);
  if (entries.length > 1) entries.sort(([a], [b]) => compareNames(a, b));
  return `{${entries.map(([key, value]) => `${quoteJson(key)}:${write(value)}`).join(",")}}`;
}

const targetText = ({ type, id }: MetadataTarget): string =>
  `"targetType":"${type}","targetId":${type === "ACCOUNT" ? quoteJson(id) : id}`;

/** Sorts members as objects do: array indexes come first, as numbers, and the others follow by their bytes. */
function compareNames(a: string, b: string): number {
  const [left, right] = [isIndex(a), isIndex(b)];
  if (left && right) return Number(a) - Number(b);
  return left === right ? compareBytes(a, b) : left ? -1 : 1;
}

const INDEX = /^(?:0|[1-9]\d{0,9})$/;
const INDEX_MAX = 2 ** 32 - 2;
const isIndex = (name: string): boolean =>
  name.charCodeAt(0) <= 57 && INDEX.test(name) && Number(name) <= INDEX_MAX;
