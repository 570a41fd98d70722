import { eachAtOnce, LEDGERS_AT_ONCE } from "./each-at-once.ts";
import { directoryParts } from "./ledger-parts.ts";
import type { FailedLedger, SnapshotLedger } from "#platform/backup/saving/backup-manifest.ts";
import type { BackupReads } from "#platform/backup/saving/calls.ts";
import type { CatalogueRow } from "#platform/backup/saving/catalogue-rows.ts";
import { describedFailure, describedLedger } from "#platform/backup/saving/described-ledgers.ts";
import { assertContinues, saveLedger } from "#platform/backup/saving/save-ledger.ts";
import { NotContinuedError } from "#platform/backup/saving/save-part.ts";
import {
  isListed,
  type ListedLedgers,
  type ListedLedger,
} from "#platform/backup/saving/saved-ledgers.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** Entries, and bytes of text, of a part: a run that breaks off has at most one part of each ledger to read again. */
const PART_MAX = { entries: 200_000, bytes: 500_000_000 } as const;

interface LedgersSave {
  readonly reads: BackupReads;
  readonly folder: BackupFolder;
  readonly note: (line: string) => void;
}

/** The ledgers that a backup has to save, and what the server has said of them. */
export interface LedgersToSave {
  /** The ledgers of the saved database that are not being purged. */
  readonly wanted: readonly CatalogueRow[];
  readonly listed: ListedLedgers;
  /** Up to where events of ledgers were published before the database was copied, by their uuids. */
  readonly published: ReadonlyMap<string, number>;
}

/** What has become of each ledger that was to be saved. */
export interface SavedLogs {
  readonly ledgers: SnapshotLedger[];
  readonly failed: FailedLedger[];
  /** The uuids of ledgers that the server no longer has. */
  readonly purged: string[];
  /** How many entries were added. */
  readonly added: number;
}

/**
 * Saves the new entries of ledgers, some ledgers at once:
 *
 *     compare all ─► one log is another one than was saved ─► the run is refused: `NotContinuedError`, nothing was added
 *          │
 *          ▼
 *     save each ─► saved  │  the server has no such ledger any more: purged  │  all else: failed, and the others go on
 *
 * Throws also where the server does not answer at all, and for errors of this machine, such as a full disk.
 */
export async function saveLedgers(save: LedgersSave, toSave: LedgersToSave): Promise<SavedLogs> {
  const run = new LedgersRun(save, toSave);
  await run.compare();
  await run.save();
  return run.result();
}

class LedgersRun {
  readonly #save: LedgersSave;
  readonly #toSave: LedgersToSave;
  readonly #saved = new Map<string, SnapshotLedger>();
  readonly #failed: Map<string, string>;
  readonly #purged = new Set<string>();
  #added = 0;

  constructor(save: LedgersSave, toSave: LedgersToSave) {
    this.#save = save;
    this.#toSave = toSave;
    this.#failed = new Map(toSave.listed.failed);
  }

  compare(): Promise<void> {
    const { reads, folder } = this.#save;
    return this.#each((ledger) =>
      assertContinues({ reads, ledger, folder: directoryParts(folder.ledger(ledger.uuid)) }),
    );
  }

  save(): Promise<void> {
    const { reads, folder, note } = this.#save;
    return this.#each(async (ledger) => {
      const { uuid, name } = ledger;
      const parts = directoryParts(folder.ledger(uuid));
      await saveLedger({
        reads,
        ledger,
        folder: parts,
        partMax: PART_MAX,
        onPart: (part) => {
          this.#added += part.entries;
          note(`  ${this.#added} entries so far, ${name}`);
        },
      });
      this.#saved.set(uuid, await describedLedger(ledger, parts, this.#publishedOf(uuid)));
    });
  }

  async result(): Promise<SavedLogs> {
    const { wanted } = this.#toSave;
    const failed: FailedLedger[] = [];
    for (const ledger of wanted) {
      const reason = this.#failed.get(ledger.uuid);
      if (reason !== undefined) failed.push(await this.#describedFailure(ledger, reason));
    }
    return {
      ledgers: wanted.flatMap(({ uuid }) => this.#saved.get(uuid) ?? []),
      failed,
      purged: wanted
        .map(({ uuid }) => uuid)
        .filter((uuid) => !this.#saved.has(uuid) && !this.#failed.has(uuid)),
      added: this.#added,
    };
  }

  /** Works on ledgers that have neither failed nor gone, some at once. */
  async #each(work: (ledger: ListedLedger) => Promise<void>): Promise<void> {
    const { wanted, listed } = this.#toSave;
    const waiting = wanted.flatMap(({ uuid }) =>
      this.#failed.has(uuid) || this.#purged.has(uuid) ? [] : (listed.ledgers.get(uuid) ?? []),
    );
    await eachAtOnce(waiting, LEDGERS_AT_ONCE, (ledger) => this.#attempt(ledger, work));
  }

  async #attempt(
    ledger: ListedLedger,
    work: (ledger: ListedLedger) => Promise<void>,
  ): Promise<void> {
    try {
      await work(ledger);
    } catch (error) {
      if (!(error instanceof OperatorError) || error instanceof NotContinuedError) throw error;
      // A server that does not answer this either is not one with a sick ledger.
      const isThere = await isListed(this.#save.reads, ledger);
      if (isThere) this.#failed.set(ledger.uuid, error.message);
      else this.#purged.add(ledger.uuid);
    }
  }

  #describedFailure(ledger: CatalogueRow, reason: string): Promise<FailedLedger> {
    const { uuid } = ledger;
    const folder = directoryParts(this.#save.folder.ledger(uuid));
    const importedLogId = this.#toSave.listed.ledgers.get(uuid)?.importedLogId;
    return describedFailure({ ...ledger, reason, importedLogId }, folder, this.#publishedOf(uuid));
  }

  #publishedOf(uuid: string): number {
    return this.#toSave.published.get(uuid) ?? 0;
  }
}
