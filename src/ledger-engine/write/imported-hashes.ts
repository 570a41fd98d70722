import { toDerivedText } from "#ledger-engine/rules/log/idempotency.ts";
import type { ImportedData, ImportedEntry } from "#ledger-engine/rules/log/imported-log.ts";
import { toMemento } from "#ledger-engine/rules/log/memento.ts";
import { searchOrder } from "#ledger-engine/rules/schemas/param-orders.ts";
import type { LogData } from "#ledger-engine/rules/types.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { AppError } from "#platform/errors.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * Searches for the text of an imported schema that the hash of its entry covers. Returns the data of the entry, in which the schema is
 * marked if the hash covers another text, and the steps of the search. `nextHash` gives the hash in base64 that the entry has with a
 * memento; undefined if logs are not chained.
 */
export function asHashed(
  { data, date, idempotencyKey, hash: expected }: ImportedEntry,
  nextHash: (memento: string) => string | undefined,
): { readonly data: ImportedData; readonly steps: number } {
  if (data.type !== "INSERTED_SCHEMA" || !BASE64_OF_HASH.test(expected)) return { data, steps: 0 };
  const { schema } = data;
  const { text, outcome, steps } = searchOrder(schema.text, (candidate) => {
    const hashed = { ...data, schema: { ...schema, text: candidate } };
    const found = nextHash(toMemento({ data: hashed, date, idempotencyKey }));
    return found === undefined || found === expected;
  });
  if (outcome === "found") {
    return { data: { ...data, schema: { ...schema, text, hashed: "reordered" } }, steps };
  }
  return outcome === "unknown"
    ? { data: { ...data, schema: { ...schema, hashed: "unknown" } }, steps }
    : { data, steps };
}

/**
 * The hash of an entry's inputs as it is stored, in hex; empty if the export says that there is none. Undefined if the
 * export has no such field, or if the hash can be derived from the entry.
 */
export function keyHashOf(entry: ImportedEntry, data: LogData): string | undefined {
  const { idempotencyHash: given, idempotencyKey, date } = entry;
  if (given === undefined) return undefined;
  if (given === "") return "";
  if (idempotencyKey === "" && given === derivedHash(data, date)) return undefined;
  if (!BASE64_OF_32_BYTES.test(given))
    throw new AppError("IMPORT", "'idempotencyHash' is not base64 of 32 bytes");
  // Other ledgers use either alphabet of base64 (RFC 4648, sections 4 and 5), and Node's "base64url" reads both.
  const bytes = Buffer.from(given, "base64url");
  const written = `${bytes.toString("base64url")}=`;
  const isDerived = idempotencyKey === "" && written === derivedHash(data, date);
  return isDerived ? undefined : bytes.toString("hex");
}

/** The hash of inputs that is derived from an entry, as exports contain it. */
const derivedHash = (data: LogData, date: Timestamp): string =>
  `${sha256(toDerivedText({ data, date }), "base64url")}=`;

/** The hash of an entry is plain base64. Other ledgers write the hash of its inputs in plain base64 or in base64url. */
const BASE64_OF_HASH = /^[A-Za-z0-9+/]{43}=$/;
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/_-]{43}=?$/;
