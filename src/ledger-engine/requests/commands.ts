import { readPlainCreation } from "./plain-transactions.ts";
import { BulkElementRequest, type TransactionRequest } from "./write-requests.ts";
import {
  AMOUNT_DIGITS_MAX,
  assertMetadata,
  assertReference,
  IDEMPOTENCY_KEY_LENGTH_MAX,
} from "#ledger-engine/rules/limits.ts";
import { parseAccount, parseAsset } from "#ledger-engine/rules/names.ts";
import {
  assertSchemaVersion,
  decodeSchema,
  toSchemaText,
} from "#ledger-engine/rules/schemas/ledger-schema.ts";
import { toVariableTexts } from "#ledger-engine/rules/script-variables.ts";
import type {
  AccountMetadata,
  Command,
  CreateTransaction,
  InsertSchema,
  MetadataTarget,
  Mutable,
  Posting,
  RevertTransaction,
  RunScript,
} from "#ledger-engine/rules/types.ts";
import type { BulkElement } from "#ledger-engine/rules/writes.ts";
import type { Runtime } from "#numscript";
import { AppError } from "#platform/errors.ts";
import { attempt } from "#platform/result.ts";
import { ZERO_TIMESTAMP } from "#platform/time.ts";
import { toValidationError } from "#platform/validation.ts";

const AMOUNT_LIMIT = 10n ** BigInt(AMOUNT_DIGITS_MAX);

/** Makes the command of a request for a transaction. Throws `NO_POSTINGS` or `VALIDATION`. */
export function toTransactionCommand(
  request: TransactionRequest,
  { force }: { force: boolean },
): CreateTransaction | RunScript {
  if (kindOf(request) === undefined) {
    throw new AppError(
      "NO_POSTINGS",
      "you must pass either a posting array, a numscript script, or a template",
    );
  }
  return toCommandOfKind(request, { force });
}

/**
 * Makes the command of an element of a bulk that creates a transaction. Without postings, it is a script; an empty script is
 * refused when its turn comes. Throws `VALIDATION`.
 */
export function toBulkTransaction(request: TransactionRequest): CreateTransaction | RunScript {
  kindOf(request); // throws if the request has several
  return toCommandOfKind(request, { force: false });
}

/**
 * The field from which a request takes its movements, by its name in messages; undefined if the request has none. Throws
 * `VALIDATION` for a request with several.
 */
function kindOf({ postings, script }: TransactionRequest): string | undefined {
  let kind = (postings ?? []).length > 0 ? "postings" : undefined;
  if (script === undefined || script === null) return kind;
  for (const [name, text] of [
    ["numscript", script.plain],
    ["template", script.template],
  ] as const) {
    if (!isGiven(text)) continue;
    if (kind !== undefined) {
      throw new AppError("VALIDATION", `cannot pass ${kind} and ${name} in the same request`);
    }
    kind = name;
  }
  return kind;
}

function toCommandOfKind(
  request: TransactionRequest,
  { force }: { force: boolean },
): CreateTransaction | RunScript {
  const { script, timestamp, reference, accountMetadata, metadata, runtime } = request;
  const postings = (request.postings ?? []).map(toPosting);
  if (metadata !== null && metadata !== undefined) assertMetadata(metadata);
  if (isGiven(reference)) assertReference(reference);
  const shared: Mutable<
    Pick<CreateTransaction, "timestamp" | "reference" | "accountMetadata" | "runtime">
  > = {};
  // Clients in Go send the zero time for no timestamp.
  if (timestamp !== null && timestamp !== undefined && timestamp !== ZERO_TIMESTAMP) {
    shared.timestamp = timestamp;
  }
  if (isGiven(reference)) shared.reference = reference;
  if (accountMetadata !== null && accountMetadata !== undefined) {
    shared.accountMetadata = checkedAccounts(accountMetadata);
  }
  if (isGiven(runtime)) shared.runtime = runtime;
  if (postings.length > 0) {
    const isForced = force || (request.force ?? false);
    return {
      kind: "createTransaction",
      postings,
      metadata: metadata ?? {},
      force: isForced,
      ...shared,
    };
  }
  return {
    kind: "runScript",
    script: {
      plain: script?.plain ?? "",
      ...(isGiven(script?.template) ? { template: script.template } : {}),
      variables: toVariableTexts(script?.vars ?? {}),
    },
    ...(metadata === null || metadata === undefined ? {} : { metadata }),
    ...shared,
  };
}

type PostingRequest = NonNullable<TransactionRequest["postings"]>[number];

