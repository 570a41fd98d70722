import type { DescribedFile, PartFolder } from "./part-folder.ts";
import type { LedgerPart } from "./part-list.ts";
import { type PartSave, savePart } from "./save-part.ts";
import { OperatorError } from "#platform/errors.ts";

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
    if (!(await isThere(save.folder, part))) await replace(save, part, parts[index - 1]);
  }
}

/** Reads the first part again whose files are lost, as `replaceLostParts` does. Returns whether there was one. */
export async function replaceLostPart(
  save: PartSave,
  parts: readonly LedgerPart[],
): Promise<boolean> {
  for (const [index, part] of parts.entries()) {
    if (await isThere(save.folder, part)) continue;
    await replace(save, part, parts[index - 1]);
    return true;
  }
  return false;
}

/** Whether the files of a part are there with their sizes. Only `backup verify` reads their bytes. */
export async function isThere(folder: PartFolder, { log, origins }: LedgerPart): Promise<boolean> {
  for (const { file, bytes } of [log, origins]) {
    if ((await folder.sizeOf(file)) !== bytes) return false;
  }
  return true;
}

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
  await folder.rename([
    [again.log.file, part.log.file],
    [again.origins.file, part.origins.file],
  ]);
}

const isSameFile = (one: DescribedFile, other: DescribedFile): boolean =>
  one.sha256 === other.sha256;
