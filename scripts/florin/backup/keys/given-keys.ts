import { type DeploymentKeys, keyIdsOf } from "#platform/backup/saving/wrapped-keys.ts";
import type { Recipient } from "#scripts/florin/backup/wrapped-keys.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The keys that go into a backup, where they were found, and for whom they are wrapped. */
export interface GivenKeys {
  readonly keys: DeploymentKeys;
  /** The place as the subject of a sentence: "The environment". */
  readonly place: string;
  readonly recipient: Recipient;
}

/** Throws `OperatorError` unless the key with which the server encrypts, by its id, is among the given ones. Without keys, all is well. */
export function assertCurrentKey(given: GivenKeys | undefined, keyId: string): void {
  if (given === undefined || keyIdsOf(given.keys).includes(keyId)) return;
  throw new OperatorError(
    `${given.place} has none of the server's keys in force: the server encrypts with the key ${keyId}, and the backup would have ${keyIdsOf(given.keys).join(", ")}. Name the server's own FLORIN_SECRET_KEY with --key-file.`,
  );
}

/** Throws `OperatorError` where values are encrypted, and with none of the given keys. It is for servers that do not say which key is in force. */
export function assertUsedKey(given: GivenKeys | undefined, keyIds: readonly string[]): void {
  if (given === undefined) return;
  const missing = missingKeyIds(given, keyIds);
  if (missing.length === 0 || missing.length < keyIds.length) return;
  throw new OperatorError(
    `${given.place} has none of the keys with which the server encrypts (${missing.join(", ")}). Name the server's own FLORIN_SECRET_KEY with --key-file.`,
  );
}

/** The ids of keys that are in use, and not given. */
export function missingKeyIds(
  given: GivenKeys | undefined,
  keyIds: readonly string[],
): readonly string[] {
  const known = new Set(given === undefined ? [] : keyIdsOf(given.keys));
  return keyIds.filter((id) => !known.has(id));
}
