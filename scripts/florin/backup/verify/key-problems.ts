import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keyIdsOf, WrappedKeys } from "#platform/backup/saving/wrapped-keys.ts";
import { type DescribedFile, problemOf } from "#scripts/florin/backup/file-hash.ts";
import { type Opener, openKeys } from "#scripts/florin/backup/wrapped-keys.ts";

/** What is wrong with the keys of a snapshot, a sentence each, and the ids of those that it has. */
interface CheckedKeys {
  readonly problems: readonly string[];
  readonly keyIds: readonly string[];
}

/**
 * Checks the file with the keys, and opens it if there is something to open it with: the keys in it have to be those that it names. Throws where
 * they cannot be opened.
 */
export async function checkKeys(
  folder: string,
  keys: DescribedFile,
  opener: Opener | undefined,
): Promise<CheckedKeys> {
  const path = join(folder, keys.file);
  const problem = await problemOf(path, keys);
  if (problem !== undefined) return { problems: [problem], keyIds: [] };
  const wrapped = WrappedKeys.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (!wrapped.success) return { problems: [`${keys.file} has no wrapped keys.`], keyIds: [] };
  const { keyIds } = wrapped.data;
  if (opener === undefined) return { problems: [], keyIds };
  const opened = keyIdsOf(openKeys(wrapped.data, opener));
  const isSame = opened.length === keyIds.length && opened.every((id, at) => id === keyIds[at]);
  const problems = isSame ? [] : [`${keys.file} has other keys than it names.`];
  return { problems, keyIds: opened };
}
