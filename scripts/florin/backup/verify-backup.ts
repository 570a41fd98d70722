import { join } from "node:path";
import type { BackupFolder } from "./backup-folder.ts";
import { readBackupManifest } from "./backup-manifest.ts";
import { hashOf, problemOf } from "./file-hash.ts";
import { verifyFiles } from "./files/saved-files.ts";
import { verifyLedger } from "./ledgers/verify-ledger.ts";
import { readCatalogue } from "./saved-catalogue.ts";
import { problemOfClass } from "./saved-objects.ts";
import { verifyDatabase } from "./verify-database.ts";
import { problemsOfCatalogue } from "./verify/catalogue-problems.ts";
import { checkKeys } from "./verify/key-problems.ts";
import { problemsOf } from "./verify/problems-of.ts";
import type { Opener } from "./wrapped-keys.ts";
import {
  type BackupManifest,
  failureOfLedger,
  failuresOfClass,
  failuresOfFiles,
} from "#platform/backup/saving/backup-manifest.ts";
import type { CatalogueRow } from "#platform/backup/saving/catalogue-rows.ts";
import { MANIFEST } from "#platform/backup/saving/manifest.ts";

/** A snapshot that is checked, and what is known of it from elsewhere. */
interface BackupCheck {
  readonly snapshot: string;
  /** The SHA-256 of its manifest, which was printed when the backup was made. */
  readonly sha256?: string | undefined;
  /** What opens its keys. */
  readonly opener?: Opener | undefined;
  readonly note: (line: string) => void;
}

/** What is wrong with a snapshot of a backup, a sentence each. */
interface CheckedBackup {
  readonly manifest: BackupManifest;
  readonly problems: readonly string[];
  /** The ids of keys with which values are encrypted, and that are not in the backup. */
  readonly missingKeyIds: readonly string[];
}

/**
 * Checks a snapshot: all its files, each log by replaying it, and that the database and the logs have the same ledgers. Damage is listed; throws
 * `OperatorError` only for a folder without a manifest that can be read.
 */
export async function verifyBackup(
  folder: BackupFolder,
  check: BackupCheck,
): Promise<CheckedBackup> {
  const manifest = readBackupManifest(folder.snapshot(check.snapshot));
  const verification = new BackupVerification(folder, check, manifest);
  await verification.run();
  const { problems, keyIds } = verification;
  const missingKeyIds = manifest.keyIds.filter((id) => !keyIds.includes(id));
  return { manifest, problems, missingKeyIds };
}

class BackupVerification {
  readonly problems: string[] = [];
  /** The ids of the keys that are in the backup. */
  keyIds: readonly string[] = [];
  readonly #folder: BackupFolder;
  readonly #check: BackupCheck;
  readonly #manifest: BackupManifest;
  readonly #path: string;
  #catalogue: readonly CatalogueRow[] = [];

  constructor(folder: BackupFolder, check: BackupCheck, manifest: BackupManifest) {
    this.#folder = folder;
    this.#check = check;
    this.#manifest = manifest;
    this.#path = folder.snapshot(check.snapshot);
  }

  async run(): Promise<void> {
    const { database, keys, objects } = this.#manifest;
    await this.#list(MANIFEST, () => this.#manifestProblems());
    if (keys !== null) {
      await this.#list(keys.file, async () => {
        const checked = await checkKeys(this.#path, keys, this.#check.opener);
        this.keyIds = checked.keyIds;
        return checked.problems;
      });
    } else if (this.#check.opener !== undefined) {
      this.problems.push("The keys are not in this backup, so that nothing opens them.");
    }
    for (const saved of objects) {
      await this.#list(saved.file, async () => {
        const problem = await problemOfClass(join(this.#path, "objects"), saved);
        return [...(problem === undefined ? [] : [problem]), ...failuresOfClass(saved)];
      });
    }
    const { files } = this.#manifest;
    if (files !== undefined) {
      await this.#list(files.file, async () => {
        const checked = await verifyFiles(this.#folder, this.#path, files);
        return [...checked.problems, ...failuresOfFiles(this.#manifest)];
      });
    }
    await this.#list(database.file, () => this.#databaseProblems());
    await this.#replayLogs();
  }

  async #list(what: string, check: () => Promise<readonly string[]>): Promise<void> {
    this.problems.push(...(await problemsOf(what, check)));
  }

  async #manifestProblems(): Promise<string[]> {
    const { sha256 } = this.#check;
    if (sha256 === undefined) return [];
    const found = await hashOf(join(this.#path, MANIFEST));
    return found === sha256.toLowerCase()
      ? []
      : [`${MANIFEST} has the SHA-256 ${found}, and not the given one: it was changed.`];
  }

  async #databaseProblems(): Promise<readonly string[]> {
    const { database } = this.#manifest;
    const problem = await problemOf(join(this.#path, database.file), database);
    if (problem !== undefined) return [problem];
    const folder = join(this.#path, "database");
    const checked = await verifyDatabase(folder);
    if (checked.problems.length > 0) return checked.problems;
    this.#catalogue = await readCatalogue(folder, checked.manifest);
    return problemsOfCatalogue(this.#catalogue, this.#manifest);
  }

  async #replayLogs(): Promise<void> {
    const { ledgers, failed = [] } = this.#manifest;
    let replayed = 0;
    const replay = async (ledger: Parameters<typeof verifyLedger>[1]): Promise<void> => {
      const folder = this.#folder.ledger(ledger.uuid);
      await this.#list(`${ledger.name}: the log`, () => verifyLedger(folder, ledger));
      replayed += ledger.entries;
      this.#check.note(`  ${replayed} entries replayed, ${ledger.name}`);
    };
    for (const ledger of ledgers) await replay(ledger);
    for (const ledger of failed) {
      this.problems.push(failureOfLedger(ledger));
      const row = this.#catalogue.find(({ uuid }) => uuid === ledger.uuid);
      if (row !== undefined) await replay({ ...row, ...ledger });
    }
  }
}
