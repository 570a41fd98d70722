import { replaceLostParts } from "./lost-parts.ts";
import type { LedgerPart } from "./part-list.ts";
import { withPatience } from "./patience.ts";
import { NotContinuedError, type PartSave, readLog, savePart } from "./save-part.ts";

/** A ledger that is saved, and where. */
interface LedgerSave extends PartSave {
  /** Told of each part that is complete. */
  readonly onPart: (part: LedgerPart) => void;
}

/**
 * Saves the entries of a ledger that its folder does not have yet, up to the last one of `ledger`, and returns all parts. Parts whose files are
 * lost are read again. Throws `NotContinuedError` where the log does not continue what was saved, and `OperatorError` for a lost part that the
 * server does not have as it was.
 */
export async function saveLedger(save: LedgerSave): Promise<LedgerPart[]> {
  const { folder, ledger } = save;
  const parts = await folder.parts();
  const last = parts.at(-1);
  if (last === undefined && ledger.lastLogId < 0) return parts;
  await folder.prepare();
  // Where there is more to read, the entry at the end of the last part is read and compared with it.
  if (last !== undefined && ledger.lastLogId <= last.to) await assertContinues(save);
  await replaceLostParts(save, parts);
  for (;;) {
    const part = await saveNextPart(save, parts.at(-1));
    if (part === undefined) return parts;
    parts.push(part);
    save.onPart(part);
  }
}

/** Saves the part behind another one, or the first one; undefined if the log ends there. Throws `NotContinuedError`. */
export async function saveNextPart(
  save: PartSave,
  before: LedgerPart | undefined,
): Promise<LedgerPart | undefined> {
  if ((before?.to ?? -1) >= save.ledger.lastLogId) return undefined;
  const part = await savePart(save, before);
  await save.folder.append(part);
  return part;
}

/**
 * Throws `NotContinuedError` where the server's log is shorter than what was saved, or has another entry at its end. Nothing is written. A log
 * without hashes, and one that has grown, is asked for the entry.
 */
export async function assertContinues(
  save: Pick<LedgerSave, "reads" | "ledger" | "folder">,
): Promise<void> {
  const { reads, ledger, folder } = save;
  const last = (await folder.parts()).at(-1);
  if (last === undefined) return;
  const isSame = ledger.lastLogId === last.to && ledger.lastHash === last.lastHash;
  if (isSame && last.lastHash !== "") return;
  const isOther = ledger.lastLogId === last.to && !isSame;
  if (ledger.lastLogId < last.to || isOther) throw new NotContinuedError(ledger.name, last.to);
  const asSaved = { ...save, ledger: { ...ledger, lastLogId: last.to } };
  await withPatience(() => readLog(asSaved, last, async () => undefined), reads);
}
