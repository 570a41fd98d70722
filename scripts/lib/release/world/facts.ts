import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

/** The names in the state of a release, by which a test finds its resources. */
export const WORLD = {
  ledger: "books",
  /** The ledgers for bookings of payments, and for movements of workflows. */
  mirror: "mirror",
  flows: "flows",
  balance: "coupon",
  client: "shop",
  redirectUri: "https://shop.example.com/back",
  person: { email: "ada@example.com", password: "the state of a release" },
  asset: "EUR/2",
} as const;

/** The facts about a state that only its server knew: ids, secrets and the log. */
export const Facts = z.object({
  florin: z.string(),
  connectorID: z.string(),
  /** An initiation that waits for its approval. */
  initiationID: z.string(),
  poolID: z.string(),
  bookingID: z.string(),
  walletID: z.string(),
  holdID: z.string(),
  workflowID: z.string(),
  /** An instance that waits for an event, started by the trigger. */
  waitingID: z.string(),
  /** An instance that waits for a time, which passes before a test opens the state. */
  delayedID: z.string(),
  triggerID: z.string(),
  configID: z.string(),
  configSecret: z.string(),
  clientSecret: z.string(),
  exporterID: z.string(),
  pipelineID: z.string(),
  /** The last entry of the ledger's log, which the pipeline has sent. */
  lastLogID: z.int(),
  /** The exported log of the ledger. */
  log: z.string(),
});
export type Facts = z.output<typeof Facts>;

export const ANY = z.unknown();
/** The answer to the creation of a resource with an id. */
export const Named = z.object({ data: z.object({ id: z.string() }) });
/** An answer with an id only. */
export const Id = z.object({ data: z.string() });
export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({ cursor: z.object({ data: z.array(item) }) });

/** Longest time for a step of the server, and time between two polls, in milliseconds. */
const PATIENCE_MS = 120_000;
const POLL_MS = 100;

/** Polls `ask` until it gives a value, and returns the value. Throws after two minutes. */
export async function waitFor<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (performance.now() > endMs) throw new Error(`${what} takes too long`);
    await delay(POLL_MS);
  }
}

/** The scopes of the client that makes the state. */
export const SCOPES = ["auth", "ledger", "orchestration", "payments", "wallets", "webhooks"].map(
  (name) => `${name}:write`,
);