/** Checks a posting. Fields are checked in the order of the reference server: amount, source, destination, asset. */
function toPosting({ source, destination, amount, asset }: PostingRequest): Posting {
  if (amount === null || amount === undefined) {
    throw new AppError("VALIDATION", "no amount defined");
  }
  if (amount < 0n) throw new AppError("VALIDATION", "negative amount");
  if (amount >= AMOUNT_LIMIT) {
    throw new AppError("VALIDATION", `an amount has more than ${AMOUNT_DIGITS_MAX} digits`);
  }
  return {
    source: parseAccount(source ?? "", "source"),
    destination: parseAccount(destination ?? "", "destination"),
    amount,
    asset: parseAsset(asset ?? ""),
  };
}

function checkedAccounts(accountMetadata: AccountMetadata): AccountMetadata {
  for (const address of Object.keys(accountMetadata)) parseAccount(address, "account metadata");
  return accountMetadata;
}

export interface RevertRequestFields {
  readonly id: number;
  readonly force: boolean;
  readonly atEffectiveDate: boolean;
  readonly metadata?: RevertTransaction["metadata"] | null | undefined;
}

export function toRevertTransaction(request: RevertRequestFields): RevertTransaction {
  const { id, force, atEffectiveDate, metadata } = request;
  if (metadata !== null && metadata !== undefined) assertMetadata(metadata);
  return {
    kind: "revertTransaction",
    id,
    force,
    atEffectiveDate,
    ...(metadata === null || metadata === undefined ? {} : { metadata }),
  };
}

/** Makes the command that inserts a schema. `runtime` is the runtime of templates that do not name one. Throws `VALIDATION`. */
export function toInsertSchema(
  version: string,
  body: unknown,
  { runtime }: { readonly runtime: Runtime },
): InsertSchema {
  assertSchemaVersion(version);
  return { kind: "insertSchema", version, text: toSchemaText(decodeSchema(body, { runtime })) };
}

/** Parses all elements of a bulk. Throws `VALIDATION`, naming the first malformed element. */
export function parseBulk(elements: readonly unknown[]): BulkElementRequest[] {
  return elements.map(parseBulkElement);
}

/** Parses an element of a bulk. Throws `VALIDATION`, naming the index of a malformed element. */
export function parseBulkElement(element: unknown, index: number): BulkElementRequest {
  const plain = readPlainCreation(element);
  if (plain !== undefined) return plain;
  const parsed = BulkElementRequest.safeParse(element);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error, `element ${index}`);
}

/** Makes an element of a bulk. An invalid content becomes a failure of this element, when its turn comes. */
export function toBulkElement(request: BulkElementRequest): BulkElement {
  return {
    idempotencyKey: request.ik ?? "",
    command: attempt(() => {
      assertIdempotencyKey(request.ik ?? "");
      return toCommand(request);
    }),
  };
}

function toCommand(request: BulkElementRequest): Command {
  switch (request.action) {
    case "CREATE_TRANSACTION":
      return toBulkTransaction(request.data);
    case "REVERT_TRANSACTION": {
      const { id, force, atEffectiveDate, metadata } = request.data;
      return toRevertTransaction({
        id,
        force: force ?? false,
        atEffectiveDate: atEffectiveDate ?? false,
        metadata,
      });
    }
    case "ADD_METADATA": {
      const { targetType, targetId, metadata } = request.data;
      const target = toTarget(targetType, targetId);
      return { kind: "setMetadata", target, metadata: metadata ?? {} };
    }
    case "DELETE_METADATA": {
      const { targetType, targetId, key } = request.data;
      return { kind: "deleteMetadata", target: toTarget(targetType, targetId), key };
    }
  }
}

function toTarget(type: string, id: string | number | bigint): MetadataTarget {
  if (type === "ACCOUNT" && typeof id === "string")
    return { type, id: parseAccount(id, "account") };
  if (type === "TRANSACTION" && typeof id !== "string") return { type, id: Number(id) };
  throw new AppError(
    "VALIDATION",
    "a target has the type ACCOUNT and an address, or the type TRANSACTION and an integer",
  );
}

/** Throws `VALIDATION` for a key that is too long. */
export function assertIdempotencyKey(key: string): void {
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw new AppError(
      "VALIDATION",
      `the idempotency key is longer than ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`,
    );
  }
}

const isGiven = <T extends string>(text: T | null | undefined): text is Exclude<T, ""> =>
  text !== null && text !== undefined && text !== "";
