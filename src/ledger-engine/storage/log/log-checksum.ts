import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";
import { quoteJson } from "#platform/json.ts";

const DIGITS = 12;

/**
 * The first 48 bits of SHA-256 over an entry, in hex: its ids, the hash of its inputs, and the text that the hash chain would
 * cover. Everything else in the row, and in the other tables, can be derived from these. An entry that has a checksum for
 * its id alone adds no text: the chain covers the rest.
 */
export function logChecksum(entry: {
  readonly id: number;
  readonly tx: number | undefined;
  /** The hash in hex. It is empty where it is known that there is none. */
  readonly keyHash: string | undefined;
  readonly memento: string;
  /** The text does not contain the schema's version and the template. */
  readonly schemaVersion: string | undefined;
  readonly template: string | undefined;
}): string {
  const { id, tx, keyHash, memento, schemaVersion, template } = entry;
  const keyText = keyHash === "" ? "none" : (keyHash ?? "");
  // An entry without a schema adds nothing to the text.
  const schemaText =
    schemaVersion === undefined && template === undefined
      ? ""
      : `\n${quoteJson(schemaVersion ?? "")}${quoteJson(template ?? "")}`;
  const text = `${id}\n${tx ?? ""}\n${keyText}\n${memento}${schemaText}`;
  return sha256(text, "hex").slice(0, DIGITS);
}
