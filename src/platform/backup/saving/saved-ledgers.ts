import { z } from "zod";
import type { BackupReads } from "./calls.ts";
import { sleep, withPatience } from "./patience.ts";

export const LEDGERS_PATH = "/api/florin/v1/backup/ledgers";

/** A ledger as the server lists it for a backup. */
const ListedLedger = z.object({
  id: z.int(),
  uuid: z.uuid(),
  name: z.string(),
  bucket: z.string(),
  features: z.record(z.string(), z.string()),
  deletedAt: z.string().optional(),
  lastLogId: z.int(),
  lastHash: z.string(),
  publishedLogId: z.int(),
  importedLogId: z.int().optional(),
});
export type ListedLedger = z.output<typeof ListedLedger>;

/** A ledger whose object does not say how far it has come, and why. */
const SilentLedger = z.object({ uuid: z.uuid(), name: z.string(), reason: z.string() });

const Listed = z.object({
  data: z.object({
    ledgers: z.array(ListedLedger),
    /** Absent in answers of earlier versions. */
    failed: z.array(SilentLedger).default([]),
    next: z.int().optional(),
  }),
});
export type LedgerPage = z.output<typeof Listed>["data"];

/** All ledgers by their uuids: how far they have come at this time, or why that is not known. */
export interface ListedLedgers {
  readonly ledgers: ReadonlyMap<string, ListedLedger>;
  readonly failed: ReadonlyMap<string, string>;
}

/** Waits before a page is read again on which ledgers do not answer, in milliseconds: one that was just made has an object in a moment. */
const SILENT_WAITS_MS = [250, 2000];

export async function listLedgers(reads: BackupReads): Promise<ListedLedgers> {
  const ledgers = new Map<string, ListedLedger>();
  const failed = new Map<string, string>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const page: LedgerPage = await readLedgers(reads, after);
    for (const ledger of page.ledgers) ledgers.set(ledger.uuid, ledger);
    for (const { uuid, reason } of page.failed) failed.set(uuid, reason);
    after = page.next;
  }
  return { ledgers, failed };
}

/** Whether the server still has a ledger. Throws where the server does not answer. */
export async function isListed(reads: BackupReads, { id, uuid }: ListedLedger): Promise<boolean> {
  const { ledgers, failed } = await readOnce(reads, id - 1);
  return [...ledgers, ...failed].some((ledger) => ledger.uuid === uuid);
}

/** A page of ledgers. One on which ledgers do not answer is read again a few times. */
export async function readLedgers(reads: BackupReads, after: number): Promise<LedgerPage> {
  for (let tries = 0; ; tries++) {
    const page = await readOnce(reads, after);
    const waitMs = (reads.waitsMs ?? SILENT_WAITS_MS)[tries];
    if (page.failed.length === 0 || waitMs === undefined) return page;
    await sleep(waitMs);
  }
}

const readOnce = async (reads: BackupReads, after: number): Promise<LedgerPage> => {
  const query = { after: String(after) };
  const request = { method: "GET", path: LEDGERS_PATH, query, answer: Listed } as const;
  return (await withPatience(() => reads.call(request), reads)).data;
};
