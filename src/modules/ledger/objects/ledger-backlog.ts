import type { LedgerEngine } from "#ledger-engine";
import { LEDGER_BACKLOG } from "#modules/catalogue/index.ts";
import { databaseOf } from "#platform/db/database.ts";
import { BacklogNote } from "#platform/status/object-backlogs.ts";

/** Tells D1 of a ledger whose events no consumer confirms, and when they are all confirmed. */
export interface LedgerBacklog {
  /** Called when the events of a ledger had to be announced again. */
  lags(engine: LedgerEngine): Promise<void>;
  /** Called when all events of a ledger are confirmed. */
  isConfirmed(ledger: string): Promise<void>;
}

export function ledgerBacklog(
  { storage }: Pick<DurableObjectState, "storage">,
  env: Pick<Env, "DB">,
): LedgerBacklog {
  const nowMs = () => Date.now();
  const note = new BacklogNote({
    kind: LEDGER_BACKLOG,
    kv: storage.kv,
    db: () => databaseOf(env),
    nowMs,
  });
  return {
    lags: ({ info, lastLogId, publishedLogId }) =>
      note.tell(info.name, {
        waiting: lastLogId - publishedLogId,
        sinceMs: note.notedSinceMs ?? nowMs(),
        reason: "their events were announced again, and no consumer has confirmed them",
      }),
    isConfirmed: (ledger) => note.tell(ledger, undefined),
  };
}
