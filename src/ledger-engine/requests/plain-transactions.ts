import type { BulkElementRequest, TransactionRequest } from "./write-requests.ts";
import { POSTINGS_MAX } from "#ledger-engine/rules/limits.ts";
import type { Metadata } from "#ledger-engine/rules/types.ts";

type Creation = Extract<BulkElementRequest, { action: "CREATE_TRANSACTION" }>;
type PostingRequest = NonNullable<TransactionRequest["postings"]>[number];

/**
 * Reads a request for a transaction of nothing but postings or a script, a reference and metadata, as nearly all of them are. It gives what the schema
 * `TransactionRequest` would give, in a tenth of the time; undefined for every other request, of which only the schema can
 * say what is wrong.
 */
export function readPlainTransaction(value: unknown): TransactionRequest | undefined {
  if (!isRecord(value) || hasOthers(value)) return undefined;
  const { reference, metadata } = value;
  if (!isOptionalText(reference)) return undefined;
  if (metadata !== undefined && !isMetadata(metadata)) return undefined;
  if (value["script"] === undefined) {
    const postings = readPostings(value["postings"]);
    return postings === undefined ? undefined : { postings, reference, metadata };
  }
  const script = value["postings"] === undefined ? readScript(value["script"]) : undefined;
  return script === undefined ? undefined : { script, reference, metadata };
}

/** Reads the element of a bulk that creates a plain transaction; undefined for every other element, which `BulkElementRequest` reads. */
export function readPlainCreation(element: unknown): Creation | undefined {
  if (!isRecord(element) || element["action"] !== "CREATE_TRANSACTION") return undefined;
  const { ik } = element;
  if (!isOptionalText(ik)) return undefined;
  const data = readPlainTransaction(element["data"]);
  return data === undefined ? undefined : { action: "CREATE_TRANSACTION", ik, data };
}

/** Whether a transaction has other members than those that are read here. */
const hasOthers = (request: Fields): boolean =>
  request["timestamp"] !== undefined ||
  request["accountMetadata"] !== undefined ||
  request["runtime"] !== undefined ||
  request["force"] !== undefined;

type ScriptRequest = NonNullable<TransactionRequest["script"]>;

/** Values of variables are checked where the script is run. */
function readScript(value: unknown): ScriptRequest | undefined {
  if (!isRecord(value)) return undefined;
  const { plain, vars, template } = value;
  if (typeof plain !== "string" || template !== undefined) return undefined;
  return vars === undefined || isRecord(vars) ? { plain, vars } : undefined;
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
