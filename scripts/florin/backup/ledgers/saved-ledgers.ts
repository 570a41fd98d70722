import { z } from "zod";
import { withPatience } from "#scripts/florin/backup/patience.ts";
import type { Api } from "#scripts/lib/api.ts";

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

const Listed = z.object({
  data: z.object({ ledgers: z.array(ListedLedger), next: z.int().optional() }),
});

/** All ledgers, by their uuids, and how far they have come at this time. */
export async function listLedgers(
  api: Api,
  backup: string,
): Promise<ReadonlyMap<string, ListedLedger>> {
  const ledgers = new Map<string, ListedLedger>();
  for (let after: number | undefined = 0; after !== undefined;) {
    const query: Record<string, string> = { backup, after: String(after) };
    const { data } = await withPatience(() =>
      api.call({ method: "GET", path: LEDGERS_PATH, query, answer: Listed }),
    );
    for (const ledger of data.ledgers) ledgers.set(ledger.uuid, ledger);
    after = data.next;
  }
  return ledgers;
}

export const LEDGERS_PATH = "/api/florin/v1/backup/ledgers";
