import { isDate } from "node:util/types";
// A namespace import keeps zod's messages in all languages out of the bundle.
import * as z from "zod";
import type {
  NewTransaction,
  PublicBulkElement,
  PublicBulkOptions,
  PublicFilter,
  PublicTarget,
  PublicWriteOptions,
  QueryRun,
  RevertOptions,
  Time,
  VolumeOptions,
} from "./types.ts";
import {
  assertIdempotencyKey,
  type BulkElement,
  BulkElementData,
  type BulkOptions,
  type Command,
  parseBulk,
  type QueryRequest,
  toBulkElement,
  toInsertSchema,
  toTransactionCommand,
  TransactionRequest,
  type VolumeListOptions,
  type WriteOptions,
} from "#ledger-engine";
import type { Runtime } from "#numscript";
import { AppError } from "#platform/errors.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { ListScope } from "#platform/paging/query.ts";
import { unwrap } from "#platform/result.ts";
import type { Timestamp } from "#platform/time.ts";
import { TimestampInput, toValidationError } from "#platform/validation.ts";

/**
 * The command of a transaction. The functions of this file turn arguments into commands by the schemas of the HTTP API. A value is written
 * as JSON and parsed again, so that one place decides whether a text, number or date is valid.
 */
export function toCreate(transaction: NewTransaction): Command {
  const request = parse(TransactionRequest, toRequest(transaction), "transaction");
  return toTransactionCommand(request, { force: false });
}

export function toRevert(id: number, options: RevertOptions): Command {
  const { force, atEffectiveDate, metadata } = options;
  const action = "REVERT_TRANSACTION";
  const request = { id, force, atEffectiveDate, metadata };
  return commandOf({ action, data: parse(BulkElementData[action], request, "revert") });
}

export function toAddMetadata(target: PublicTarget, metadata: unknown): Command {
  const action = "ADD_METADATA";
  const data = parse(BulkElementData[action], { ...target, metadata }, "metadata");
  return commandOf({ action, data });
}

export function toDeleteMetadata(target: PublicTarget, key: unknown): Command {
  const action = "DELETE_METADATA";
  const data = parse(BulkElementData[action], { ...target, key }, "metadata");
  return commandOf({ action, data });
}

/** Checks a schema. `runtime` is the runtime of its scripts that name none. Throws `VALIDATION`. */
export function toInsertion(
  version: unknown,
  schema: unknown,
  { runtime }: { readonly runtime: Runtime },
): Command {
  const name = parse(z.string(), version, "schema version");
  return toInsertSchema(name, parse(z.unknown(), schema, "schema"), { runtime });
}

export function toBulkElements(elements: readonly PublicBulkElement[]): BulkElement[] {
  assertList(elements);
  const requests = elements.map((element) =>
    element.action === "CREATE_TRANSACTION"
      ? { ...element, data: toRequest(element.data) }
      : element,
  );
  return parseBulk(parse(z.array(z.unknown()), requests, "bulk")).map(toBulkElement);
}

function assertList(value: unknown): void {
  if (Array.isArray(value)) return;
  throw new AppError("VALIDATION", "invalid bulk: expected an array of elements");
}

/** Throws `VALIDATION` if a value, such as an id, is not an integer. */
export function assertInteger(value: unknown, what: string): void {
  if (Number.isSafeInteger(value)) return;
  throw new AppError("VALIDATION", `invalid ${what}: expected an integer`);
}

/** Throws `VALIDATION` for an unknown order. */
export function assertOrder(order: unknown): void {
  if (order === "asc" || order === "desc") return;
  throw new AppError("VALIDATION", "invalid order: expected 'asc' or 'desc'");
}

export function toWriteOptions(options: PublicWriteOptions): WriteOptions {
  const request = parse(WriteOptionsRequest, options, "option");
  const idempotencyKey = request.idempotencyKey ?? "";
  assertIdempotencyKey(idempotencyKey);
  const { dryRun, schemaVersion } = request;
  return { idempotencyKey, dryRun: dryRun ?? false, schemaVersion: schemaVersion ?? "" };
}

