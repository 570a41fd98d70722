import { join } from "node:path";
import type { SnapshotFiles } from "#platform/backup/saving/backup-manifest.ts";
import { pathOfBytes } from "#platform/backup/saving/file-names.ts";
import { SavedKeptFile } from "#platform/backup/saving/kept-files.ts";
import { parseJson } from "#platform/json.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { problemOf } from "#scripts/florin/backup/file-hash.ts";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/**
 * The files that objects keep, as the list of a snapshot has them; none for a snapshot without a list. `snapshot` is its path. Throws
 * `OperatorError` for a line that describes no file.
 */
export async function* savedFiles(
  snapshot: string,
  files: SnapshotFiles | undefined,
): AsyncGenerator<SavedKeptFile, undefined> {
  if (files === undefined) return;
  let number = 0;
  for await (const line of linesOf(join(snapshot, files.file))) {
    number++;
    const saved = SavedKeptFile.safeParse(parseJson(line));
    if (!saved.success) {
      throw new OperatorError(`${files.file}: line ${number} describes no file.`);
    }
    yield saved.data;
  }
}

/** What is wrong with the files of a snapshot, a sentence each, and which ones are as they were. */
export interface CheckedFiles {
  readonly problems: readonly string[];
  readonly intact: readonly SavedKeptFile[];
}

/** Checks the list of a snapshot's files, and the length and the SHA-256 of each file that it names. */
export async function verifyFiles(
  folder: BackupFolder,
  snapshot: string,
  files: SnapshotFiles,
): Promise<CheckedFiles> {
  const problem = await problemOf(join(snapshot, files.file), files);
  if (problem !== undefined) return { problems: [problem], intact: [] };
  const problems: string[] = [];
  const intact: SavedKeptFile[] = [];
  /** What was found of files by their SHA-256: several objects may keep the same bytes. */
  const found = new Map<string, string | undefined>();
  let count = 0;
  for await (const saved of savedFiles(snapshot, files)) {
    count++;
    const { sha256, bytes, object, file } = saved;
    if (!found.has(sha256)) {
      const described = { file: pathOfBytes(sha256), bytes, sha256 };
      found.set(sha256, await problemOf(folder.bytes(sha256), described));
    }
    const damage = found.get(sha256);
    if (damage === undefined) intact.push(saved);
    else problems.push(`${damage} It is the file '${file}' of the object '${object}'.`);
  }
  if (count !== files.files) {
    problems.push(`${files.file} has ${count} files instead of ${files.files}.`);
  }
  return { problems, intact };
}
