import { env } from "cloudflare:workers";

/** Keeps a copy of every later event, because the outbox deletes an event as soon as its consumers have it. */
export async function keepEvents(): Promise<void> {
  await env.DB.prepare("CREATE TABLE kept_events (key INTEGER PRIMARY KEY, event TEXT)").run();
  await env.DB.prepare(
    "CREATE TRIGGER keep_events AFTER INSERT ON outbox BEGIN INSERT INTO kept_events (event) VALUES (NEW.event); END",
  ).run();
}

export interface KeptEvent {
  readonly type: string;
  readonly payload: object;
}

/** The kept events whose JSON contains all given texts, in their order. */
export async function keptEvents(...texts: readonly string[]): Promise<KeptEvent[]> {
  const stored = await env.DB.prepare(
    "SELECT event FROM kept_events WHERE NOT EXISTS (SELECT 1 FROM json_each(?) WHERE instr(event, value) = 0) ORDER BY key",
  )
    .bind(JSON.stringify(texts))
    .all<{ event: string }>();
  return stored.results.map(({ event }) => JSON.parse(event) as KeptEvent);
}
