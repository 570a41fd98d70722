import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { sweepSearch } from "#modules/search/follow/sweep.ts";
import { d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { systemContext } from "#platform/context.ts";
import { readOwnApiOf } from "#src/app.ts";
import { serveAgain, underWay, workForTheNextFile } from "#test/support/deployment/restoring.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { page } from "#test/support/search/searches.ts";

afterAll(workForTheNextFile);

const context = { ...systemContext(env, "test"), readOwnApi: readOwnApiOf(env) };

test("what a backup has brought is found, although the empty deployment has read all lists to their ends", async () => {
  const [known, name] = [freshName("pool"), freshName("pool")];
  await api("/api/payments/v3/pools", { body: { name: known, accountIDs: [] } });
  const find = async (term: string) => (await page({ target: "POOL", terms: [term] })).data.length;
  await eventually(async () => {
    await sweepSearch(context);
    expect(await find(known)).toBe(1);
    expect(await sweepSearch(context)).toBeUndefined();
  });
  // A row comes without an event.
  await env.DB.prepare("UPDATE payment_pools SET name = ? WHERE name = ?").bind(name, known).run();
  await sweepSearch(context);
  expect(await find(name)).toBe(0);
  const restoration = await underWay();
  for (const table of await restorableTables(d1CopyDatabase(env.DB))) {
    await env.DB.prepare("INSERT INTO restored_tables VALUES (?, 0, 1)").bind(table.name).run();
  }
  await env.DB.prepare("INSERT INTO restored_parts SELECT 'ledger', uuid, -1 FROM ledgers").run();
  await env.DB.prepare(
    "UPDATE restoration SET plan = json_set(plan, '$.ledgers', (SELECT count(*) FROM restored_parts))",
  ).run();
  expect((await restoration.call("/end", { method: "POST" })).status).toBe(204);
  serveAgain();
  await eventually(async () => {
    await sweepSearch(context);
    expect(await find(name)).toBe(1);
  });
});
