import { eachAtOnce, LEDGERS_AT_ONCE } from "./each-at-once.ts";
import { hashOfParts, type LedgerPart, readParts } from "./ledger-parts.ts";
import { assertContinues, saveLedger } from "./save-ledger.ts";
import { NotContinuedError } from "./save-part.ts";
import { isListed, type LedgerList, type ListedLedger } from "./saved-ledgers.ts";
import type { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import type { FailedLedger, SnapshotLedger } from "#scripts/florin/backup/backup-manifest.ts";
import type { BackupReads } from "#scripts/florin/backup/calls/backup-session.ts";
import type { CataloguedLedger } from "#scripts/florin/backup/saved-catalogue.ts";
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
  readonly wanted: readonly CataloguedLedger[];
  readonly listed: LedgerList;
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
      assertContinues({ reads, ledger, folder: folder.ledger(ledger.uuid) }),
    );
  }

  save(): Promise<void> {
    const { reads, folder, note } = this.#save;
    return this.#each(async (ledger) => {
      const { uuid, name } = ledger;
      const parts = await saveLedger({
        reads,
        ledger,
        folder: folder.ledger(uuid),
        partMax: PART_MAX,
        onPart: (part) => {
          this.#added += part.entries;
          note(`  ${this.#added} entries so far, ${name}`);
        },
      });
      this.#saved.set(uuid, this.#described(ledger, parts));
    });
  }

  result(): SavedLogs {
    const { wanted } = this.#toSave;
    const failed = wanted.filter(({ uuid }) => this.#failed.has(uuid));
    return {
      ledgers: wanted.flatMap(({ uuid }) => this.#saved.get(uuid) ?? []),
      failed: failed.map((ledger) => this.#describedFailure(ledger)),
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

  #described(ledger: ListedLedger, parts: readonly LedgerPart[]): SnapshotLedger {
    const { uuid, name, bucket, features, lastLogId, lastHash, importedLogId } = ledger;
    return {
      uuid,
      name,
      bucket,
      features,
      lastLogId,
      lastHash,
      entries: entriesOf(parts),
      publishedLogId: this.#publishedOf(uuid),
      ...(importedLogId === undefined ? {} : { importedLogId }),
      parts: parts.length,
      partsSha256: hashOfParts(this.#save.folder.ledger(uuid), parts.length),
    };
  }

  /** What the folder has of a ledger that could not be saved to its end. */
  #describedFailure({ uuid, name }: CataloguedLedger): FailedLedger {
    const folder = this.#save.folder.ledger(uuid);
    const parts = completeParts(folder);
    const last = parts.at(-1);
    const importedLogId = this.#toSave.listed.ledgers.get(uuid)?.importedLogId;
    return {
      uuid,
      name,
      reason: this.#failed.get(uuid) ?? "",
      lastLogId: last?.to ?? -1,
      lastHash: last?.lastHash ?? "",
      entries: entriesOf(parts),
      publishedLogId: this.#publishedOf(uuid),
      ...(importedLogId === undefined ? {} : { importedLogId }),
      parts: parts.length,
      partsSha256: hashOfParts(folder, parts.length),
    };
  }

  #publishedOf(uuid: string): number {
    return this.#toSave.published.get(uuid) ?? 0;
  }
}

const entriesOf = (parts: readonly LedgerPart[]): number =>
  parts.reduce((sum, { entries }) => sum + entries, 0);

/** The parts of a ledger; none where their list cannot be read. */
function completeParts(folder: string): LedgerPart[] {
  try {
    return readParts(folder);
  } catch {
    return []; // The reason of the failure says so already.
  }
}
