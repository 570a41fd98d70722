import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, expect, test } from "vitest";
import { newId } from "#platform/ids.ts";
import { newRestorationToken } from "#platform/restoration/token-text.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { MODULES } from "#src/modules.ts";
import { RESTORATIONS, underWay, workForTheNextFile } from "#test/support/deployment/restoring.ts";
import { okBodyOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { savedObjectOf } from "#test/support/platform/backup/saved-object.ts";
import { eventually } from "#test/support/platform/eventually.ts";

afterAll(workForTheNextFile);

const pathOf = (place: string, query: Record<string, string>): string =>
  `/objects${place}?${new URLSearchParams(query).toString()}`;

/** The config of a webhook, and the rows of its object, which is empty afterwards. */
async function savedEndpoint() {
  const body = { endpoint: "https://hooks.example.com/x", eventTypes: [freshName("type.x")] };
  const answer = await okBodyOf<{ data: { id: string } }>(api("/api/webhooks/configs", { body }));
  const name = answer.data.id;
  const object = env.ENDPOINTS.getByName(name);
  const saved = await eventually(() =>
    runInDurableObject(object, (_, { storage }) => {
      const found = savedObjectOf(durableSql(storage));
      expect(found.step).toBeGreaterThan(0);
      return found;
    }),
  );
  const wiped = runInDurableObject(object, async (_, ctx) => {
    await ctx.storage.deleteAll();
    await ctx.storage.sync();
    ctx.abort("a test ends it");
  });
  await wiped.catch(() => undefined);
  return { saved, query: { class: "EndpointObject", name } };
}

test("each class whose objects are saved says how they come back", () => {
  const classes = MODULES.flatMap(({ copiedClasses = [] }) => copiedClasses);
  const rebuilt = classes.filter(({ restoredBy }) => restoredBy === "database");
  expect(rebuilt.map(({ name }) => name)).toEqual(["InstanceRunnerObject"]);
  expect(classes.length).toBeGreaterThan(rebuilt.length);
});

test("an object comes back by the requests of a restoration, and only by those", async () => {
  const { saved, query } = await savedEndpoint();
  const restoration = await underWay();
  const parts = async () =>
    (await env.DB.prepare("SELECT kind, name FROM restored_parts ORDER BY kind, name").all())
      .results;
  const post = (place: string, of: Record<string, string>, body: object) =>
    restoration.call(pathOf(place, of), { body });
  const tables = saved.tables.map(({ name, columns, rows }) => ({
    name,
    columns,
    rows: rows.length,
  }));
  const begin = { step: saved.step, tables };
  for (const token of [newRestorationToken(), undefined]) {
    const stranger = { body: begin, ...(token === undefined ? {} : { token }) };
    const path = `${RESTORATIONS}/${restoration.id}${pathOf("", query)}`;
    expect((await api(path, stranger)).status).toBe(401);
  }
  expect((await post("", { ...query, class: "LedgerObject" }, begin)).status).toBe(404);
  const other = { ...query, name: newId() };
  expect(await okBodyOf(post("", other, begin))).toEqual({ data: { state: "left-out", rows: {} } });
  expect((await post("/end", other, { counters: {} })).status).toBe(404);
  const runner = { class: "InstanceRunnerObject", name: "runner" };
  expect(await okBodyOf(post("", runner, begin))).toMatchObject({ data: { state: "left-out" } });

  expect((await post("", query, { ...begin, step: 99 })).status).toBe(409);
  expect((await post("/tables/lane", query, { after: 0, rows: [] })).status).toBe(409);
  expect(await okBodyOf(post("", query, begin))).toMatchObject({
    data: { state: "open", rows: { lane: 0, delivery: 0 } },
  });
  expect((await post("/tables/lane", query, { after: 0, rows: [[1]] })).status).toBe(400);
  for (const { name, rows } of saved.tables) {
    const body = { after: 0, rows };
    expect((await post(`/tables/${name}`, query, body)).status).toBe(204);
    expect((await post(`/tables/${name}`, query, body)).status).toBe(204);
  }
  expect(await okBodyOf(post("", query, begin))).toMatchObject({ data: { rows: { lane: 1 } } });
  // It is fitted to what has come back before.
  const plan = (change: string) =>
    env.DB.prepare(`UPDATE restoration SET plan = json_set(plan, ${change})`).run();
  for (const [lacks, is] of [
    ["'$.ledgers', 1", "'$.ledgers', 0"],
    ["'$.tables', json('{\"ledgers\":1}')", "'$.tables', json('{}')"],
  ] as const) {
    await plan(lacks);
    expect((await post("/end", query, { counters: {} })).status).toBe(409);
    await plan(is);
  }
  expect((await post("/end", query, { counters: {} })).status).toBe(204);
  expect((await post("/end", query, { counters: {} })).status).toBe(204);
  expect(await okBodyOf(post("", query, begin))).toEqual({ data: { state: "ended", rows: {} } });
  // Those that are left out are done, too.
  const kinds = [query, other].map(({ class: kind, name }) => ({ kind, name }));
  expect(await parts()).toEqual([
    ...kinds.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    { kind: runner.class, name: runner.name },
  ]);
});
