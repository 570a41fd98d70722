import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { ownerOf } from "#modules/orchestration/triggers/matching/select.ts";
import { readTriggers } from "#modules/orchestration/triggers/store.ts";
import { present } from "#platform/assert.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis } from "#platform/time.ts";
import { freshClient } from "#test/support/auth/clients.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import {
  deliver,
  eventOf,
  newTrigger,
  occurrencesOf,
  triggerContext,
  untilFired,
} from "#test/support/orchestration/triggers.ts";
import { comeBack, type RowRecord, withRows } from "#test/support/platform/backup/come-back.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const HOUR_MS = 3_600_000;

test("what waits in a lane fires once, and what the backup does not have fires nothing", async () => {
  const token = await freshClient("orchestration:write", "payments:read");
  const { id, event } = await newTrigger({ filter: "event.n >= 0" }, token);
  const all = await readTriggers(triggerContext, { where: undefined });
  const trigger = present(
    all.find((it) => it.id === id),
    "the trigger is there",
  );
  const lane = () => env.TRIGGER_LANES.getByName(ownerOf(trigger));
  const fired = eventOf(event, { n: 0 });
  await deliver([fired]);
  await untilFired(id);
  await eventually(async () =>
    expect(await lane().figures(trigger.key)).toMatchObject({ waiting: 0 }),
  );

  const ledger = await freshLedger();
  const uuid = await env.DB.prepare("SELECT uuid FROM ledgers WHERE name = ?")
    .bind(ledger)
    .first<string>("uuid");
  const later = fromMillis(Date.now() + 2 * HOUR_MS);
  const waiting: readonly PlatformEvent[] = [
    eventOf(event, { n: 1 }),
    fired,
    { ...eventOf(event, { n: 2 }), id: `${uuid}:99` },
    { ...eventOf(event, { n: 3 }), id: `${crypto.randomUUID()}:1` },
    { ...eventOf(event, { n: 4 }), date: later },
  ];
  const work = waiting.map((one, place): RowRecord => ({
    seq: place + 1,
    event_id: one.id,
    at_ms: 1,
    triggers: `[${trigger.key}]`,
    event: stringifyJson(one),
  }));
  const counted = (rows: readonly RowRecord[]) => rows.map((row) => ({ ...row, waiting: 5 }));
  await comeBack(lane, {
    databaseMs: Date.now() + HOUR_MS,
    change: (saved) =>
      withRows(
        withRows(saved, "work", () => work),
        "trigger",
        counted,
      ),
  });
  await untilFired(id, 2);
  await eventually(async () =>
    expect(await lane().figures(trigger.key)).toMatchObject({ waiting: 0 }),
  );
  const payloads = (await occurrencesOf(id)).map((one) => one.event.payload);
  expect(payloads).toHaveLength(2);
  expect(payloads).toEqual(expect.arrayContaining([{ n: 0 }, { n: 1 }]));
  await deliver([waiting[2] ?? fired]);
  await untilFired(id, 3);
});
