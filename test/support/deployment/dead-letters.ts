import { env } from "cloudflare:workers";
import { DeadLetterStore } from "#platform/dead-letters/store.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";

/** Stores the only message that a queue has given up, under the id 1. */
export async function storeDeadLetter(): Promise<void> {
  await env.DB.prepare("DELETE FROM dead_letters").run();
  await env.DB.prepare("DELETE FROM sqlite_sequence WHERE name = 'dead_letters'").run();
  const body = {
    source: "ledger",
    ledger: "shop",
    uuid: "9f1c1a80-3f0e-4f7b-8a55-1d2c3b4a5e6f",
    from: 12,
    to: 14,
  };
  const message = {
    key: "12 to 14",
    queue: "florin-events",
    ledger: "shop",
    body: stringifyJson(body),
    error: "Error: the ledger is down",
    attempts: 11,
    messageId: "1",
    date: fromMillis(Date.parse("2026-03-01T09:30:00Z")),
  };
  await DeadLetterStore.from(env).keep([message], 1000);
}
