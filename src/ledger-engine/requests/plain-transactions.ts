import type { BulkElementRequest, TransactionRequest } from "./write-requests.ts";
import { POSTINGS_MAX } from "#ledger-engine/rules/limits.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";
import { parseTimestamp } from "#platform/time.ts";

type Creation = Extract<BulkElementRequest, { action: "CREATE_TRANSACTION" }>;
type PostingRequest = NonNullable<TransactionRequest["postings"]>[number];

/**
 * Reads a plain request for a transaction: postings, a script or a template, and perhaps a date, a reference and metadata. Nearly all requests
 * are plain. The
 * result equals that of the schema `TransactionRequest`, in a tenth of the time. Undefined for every other or malformed request, which the
 * schema must read.
 */
export function readPlainTransaction(value: unknown): TransactionRequest | undefined {
  if (!isRecord(value) || hasOthers(value)) return undefined;
  const { reference, metadata } = value;
  if (!isOptionalText(reference) || !isOptionalText(value["timestamp"])) return undefined;
  const timestamp =
    value["timestamp"] === undefined ? undefined : parseTimestamp(value["timestamp"]);
  if (timestamp === undefined && value["timestamp"] !== undefined) return undefined;
  if (metadata !== undefined && !isMetadata(metadata)) return undefined;
  if (value["script"] === undefined) {
    const postings = readPostings(value["postings"]);
    return postings === undefined ? undefined : { postings, timestamp, reference, metadata };
  }
  const script = value["postings"] === undefined ? readScript(value["script"]) : undefined;
  return script === undefined ? undefined : { script, timestamp, reference, metadata };
}

/** Reads the element of a bulk that creates a plain transaction; undefined for every other element, which `BulkElementRequest` must read. */
export function readPlainCreation(element: unknown): Creation | undefined {
  if (!isRecord(element) || element["action"] !== "CREATE_TRANSACTION") return undefined;
  const { ik } = element;
  if (!isOptionalText(ik)) return undefined;
  const data = readPlainTransaction(element["data"]);
  return data === undefined ? undefined : { action: "CREATE_TRANSACTION", ik, data };
}

/** Whether a request has members that a plain request does not have. */
const hasOthers = (request: Fields): boolean =>
  request["accountMetadata"] !== undefined ||
  request["runtime"] !== undefined ||
  request["force"] !== undefined;

type ScriptRequest = NonNullable<TransactionRequest["script"]>;

/** Reads a script with its variables, whose values are checked when the script runs. */
function readScript(value: unknown): ScriptRequest | undefined {
  if (!isRecord(value)) return undefined;
  const { plain, vars, template } = value;
  if (!isOptionalText(plain) || !isOptionalText(template)) return undefined;
  return vars === undefined || isRecord(vars) ? { plain, template, vars } : undefined;
}

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
