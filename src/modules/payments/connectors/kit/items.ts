import { createHash } from "node:crypto";
import { z } from "zod";
import { rawOf } from "./raw.ts";
import {
  ConnectorError,
  InvalidObjectError,
} from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage } from "#modules/payments/connectors/contract.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";

/** The items that the values of a page give. Values that cannot be read are set aside, so that they do not block other values. */
export interface ReadItems<Item> extends Required<Pick<FetchPage<Item>, "rejected" | "read">> {
  readonly items: readonly Item[];
}

/** Reads each value as an item; a value for which `read` returns undefined is left out. */
export function readEach<Value, Item>(
  values: readonly Value[],
  read: (value: Value) => Item | undefined,
): ReadItems<Item> {
  const outcome = new Outcome<Item>();
  for (const value of values) {
    try {
      outcome.add(value, read(value));
    } catch (error) {
      outcome.reject(value, error, isBadValue);
    }
  }
  return outcome;
}

/** Reads each value by a function that may send requests. The error of a request is thrown, and does not reject the value. */
export async function readEachAsync<Value, Item>(
  values: readonly Value[],
  read: (value: Value) => Item | undefined | Promise<Item | undefined>,
): Promise<ReadItems<Item>> {
  const outcome = new Outcome<Item>();
  for (const value of values) {
    try {
      outcome.add(value, await read(value));
    } catch (error) {
      outcome.reject(value, error, isInvalidObject);
    }
  }
  return outcome;
}

/** A page whose items are read as other items. Earlier rejections are kept. */
export const readPage = <Value, Item>(
  { items, rejected = [], ...page }: FetchPage<Value>,
  read: (value: Value) => Item | undefined,
): FetchPage<Item> => withRejected(page, rejected, readEach(items, read));

/** A page whose items are read as other items by a function that may send requests. Earlier rejections are kept. */
export const readPageAsync = async <Value, Item>(
  { items, rejected = [], ...page }: FetchPage<Value>,
  read: (value: Value) => Item | undefined | Promise<Item | undefined>,
): Promise<FetchPage<Item>> => withRejected(page, rejected, await readEachAsync(items, read));

const withRejected = <Item>(
  page: Omit<FetchPage<unknown>, "items" | "rejected">,
  before: readonly RejectedItem[],
  { items, rejected, read }: ReadItems<Item>,
): FetchPage<Item> => ({ ...page, items, rejected: [...before, ...rejected], read });

class Outcome<Item> implements ReadItems<Item> {
  readonly items: Item[] = [];
  readonly rejected: RejectedItem[] = [];
  readonly read: string[] = [];

  add(value: unknown, item: Item | undefined): void {
    this.read.push(idOf(value));
    if (item !== undefined) this.items.push(item);
  }

  reject(value: unknown, error: unknown, isOfValue: (error: unknown) => error is Error): void {
    if (!isOfValue(error)) throw error;
    const source = sourceOf(value);
    this.rejected.push({ id: idOf(value), raw: rawOf(source), reason: reasonOf(error) });
  }
}

/** The reason for a rejection, as a sentence. */
function reasonOf(error: Error): string {
  if (!(error instanceof z.ZodError)) return error.message;
  const [issue] = error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  const what = place === "" ? "the item" : `'${place}' of the item`;
  return `${what} is not valid: ${issue?.message}`;
}

const isInvalidObject = (error: unknown): error is Error =>
  error instanceof InvalidObjectError || error instanceof z.ZodError;

/**
 * Whether a reading without requests has failed because of its value: any error counts, except a `ConnectorError` that allows a repetition.
 */
const isBadValue = (error: unknown): error is Error =>
  error instanceof ConnectorError ? error.kind === "invalid" : error instanceof Error;

/** The object that the provider has sent: some values are pairs of an id and the object. */
const sourceOf = (value: unknown): unknown => Found.safeParse(value).data?.value ?? value;
const Found = z.strictObject({ id: z.string(), value: z.unknown() });

/** Names of members that hold the id of an object. */
const ID_NAMES = [
  "id",
  "Id",
  "ID",
  "transaction_id",
  "transactionId",
  "account_id",
  "accountId",
  "paymentId",
  "pspReference",
  "reference",
];

/** The id of an object of a provider; for an object without an id, the beginning of its digest. */
export function idOf(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const members = new Map<string, unknown>(Object.entries(value));
    for (const name of ID_NAMES) {
      const id = members.get(name);
      if (typeof id === "string" && id !== "") return id.slice(0, ID_LENGTH_MAX);
      if (typeof id === "number" || typeof id === "bigint") return String(id);
    }
  }
  const digest = createHash("sha256").update(rawOf(value) ?? "");
  return `sha256:${digest.digest("hex").slice(0, DIGEST_LENGTH)}`;
}

const ID_LENGTH_MAX = 500;
const DIGEST_LENGTH = 16;
