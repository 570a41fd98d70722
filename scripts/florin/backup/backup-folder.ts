import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError } from "#scripts/lib/project.ts";

const LOCK = "lock.sqlite";
const SNAPSHOTS = "snapshots";
const LEDGERS = "ledgers";
/** What the name of a snapshot begins with as long as it is not complete. */
const PARTIAL = "partial-";

/**
 * The folder of a backup, into which one run writes at a time:
 *
 *     ledgers/<uuid>/     parts of a ledger's log, to which each run adds
 *     snapshots/<time>/   everything else, as of one run; its manifest says which parts of ledgers belong to it
 */
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

  snapshot(name: string): string {
    return join(this.path, SNAPSHOTS, name);
  }

  /** The names of complete snapshots, from the first on. */
  snapshots(): string[] {
    if (!this.isThere) return [];
    const names = readdirSync(join(this.path, SNAPSHOTS));
    return names.filter((name) => !name.startsWith(PARTIAL)).toSorted();
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

  /** Makes the folder of a snapshot that is not complete yet, and removes those of runs that broke off. */
  beginSnapshot(name: string): string {
    for (const other of readdirSync(join(this.path, SNAPSHOTS))) {
      if (other.startsWith(PARTIAL)) rmSync(this.snapshot(other), { recursive: true });
    }
    const path = this.snapshot(`${PARTIAL}${name}`);
    mkdirSync(path, { mode: 0o700 });
    return path;
  }

  /** Removes all but the last snapshots. */
  removeOlder(kept: number): void {
    for (const name of this.snapshots().slice(0, -kept)) {
      rmSync(this.snapshot(name), { recursive: true });
    }
  }

  /** Removes the logs of ledgers that no snapshot has any more, because they were purged. */
  removeLedgersBut(uuids: ReadonlySet<string>): void {
    for (const uuid of readdirSync(join(this.path, LEDGERS))) {
      if (!uuids.has(uuid)) rmSync(this.ledger(uuid), { recursive: true });
    }
  }
}
