import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncFolder } from "./sync-folder.ts";
import {
  FILES,
  LEDGERS,
  nameOfNext,
  pathOfBytes,
  SNAPSHOTS,
  snapshotsAmong,
} from "#platform/backup/saving/file-names.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";
import { OperatorError } from "#scripts/lib/project.ts";

const LOCK = "lock.sqlite";
/** What the name of a snapshot begins with as long as it is not complete, and that of whatever is being removed. */
const PARTIAL = "partial-";
const REMOVED = "removed-";
/** The names of the folders of files, and of the files, of which those that are not complete have an ending. */
const GROUP = /^[\da-f]{2}$/;
const BYTES = /^[\da-f]{64}(?:-[\da-f-]{36}\.partial)?$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The folder of a backup on this machine, into which one run writes at a time; `file-names.ts` draws it. */
export class BackupFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Whether the folder has a backup, complete or not. */
  get isThere(): boolean {
    return existsSync(join(this.path, SNAPSHOTS));
  }

  ledger(uuid: string): string {
    return join(this.path, LEDGERS, uuid);
  }

  /** The path of a file that an object keeps, by the SHA-256 of its bytes. */
  bytes(sha256: string): string {
    return join(this.path, pathOfBytes(sha256));
  }

  snapshot(name: string): string {
    return join(this.path, SNAPSHOTS, name);
  }

  /**
   * The names of complete snapshots in the order in which they were made, whatever clocks said. One without a manifest is not complete: it was
   * copied from a bucket into which it was being written.
   */
  snapshots(): string[] {
    return this.#named().filter((name) => existsSync(join(this.snapshot(name), MANIFEST)));
  }

  /** The name of a snapshot that begins now, as an ISO 8601 time: it comes after all others. */
  nextName(began: string): string {
    return nameOfNext(this.#named(), began);
  }

  #named(): string[] {
    return this.isThere ? snapshotsAmong(readdirSync(join(this.path, SNAPSHOTS))) : [];
  }

  /** Takes the folder for this process; the system frees it when the process ends in any way. Throws `OperatorError` while another has it. */
  lock(): Disposable {
    for (const name of [SNAPSHOTS, LEDGERS]) {
      mkdirSync(join(this.path, name), { recursive: true, mode: 0o700 });
    }
    const lock = new DatabaseSync(join(this.path, LOCK));
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      lock.close();
      throw new OperatorError(`Another backup is being written into ${this.path}.`, { cause });
    }
    return { [Symbol.dispose]: () => lock.close() };
  }

  /** Makes the folder of a snapshot that is not complete yet, and removes what runs have left that broke off. */
  beginSnapshot(name: string): string {
    for (const parent of [SNAPSHOTS, LEDGERS]) {
      for (const other of readdirSync(join(this.path, parent))) {
        const isLeft = other.startsWith(PARTIAL) || other.startsWith(REMOVED);
        if (isLeft) rmSync(join(this.path, parent, other), { recursive: true });
      }
    }
    const path = this.snapshot(`${PARTIAL}${name}`);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  /** Gives a snapshot its name, when all of it is there. */
  completeSnapshot(name: string): void {
    renameSync(this.snapshot(`${PARTIAL}${name}`), this.snapshot(name));
    syncFolder(join(this.path, SNAPSHOTS));
  }

  /** Removes all but the last snapshots; `kept` is at least 1. */
  removeOlder(kept: number): void {
    for (const name of this.snapshots().slice(0, -kept)) {
      this.#remove(SNAPSHOTS, name);
    }
  }

  /** Removes the logs of ledgers that no snapshot has any more, because they were purged. */
  removeLedgersBut(uuids: ReadonlySet<string>): void {
    for (const uuid of readdirSync(join(this.path, LEDGERS))) {
      if (UUID.test(uuid) && !uuids.has(uuid)) this.#remove(LEDGERS, uuid);
    }
  }

  /** Removes the files of objects that no snapshot has any more, by their SHA-256, and what runs have left that broke off. */
  removeBytesBut(wanted: ReadonlySet<string>): void {
    const files = join(this.path, FILES);
    if (!existsSync(files)) return;
    for (const group of readdirSync(files).filter((name) => GROUP.test(name))) {
      for (const name of readdirSync(join(files, group))) {
        const isOwn = BYTES.test(name) && !wanted.has(name);
        if (isOwn) rmSync(join(files, group, name));
      }
    }
  }

  /** Removes a folder, which has another name meanwhile: nobody takes a part of it for the whole. */
  #remove(parent: string, name: string): void {
    const removed = join(this.path, parent, `${REMOVED}${name}`);
    renameSync(join(this.path, parent, name), removed);
    syncFolder(join(this.path, parent));
    rmSync(removed, { recursive: true });
  }
}
