import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { quoteJson } from "#platform/json.ts";

const DIGITS = 12;

/**
 * The first 48 bits of SHA-256 over an entry, in hex: its ids, the hash of its inputs, and its memento, the text that the hash
 * chain covers if the ledger keeps one. Everything else in the row, and in the other tables, can be derived from these. The
 * memento is empty if the chain covers it: the checksum is then for the ids and the hash of the inputs only.
 */
export function logChecksum(entry: {
  readonly id: number;
  readonly tx: number | undefined;
  /** The hash of the inputs in hex; empty if the entry is known to have none, such as an imported key without a hash. */
  readonly keyHash: string | undefined;
  readonly memento: string;
  /** The memento does not contain the schema's version and the template. */
  readonly schemaVersion: string | undefined;
  readonly template: string | undefined;
}): string {
  const { id, tx, keyHash, memento, schemaVersion, template } = entry;
  const keyText = keyHash === "" ? "none" : (keyHash ?? "");
  // For an entry without a schema and a template, the text ends with the memento.
  const schemaText =
    schemaVersion === undefined && template === undefined
      ? ""
      : `\n${quoteJson(schemaVersion ?? "")}${quoteJson(template ?? "")}`;
  const text = `${id}\n${tx ?? ""}\n${keyText}\n${memento}${schemaText}`;
  return sha256(text, "hex").slice(0, DIGITS);
}
