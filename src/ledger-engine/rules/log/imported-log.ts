import {
  AMOUNT_DIGITS_MAX,
  assertMetadata,
  assertPostings,
  assertReference,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  type Note,
} from "#ledger-engine/rules/limits.ts";
import {
  ASSET_LENGTH_MAX,
  isAsset,
  parseImportedAccount,
  parseTarget,
} from "#ledger-engine/rules/names.ts";
import { decodeLoggedSchema, toSchemaText } from "#ledger-engine/rules/schemas/ledger-schema.ts";
import {
  SCHEMA_VERSION_LENGTH_MAX,
  TEMPLATE_NAME_LENGTH_MAX,
} from "#ledger-engine/rules/schemas/limits.ts";
import type {
  Account,
  Asset,
  LoggedAccountMetadata,
  Metadata,
  MetadataTarget,
  Posting,
  StoredSchema,
} from "#ledger-engine/rules/types.ts";
import { AppError } from "#platform/errors.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** An exported log entry, checked as far as is possible without the ledger that imports it. */
export interface ImportedEntry {
  readonly id: number;
  readonly date: Timestamp;
  /** The idempotency key, empty if there is none. */
  readonly idempotencyKey: string;
  /** The hash of the inputs as exported; undefined if the entry has none. */
  readonly idempotencyHash: string | undefined;
  /** The hash of the entry as exported; empty if the entry has none. */
  readonly hash: string;
  /** The version of the schema that the write named. */
  readonly schemaVersion: string | undefined;
  readonly data: ImportedData;
  /** Sentences about values that are beyond the limits of writes. */
  readonly notes: readonly string[];
}

export type ImportedData =
  | {
      readonly type: "NEW_TRANSACTION";
      readonly transaction: ImportedTransaction;
      readonly accountMetadata: LoggedAccountMetadata;
    }
  | {
      readonly type: "REVERTED_TRANSACTION";
      readonly reverts: number;
      /** The reverted transaction; undefined if the export has only its id. */
      readonly reverted: ImportedTransaction | undefined;
      readonly transaction: ImportedTransaction;
    }
  | {
      readonly type: "SET_METADATA";
      readonly target: MetadataTarget;
      readonly metadata: Metadata | null;
    }
  | { readonly type: "DELETE_METADATA"; readonly target: MetadataTarget; readonly key: string }
  | { readonly type: "INSERTED_SCHEMA"; readonly schema: StoredSchema };

export interface ImportedTransaction {
  readonly id: number;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly timestamp: Timestamp;
  readonly reference: string | undefined;
  /** The name of the schema's template that created the transaction. */
  readonly template: string | undefined;
  /** The fields that the ledger computes itself. Given fields must equal the computed ones. */
  readonly derived: DerivedFields;
}

export interface DerivedFields {
  readonly insertedAt: Timestamp | undefined;
  readonly updatedAt: Timestamp | undefined;
  readonly revertedAt: Timestamp | undefined;
  readonly reverted: boolean | undefined;
  /** JSON that is not checked yet, as are the other three maps of volumes. */
  readonly postCommitVolumes: unknown;
  readonly postCommitEffectiveVolumes: unknown;
  readonly preCommitVolumes: unknown;
  readonly preCommitEffectiveVolumes: unknown;
}

/** Parses an entry from its JSON. Throws `IMPORT`, naming the field that is wrong. */
export const toImportedEntry = (value: unknown): ImportedEntry => new EntryParser().parse(value);

type Fields = Readonly<Record<string, unknown>>;

/** Parses one entry. Most dates of an entry are equal, so that the last parsed date is kept. */
class EntryParser {
  #dateText = "";
  #date: Timestamp | undefined;
  readonly #notes: string[] = [];
  readonly #note: Note = (sentence) => this.#notes.push(sentence);

  parse(value: unknown): ImportedEntry {
    const entry = objectOf(value, "");
    const { idempotencyKey, idempotencyHash, hash } = entry;
    return {
      id: idOf(entry["id"], "id"),
      date: this.#dateOf(entry["date"], "date"),
      idempotencyKey: isGiven(idempotencyKey) ? keyOf(idempotencyKey) : "",
      idempotencyHash: isGiven(idempotencyHash)
        ? textOf(idempotencyHash, "idempotencyHash")
        : undefined,
      hash: isGiven(hash) ? textOf(hash, "hash") : "",
      schemaVersion: nameOf(entry["schemaVersion"], "schemaVersion", SCHEMA_VERSION_LENGTH_MAX),
      data: this.#dataOf(entry),
      notes: this.#notes,
    };
  }

