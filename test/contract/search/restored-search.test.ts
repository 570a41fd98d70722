import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { sweepSearch } from "#modules/search/follow/sweep.ts";
import { systemContext } from "#platform/context.ts";
import { readOwnApiOf } from "#src/app.ts";
import {
  serveAgain,
  underWay,
  workForTheNextFile,
  writtenToTheEnd,
} from "#test/support/deployment/restoring.ts";
import { inLedger } from "#test/support/ledger/api.ts";
import { freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { newLedger, pay } from "#test/support/reconciliation/books.ts";
import { page } from "#test/support/search/searches.ts";

const context = { ...systemContext(env, "test"), readOwnApi: readOwnApiOf(env) };

/** A ledger with the log of another one, of whose entries no event tells. */
async function importedLedger(): Promise<string> {
  const [from, to] = [await newLedger(), await newLedger()];
  await pay(from, { to: "users:1", amount: 1 });
  const log = await (await inLedger(from, "/logs/export", { method: "POST" })).text();
  expect((await inLedger(to, "/logs/import", { body: log })).status).toBe(204);
  return to;
}

afterAll(workForTheNextFile);

test("the search of a deployment that was served before finds what a backup has brought, of which no event tells", async () => {
  const ledger = await importedLedger();
  // Its row comes later, as from a backup, with an id that the search has passed already.
  const row = await env.DB.prepare("DELETE FROM ledgers WHERE name = ? RETURNING *")
    .bind(ledger)
    .first<Record<string, string | number | null>>();
  await newLedger();
  await sweepSearch(context);

  const columns = Object.keys(row ?? {});
  await env.DB.prepare(
    `INSERT INTO ledgers (${columns.join()}) VALUES (${columns.map(() => "?").join()})`,
  )
    .bind(...Object.values(row ?? {}))
    .run();
  const pool = freshName("pool");
  await env.DB.prepare(
    `INSERT INTO payment_pools (id, name, type, created_at, change_id)
     VALUES (?, ?, 'STATIC', '2026-03-01T09:30:00.000000Z', 'change')`,
  )
    .bind(crypto.randomUUID(), pool)
    .run();
  const restoration = await underWay();
  await writtenToTheEnd();
  expect((await restoration.call("/end", { method: "POST" })).status).toBe(204);
  serveAgain();

  await eventually(async () => {
    await sweepSearch(context);
    const transactions = await page({ target: "TRANSACTION", ledgers: [ledger], pageSize: 100 });
    const pools = await page({ target: "POOL", terms: [pool] });
    expect([transactions.data.length, pools.data.length]).toEqual([1, 1]);
  });
});
