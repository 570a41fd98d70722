import { createHash } from "node:crypto";

const BYTES = 6;

/**
 * The first 48 bits of SHA-256 over an entry: its ids, the hash of its inputs, and the text that the hash chain would
 * cover. All else of the row, and of the tables, follows from these.
 */
export function logChecksum(entry: {
  readonly id: number;
  readonly tx: number | undefined;
  /** In hex; empty where it is known that there is none. */
  readonly keyHash: string | undefined;
  readonly memento: string;
}): number {
  const { id, tx, keyHash, memento } = entry;
  const keyText = keyHash === "" ? "none" : (keyHash ?? "");
  const text = `${id}\n${tx ?? ""}\n${keyText}\n${memento}`;
  return createHash("sha256").update(text).digest().readUIntBE(0, BYTES);
}
