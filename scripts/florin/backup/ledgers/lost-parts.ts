import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { LedgerPart } from "./ledger-parts.ts";
import { type PartSave, savePart } from "./save-part.ts";
import type { DescribedFile } from "#scripts/florin/backup/file-hash.ts";
import { syncFolder } from "#scripts/florin/backup/sync-folder.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The end of the names of files that were read again, until they take the places of lost ones. */
const AGAIN = ".partial";

/**
 * Reads parts again whose files are lost or have another size than they had. Their lines in the list of parts stay as they are, because kept
 * snapshots rely on them. Throws `OperatorError` for a part that does not come back byte for byte.
 */
export async function replaceLostParts(
  save: PartSave,
  parts: readonly LedgerPart[],
): Promise<void> {
  for (const [index, part] of parts.entries()) {
    if (!isThere(save.folder, part)) await replace(save, part, parts[index - 1]);
  }
}

/** Whether the files of a part are there with their sizes. Only `backup verify` reads their bytes. */
const isThere = (folder: string, { log, origins }: LedgerPart): boolean =>
  [log, origins].every(
    ({ file, bytes }) => statSync(join(folder, file), { throwIfNoEntry: false })?.size === bytes,
  );

async function replace(
  save: PartSave,
  part: LedgerPart,
  before: LedgerPart | undefined,
): Promise<void> {
  const { folder, ledger } = save;
  const whole = { entries: Infinity, bytes: Infinity };
  const upToPart = { ...save, ledger: { ...ledger, lastLogId: part.to }, partMax: whole };
  const again = await savePart(upToPart, before, AGAIN);
  if (!isSameFile(again.log, part.log) || !isSameFile(again.origins, part.origins)) {
    throw new OperatorError(
      `The files ${part.log.file} and ${part.origins.file} of the ledger '${ledger.name}' are lost or damaged, and the server does not have them byte for byte any more. Save it into another folder.`,
    );
  }
  for (const [found, lost] of [
    [again.log, part.log],
    [again.origins, part.origins],
  ] as const) {
    renameSync(join(folder, found.file), join(folder, lost.file));
  }
  syncFolder(folder);
}

const isSameFile = (one: DescribedFile, other: DescribedFile): boolean =>
  one.sha256 === other.sha256;
