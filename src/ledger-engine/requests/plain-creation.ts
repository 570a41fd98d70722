import type { BulkElementRequest } from "./write-requests.ts";
import { POSTINGS_MAX } from "#ledger-engine/rules/limits.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";

type Creation = Extract<BulkElementRequest, { action: "CREATE_TRANSACTION" }>;
type PostingRequest = NonNullable<Creation["data"]["postings"]>[number];

/**
 * Reads the element of a bulk that creates a transaction of nothing but postings, a reference and metadata, as nearly all elements
 * do. It gives what `BulkElementRequest` would give, in a tenth of the time; undefined for every other element, of
 * which only that schema can say what is wrong.
 */
export function readPlainCreation(element: unknown): Creation | undefined {
  if (!isRecord(element) || element["action"] !== "CREATE_TRANSACTION") return undefined;
  const { ik, data } = element;
  if (!isOptionalText(ik) || !isRecord(data) || hasOthers(data)) return undefined;
  const { reference, metadata } = data;
  const postings = readPostings(data["postings"]);
  if (postings === undefined || !isOptionalText(reference)) return undefined;
  if (metadata !== undefined && !isMetadata(metadata)) return undefined;
  return { action: "CREATE_TRANSACTION", ik, data: { postings, reference, metadata } };
}

/** Whether a transaction has other members than those that are read here. */
const hasOthers = (data: Fields): boolean =>
  data["script"] !== undefined ||
  data["timestamp"] !== undefined ||
  data["accountMetadata"] !== undefined ||
  data["runtime"] !== undefined ||
  data["force"] !== undefined;

function readPostings(value: unknown): PostingRequest[] | undefined {
  if (!Array.isArray(value) || value.length > POSTINGS_MAX) return undefined;
  const postings: PostingRequest[] = [];
  for (const item of value as readonly unknown[]) {
    const posting = isRecord(item) ? readPosting(item) : undefined;
    if (posting === undefined) return undefined;
    postings.push(posting);
  }
  return postings;
}

function readPosting({ source, destination, amount, asset }: Fields): PostingRequest | undefined {
  if (typeof source !== "string" || typeof destination !== "string") return undefined;
  if (typeof asset !== "string") return undefined;
  if (typeof amount !== "bigint" && !Number.isSafeInteger(amount)) return undefined;
  return { source, destination, amount: BigInt(amount as bigint | number), asset };
}

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isOptionalText = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

function isMetadata(value: unknown): value is Metadata {
  if (!isRecord(value)) return false;
  for (const key of Object.keys(value)) if (typeof value[key] !== "string") return false;
  return true;
}
