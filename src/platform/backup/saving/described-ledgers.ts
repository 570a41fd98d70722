import type { FailedLedger, SnapshotLedger } from "./backup-manifest.ts";
import type { PartFolder } from "./part-folder.ts";
import type { LedgerPart } from "./part-list.ts";
import type { ListedLedger } from "./saved-ledgers.ts";

/** A ledger of a manifest, all of whose parts are in its folder. `publishedLogId` is the last entry whose event was published before the copy. */
export async function describedLedger(
  ledger: ListedLedger,
  folder: PartFolder,
  publishedLogId: number,
): Promise<SnapshotLedger> {
  const { uuid, name, bucket, features, lastLogId, lastHash, importedLogId } = ledger;
  const parts = await folder.parts();
  return {
    uuid,
    name,
    bucket,
    features,
    lastLogId,
    lastHash,
    entries: entriesOf(parts),
    publishedLogId,
    ...(importedLogId === undefined ? {} : { importedLogId }),
    parts: parts.length,
    partsSha256: await folder.hashOf(parts.length),
  };
}

/** What a folder has of a ledger that could not be saved to its end. */
export async function describedFailure(
  ledger: Pick<FailedLedger, "uuid" | "name" | "reason" | "importedLogId">,
  folder: PartFolder,
  publishedLogId: number,
): Promise<FailedLedger> {
  const { uuid, name, reason, importedLogId } = ledger;
  const parts = await folder.parts().catch(() => []); // The reason of the failure says so already.
  const last = parts.at(-1);
  return {
    uuid,
    name,
    reason,
    lastLogId: last?.to ?? -1,
    lastHash: last?.lastHash ?? "",
    entries: entriesOf(parts),
    publishedLogId,
    ...(importedLogId === undefined ? {} : { importedLogId }),
    parts: parts.length,
    partsSha256: await folder.hashOf(parts.length),
  };
}

const entriesOf = (parts: readonly LedgerPart[]): number =>
  parts.reduce((sum, { entries }) => sum + entries, 0);
