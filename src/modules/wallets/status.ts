import { sql } from "drizzle-orm";
import { walletHoldExpiries } from "./holds/tables.ts";
import type { StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";

const HOLD = {
  id: sql`hold_id`,
  path: (id: string) => `/api/wallets/holds/${encodeURIComponent(id)}`,
};

/** What waits in the module. */
export const WALLETS_STATUS: readonly StatusSection[] = [
  queuesSection("wallets", { name: "holds", description: "Holds that expire" }, [
    {
      work: "expired-holds",
      item: HOLD,
      table: sql`${walletHoldExpiries}`,
      due: sql`due_at`,
      graceMs: 60_000,
      severity: "critical",
      why: "the holds are past their time and still hold money",
      whatToDo: "look at the log for the sweep 'wallet-holds', which voids them",
    },
    {
      work: "unvoidable-holds",
      item: HOLD,
      table: sql`${walletHoldExpiries}`,
      where: sql`attempts > 0`,
      due: sql`asked_at`,
      graceMs: 60_000,
      severity: "critical",
      why: "the holds have expired, and the ledger has refused to void them",
      whatToDo:
        "look at the log for 'a hold that has expired is voided later', which has the reason",
    },
  ]),
];