  #dataOf(entry: Fields): ImportedData {
    const type = textOf(entry["type"], "type");
    const data = objectOf(entry["data"], "data");
    switch (type) {
      case "NEW_TRANSACTION":
        return {
          type,
          transaction: this.#transactionOf(data["transaction"], "data.transaction"),
          accountMetadata: accountMetadataOf(
            data["accountMetadata"],
            "data.accountMetadata",
            this.#note,
          ),
        };
      case "REVERTED_TRANSACTION":
        return {
          type,
          ...this.#revertedOf(data),
          transaction: this.#transactionOf(data["transaction"], "data.transaction"),
        };
      case "SET_METADATA":
        return { type, ...settingOf(data, this.#note) };
      case "DELETE_METADATA":
        return { type, target: targetOf(data), key: textOf(data["key"], "data.key") };
      case "INSERTED_SCHEMA":
        return { type, schema: schemaOf(data["schema"]) };
      default:
        throw invalid(`'type': expected one of ${TYPES.join(", ")}`);
    }
  }

  /** Older exports contain only the id of the reverted transaction. */
  #revertedOf(data: Fields): { reverts: number; reverted: ImportedTransaction | undefined } {
    const { revertedTransaction, revertedTransactionID } = data;
    if (isGiven(revertedTransaction)) {
      const reverted = this.#transactionOf(revertedTransaction, "data.revertedTransaction");
      return { reverts: reverted.id, reverted };
    }
    const reverts = idOf(revertedTransactionID, "data.revertedTransaction");
    return { reverts, reverted: undefined };
  }

