import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { SnapshotFiles } from "#platform/backup/saving/backup-manifest.ts";
import {
  type BackupReads,
  chunksOf,
  RefusedCall,
  UnclearError,
} from "#platform/backup/saving/calls.ts";
import { FILES, fileOf } from "#platform/backup/saving/file-names.ts";
import {
  bytesCall,
  listKeptFiles,
  type NextFiles,
  type SavedKeptFile,
} from "#platform/backup/saving/kept-files.ts";
import { withPatience } from "#platform/backup/saving/patience.ts";
import { stringifyJson } from "#platform/json.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { FileWriter } from "#scripts/florin/backup/file-writer.ts";
import { eachAtOnce } from "#scripts/florin/backup/ledgers/each-at-once.ts";
import { syncFolder } from "#scripts/florin/backup/sync-folder.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Most files that are read at once. */
const AT_ONCE = 4;
const NOT_FOUND = 404;

/** What is saved, and where. */
interface FilesSave {
  readonly reads: BackupReads;
  readonly folder: BackupFolder;
  /** The path of the snapshot that is being made. */
  readonly snapshot: string;
  readonly note: (line: string) => void;
  /** The objects of which a file could not be read, as class and name: their other files are asked for once. */
  readonly sick: Set<string>;
}

type FailedFile = NonNullable<SnapshotFiles["failed"]>[number];

/** What has become of a file: it is in the backup, the server no longer has it, or it could not be read. */
type Outcome = "saved" | "gone" | FailedFile;

/**
 * Saves the files that objects keep beside their tables, each once, whichever snapshots and objects have it, and their list. A file that cannot
 * be read is named, and all others are saved. Returns undefined for a server that does not give them, because it is of an earlier version.
 */
export async function saveFiles(
  order: Omit<FilesSave, "sick">,
): Promise<SnapshotFiles | undefined> {
  const save = { ...order, sick: new Set<string>() };
  const first = await firstPage(save);
  if (first === undefined) return undefined;
  const writer = new FileWriter(save.snapshot, `${FILES}.partial`);
  const failed: FailedFile[] = [];
  let [files, gone] = [0, 0];
  try {
    for (let page = first; ; page = await listKeptFiles(save.reads, page.next)) {
      const outcomes = new Map<SavedKeptFile, Outcome>();
      await eachAtOnce(page.files, AT_ONCE, async (file) => {
        outcomes.set(file, await saveFile(save, file));
      });
      for (const file of page.files) {
        const outcome = outcomes.get(file);
        if (outcome === "gone") gone++;
        else if (outcome !== "saved" && outcome !== undefined) failed.push(outcome);
        else {
          await writer.write(`${stringifyJson(file)}\n`);
          files++;
        }
      }
      if (page.next === undefined) break;
    }
    const described = await writer.close(fileOf(FILES));
    if (files > 0) save.note(`  ${files} files of objects`);
    return { ...described, files, gone, ...(failed.length === 0 ? {} : { failed }) };
  } finally {
    writer.destroy();
  }
}

/** The first page of files; undefined where the server knows no such list. */
async function firstPage({ reads }: FilesSave): Promise<FilesPage | undefined> {
  try {
    return await listKeptFiles(reads);
  } catch (error) {
    if (error instanceof RefusedCall && error.status === NOT_FOUND) return undefined;
    throw error;
  }
}

interface FilesPage {
  readonly files: readonly SavedKeptFile[];
  readonly next?: NextFiles | undefined;
}

/** Saves a file, unless it is there with its length. Throws where the server does not answer at all, and where this machine has no room. */
async function saveFile(save: FilesSave, file: SavedKeptFile): Promise<Outcome> {
  const path = save.folder.bytes(file.sha256);
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === file.bytes) return "saved";
  const { class: className, object, file: id } = file;
  const owner = `${className} ${object}`;
  const receiveFile = () => receive(save.reads, file, path);
  try {
    await (save.sick.has(owner) ? receiveFile() : withPatience(receiveFile, save.reads));
    return "saved";
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // A server that does not answer this either is not one with a sick object, and one that does not know the backup refuses all files.
    await listKeptFiles(save.reads);
    if (error instanceof RefusedCall && error.status === NOT_FOUND) return "gone";
    save.sick.add(owner);
    return { class: className, object, file: id, reason: error.message };
  }
}

/** Writes the bytes of a file, under another name until they are all there. */
async function receive(reads: BackupReads, file: SavedKeptFile, path: string): Promise<void> {
  const { body } = await reads.send(bytesCall(file));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}-${randomUUID()}.partial`;
  const output = await open(partial, "wx", 0o600);
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    try {
      for await (const chunk of chunksOf(body)) {
        bytes += chunk.byteLength;
        if (bytes > file.bytes) break;
        hash.update(chunk);
        await output.appendFile(chunk);
      }
      await output.sync();
    } finally {
      await output.close();
    }
    if (bytes < file.bytes) {
      throw new UnclearError(`The server sends ${bytes} of ${file.bytes} bytes.`);
    }
    if (bytes > file.bytes || hash.digest("hex") !== file.sha256) {
      throw new OperatorError("The server sends other bytes than those that were uploaded.");
    }
    await rename(partial, path);
    syncFolder(dirname(path));
  } finally {
    await rm(partial, { force: true }); // It is there only after a failure.
  }
}
