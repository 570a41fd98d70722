import { createHash } from "node:crypto";
import { quoteJson } from "#platform/json.ts";

const BYTES = 6;

/**
 * The first 48 bits of SHA-256 over an entry: its ids, the hash of its inputs, and the text that the hash chain would
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
}): number {
  const { id, tx, keyHash, memento, schemaVersion, template } = entry;
  const keyText = keyHash === "" ? "none" : (keyHash ?? "");
  // An entry without a schema adds nothing to the text.
  const schemaText =
    schemaVersion === undefined && template === undefined
      ? ""
      : `\n${quoteJson(schemaVersion ?? "")}${quoteJson(template ?? "")}`;
  const text = `${id}\n${tx ?? ""}\n${keyText}\n${memento}${schemaText}`;
  return createHash("sha256").update(text).digest().readUIntBE(0, BYTES);
}

export const checksumHex = (checksum: number): string =>
  checksum.toString(16).padStart(2 * BYTES, "0");