  #transactionOf(value: unknown, place: string): ImportedTransaction {
    const fields = objectOf(value, place);
    return {
      id: idOf(fields["id"], `${place}.id`),
      postings: postingsOf(fields["postings"], `${place}.postings`, this.#note),
      metadata: isGiven(fields["metadata"])
        ? metadataOf(fields["metadata"], `${place}.metadata`, this.#note)
        : {},
      timestamp: this.#dateOf(fields["timestamp"], `${place}.timestamp`),
      reference: referenceOf(fields["reference"], `${place}.reference`, this.#note),
      template: nameOf(fields["template"], `${place}.template`, TEMPLATE_NAME_LENGTH_MAX),
      derived: this.#derivedOf(fields, place),
    };
  }

  #derivedOf(fields: Fields, place: string): DerivedFields {
    const { insertedAt, updatedAt, revertedAt, reverted } = fields;
    return {
      insertedAt: isGiven(insertedAt) ? this.#dateOf(insertedAt, `${place}.insertedAt`) : undefined,
      updatedAt: isGiven(updatedAt) ? this.#dateOf(updatedAt, `${place}.updatedAt`) : undefined,
      revertedAt: isGiven(revertedAt) ? this.#dateOf(revertedAt, `${place}.revertedAt`) : undefined,
      reverted: isGiven(reverted) ? booleanOf(reverted, `${place}.reverted`) : undefined,
      postCommitVolumes: fields["postCommitVolumes"],
      postCommitEffectiveVolumes: fields["postCommitEffectiveVolumes"],
      preCommitVolumes: fields["preCommitVolumes"],
      preCommitEffectiveVolumes: fields["preCommitEffectiveVolumes"],
    };
  }

  #dateOf(value: unknown, place: string): Timestamp {
    if (value === this.#dateText && this.#date !== undefined) return this.#date;
    const text = textOf(value, place);
    const date = parseTimestamp(text);
    if (date === undefined) throw invalid(`'${place}': expected an RFC 3339 date with a zone`);
    this.#dateText = text;
    this.#date = date;
    return date;
  }
}

const TYPES = [
  "NEW_TRANSACTION",
  "REVERTED_TRANSACTION",
  "SET_METADATA",
  "DELETE_METADATA",
  "INSERTED_SCHEMA",
];

function postingsOf(value: unknown, place: string, note: Note): Posting[] {
  if (!Array.isArray(value) || value.length === 0) {
    throw invalid(`'${place}': expected a list of postings`);
  }
  assertPostings(value.length, note);
  return value.map((item: unknown, index) => {
    const fields = objectOf(item, `${place}.${index}`);
    const accountOf = (what: "source" | "destination"): Account =>
      parseImportedAccount(textOf(fields[what], `${place}.${index}.${what}`), what, note);
    return {
      source: accountOf("source"),
      destination: accountOf("destination"),
      amount: amountOf(fields["amount"], `${place}.${index}.amount`),
      asset: assetOf(fields["asset"], `${place}.${index}.asset`),
    };
  });
}

const AMOUNT_LIMIT = 10n ** BigInt(AMOUNT_DIGITS_MAX);

function amountOf(value: unknown, place: string): bigint {
  if (typeof value !== "number" && typeof value !== "bigint") {
    throw invalid(`'${place}': expected an integer`);
  }
  const amount = BigInt(value);
  if (amount >= 0n && amount < AMOUNT_LIMIT) return amount;
  throw invalid(`'${place}': expected 0 or more with at most ${AMOUNT_DIGITS_MAX} digits`);
}

/** The form of assets in scripts for the machine. */
const MACHINE_ASSET = /^[A-Z/0-9]+$/;

function assetOf(value: unknown, place: string): Asset {
  const text = textOf(value, place);
  if (isAsset(text)) return text;
  const isOfMachine = text.length <= ASSET_LENGTH_MAX && MACHINE_ASSET.test(text);
  if (!isOfMachine) throw invalid(`'${place}': expected an asset such as USD/2`);
  return text as Asset; // of the form of the machine
}

function targetOf(data: Fields): MetadataTarget {
  const { targetType, targetId } = data;
  if (targetType === "TRANSACTION") {
    return { type: targetType, id: idOf(targetId, "data.targetId") };
  }
  if (targetType === "ACCOUNT") {
    return { type: targetType, id: parseTarget(textOf(targetId, "data.targetId")) };
  }
  throw invalid("'data.targetType': expected ACCOUNT or TRANSACTION");
}

/** The target and metadata of an entry. The reference server takes null as metadata of an account, but not of a transaction. */
function settingOf(
  data: Fields,
  note: Note,
): { target: MetadataTarget; metadata: Metadata | null } {
  const target = targetOf(data);
  const isNull = target.type === "ACCOUNT" && data["metadata"] === null;
  return { target, metadata: isNull ? null : metadataOf(data["metadata"], "data.metadata", note) };
}

function accountMetadataOf(value: unknown, place: string, note: Note): LoggedAccountMetadata {
  if (!isGiven(value)) return {};
  const map = objectOf(value, place);
  for (const [address, metadata] of Object.entries(map)) {
    parseTarget(address);
    if (metadata !== null) metadataOf(metadata, `${place}.${shorten(address)}`, note);
  }
  return map as LoggedAccountMetadata; // checked by the loop
}

function metadataOf(value: unknown, place: string, note: Note): Metadata {
  const map = objectOf(value, place);
  for (const [key, item] of Object.entries(map)) {
    if (typeof item !== "string") throw invalid(`'${place}.${shorten(key)}': expected a text`);
  }
  const metadata = map as Metadata; // checked by the loop
  assertMetadata(metadata, note);
  return metadata;
}

function referenceOf(value: unknown, place: string, note: Note): string | undefined {
  if (!isGiven(value) || value === "") return undefined;
  const reference = textOf(value, place);
  assertReference(reference, note);
  return reference;
}

/** An optional name. Clients in Go send an empty text for no name. */
function nameOf(value: unknown, place: string, lengthMax: number): string | undefined {
  if (!isGiven(value) || value === "") return undefined;
  const name = textOf(value, place);
  if (name.length <= lengthMax) return name;
  throw invalid(`'${place}': expected at most ${lengthMax} characters`);
}

/** Accepts a schema only if it is complete and this server supports all of it. */
function schemaOf(value: unknown): StoredSchema {
  const { version, createdAt, ...data } = decodeLoggedSchema(value);
  return { version, createdAt, text: toSchemaText(data) };
}

function keyOf(value: unknown): string {
  const key = textOf(value, "idempotencyKey");
  if (key.length <= IDEMPOTENCY_KEY_LENGTH_MAX) return key;
  throw invalid(`'idempotencyKey': expected at most ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`);
}

/** The largest id. Ids are 64-bit integers on the wire and exact up to 2^53 as numbers; half of this range is left for later ids. */
const ID_MAX = 2 ** 52;

function idOf(value: unknown, place: string): number {
  if (typeof value === "number" && value >= 0 && value <= ID_MAX) return value;
  const isLarge = (typeof value === "bigint" || typeof value === "number") && value > ID_MAX;
  const expected = isLarge ? `at most ${ID_MAX}` : "an integer of 0 or more";
  throw invalid(`'${place}': expected ${expected}`);
}

function textOf(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw invalid(`'${place}': expected a text`);
}

function booleanOf(value: unknown, place: string): boolean {
  if (typeof value === "boolean") return value;
  throw invalid(`'${place}': expected true or false`);
}

function objectOf(value: unknown, place: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields; // checked before the cast
  throw invalid(place === "" ? "expected an object" : `'${place}': expected an object`);
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Longest part of a name that a message repeats, in characters. */
const SHOWN_MAX = 80;
const shorten = (text: string): string => text.slice(0, SHOWN_MAX).toWellFormed();

const invalid = (message: string): AppError => new AppError("IMPORT", message);