export function toBulkOptions(options: PublicBulkOptions): BulkOptions {
  const { atomic, continueOnFailure, schemaVersion } = parse(BulkOptionsRequest, options, "option");
  return {
    atomic: atomic ?? false,
    continueOnFailure: continueOnFailure ?? false,
    schemaVersion: schemaVersion ?? "",
  };
}

export const toTimestamp = (time: Time, what: string): Timestamp =>
  parse(TimestampInput, time, what);

/** The filter and the period of an iterator. Throws `VALIDATION`. */
export function toScope({ where, pit, oot }: Scope): Pick<ListScope, "where" | "pit" | "oot"> {
  return {
    ...(isGiven(where) ? { where: stringifyJson(parse(z.unknown(), where, "filter")) } : {}),
    ...(isGiven(pit) ? { pit: toTimestamp(pit, "point in time") } : {}),
    ...(isGiven(oot) ? { oot: toTimestamp(oot, "start time") } : {}),
  };
}

interface Scope {
  readonly where?: PublicFilter | undefined;
  readonly pit?: Time | undefined;
  readonly oot?: Time | undefined;
}

/** Whether an option is given. Callers without types may pass null. */
const isGiven = <V>(value: V | undefined | null): value is V =>
  value !== undefined && value !== null;

/** Throws `VALIDATION`. */
export function toVolumeListOptions(options: VolumeOptions): VolumeListOptions {
  const { insertionDate, groupBy } = parse(VolumeOptionsRequest, options, "option");
  return { insertionDate: insertionDate ?? false, groupBy: groupBy ?? 0 };
}

const VolumeOptionsRequest = z.object({
  insertionDate: z.boolean().nullish(),
  groupBy: z.int().nullish(),
});

const WriteOptionsRequest = z.object({
  idempotencyKey: z.string().nullish(),
  dryRun: z.boolean().nullish(),
  schemaVersion: z.string().nullish(),
});
const BulkOptionsRequest = z.object({
  atomic: z.boolean().nullish(),
  continueOnFailure: z.boolean().nullish(),
  schemaVersion: z.string().nullish(),
});

/** Throws `VALIDATION`. */
export function toQueryRequest(run: QueryRun): QueryRequest {
  const { vars, params } = parse(QueryRunRequest, run, "query");
  return { vars: vars ?? {}, params: params ?? {} };
}

/** A schema of values of any kind by name. `z.record` would drop the name `__proto__`. */
const Members = z.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "expected an object",
);
const QueryRunRequest = z.object({ vars: Members.nullish(), params: Members.nullish() });

/** The wire form of a transaction, in which a script is an object. */
const toRequest = (transaction: NewTransaction): unknown =>
  typeof transaction?.script === "string"
    ? { ...transaction, script: { plain: transaction.script } }
    : transaction;

const commandOf = (element: Parameters<typeof toBulkElement>[0]): Command =>
  unwrap(toBulkElement(element).command);

/** Checks a value by a schema of the HTTP API. Throws `VALIDATION`, naming the wrong part. */
export function parse<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(toWire(value, what));
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, what);
}

/** A value in the form in which a request would have it. */
function toWire(value: unknown, what: string): unknown {
  try {
    const text = stringifyJson({ value });
    assertFaithful(value); // `stringifyJson` has refused cyclic values.
    return (parseJson(text) as { value?: unknown }).value;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("VALIDATION", `${what}: ${why}`, { cause });
  }
}

/** Throws for values that JSON would change silently. */
function assertFaithful(value: unknown): void {
  if (typeof value === "number") assertExact(value);
  if (typeof value !== "object" || value === null) return;
  if (isDate(value)) {
    if (Number.isNaN(value.getTime())) throw new TypeError("an invalid date");
    return;
  }
  if (!Array.isArray(value) && Symbol.iterator in value) {
    throw new TypeError("expected a plain object, found a collection");
  }
  for (const member of Object.values(value)) assertFaithful(member);
}

function assertExact(value: number): void {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not an integer`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is beyond 2^53, where numbers are not exact: use a bigint`);
  }
}
