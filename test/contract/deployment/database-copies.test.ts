import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { CopiedValue } from "#platform/backup/copied-table.ts";
import { parseJson } from "#platform/json.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { freshLedger } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const COPIES = "/api/florin/v1/backup/database-copies";

interface ChangedRow {
  readonly table: string;
  readonly key: string;
  readonly row?: readonly CopiedValue[];
}
interface Rows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly CopiedValue[])[];
  readonly next?: { readonly table: string; readonly key?: string };
}

async function data<T>(path: string, method = "GET"): Promise<T> {
  const response = await api(`${COPIES}${path}`, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (parseJson(text) as { data: T }).data;
}

const begin = () => data<{ id: string }>("", "POST");

/** The rows of all tables, each page in its turn. */
async function readAll(id: string): Promise<Rows[]> {
  const pages: Rows[] = [];
  let next: Rows["next"] | undefined;
  do {
    const query = new URLSearchParams({ ...next });
    const page = await data<Rows>(`/${id}/rows?${query.toString()}`);
    pages.push(page);
    next = page.next;
  } while (next !== undefined);
  return pages;
}

test("a copy has all tables, and the rows that have changed since they were read", async () => {
  const before = await freshLedger();
  const { id } = await begin();
  const pages = await readAll(id);
  const later = await freshLedger();
  const ledgers = pages.filter(({ table }) => table === "ledgers");
  const place = ledgers[0]?.columns.indexOf("name") ?? -1;
  const names = ledgers.flatMap(({ rows }) => rows.map((row) => row[place]));
  expect(names).toContain(before);
  expect(names).not.toContain(later);
  const migrations = pages.find(({ table }) => table === "d1_migrations")?.rows ?? [];
  expect(migrations).toHaveLength(MIGRATIONS.length);

  const changes = await data<{ rows: ChangedRow[]; after: number; left: number }>(`/${id}/changes`);
  expect(changes.left).toBe(0);
  const added = changes.rows.find(({ row }) => row?.[place] === later);
  expect(added?.table).toBe("ledgers");

  const last = await freshLedger();
  const end = await data<{
    ended: boolean;
    rows: ChangedRow[];
    counters: Record<string, number>;
  }>(`/${id}/end?after=${changes.after}`, "POST");
  expect(end.ended).toBe(true);
  expect(end.rows.map(({ row }) => row?.[place])).toContain(last);
  expect(end.counters).toEqual({});
  const left = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE name GLOB 'copy_*'",
  ).all();
  expect(left.results).toEqual([]);
});

test("a copy is in the audit, with who began it", async () => {
  const { id } = await begin();
  await data(`/${id}/end`, "POST");
  const { results } = await env.DB.prepare(
    "SELECT object, client_id FROM audit WHERE action = 'deployment.database-copy.begin'",
  ).all();
  expect(results.at(-1)?.["object"]).toBe("database");
  expect(results.at(-1)?.["client_id"]).not.toBe("");
});

test("a second copy is refused until the first one is over", async () => {
  const { id } = await begin();
  const refused = await api(COPIES, { method: "POST" });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("another copy of the database is under way");
  expect((await api(`${COPIES}/${id}`, { method: "DELETE" })).status).toBe(204);
  const over = await api(`${COPIES}/${id}/rows`);
  expect(over.status).toBe(409);
  expect(await over.text()).toContain("the copy is over");
  const { id: next } = await begin();
  await api(`${COPIES}/${next}`, { method: "DELETE" });
});

test("a table that is not copied is refused, and so is a number that is none", async () => {
  const { id } = await begin();
  for (const table of ["storage_reserve", "sqlite_master", freshName()]) {
    expect((await api(`${COPIES}/${id}/rows?table=${table}`)).status).toBe(404);
  }
  expect((await api(`${COPIES}/${id}/changes?after=-1`)).status).toBe(400);
  expect((await api(`${COPIES}/${id}/rows?table=ledgers&key=none`)).status).toBe(400);
  await api(`${COPIES}/${id}`, { method: "DELETE" });
});

test("a token that is bound to ledgers cannot copy the database", async () => {
  const { token } = await clientWith({
    scopes: ["florin:operate"],
    metadata: { ledgers: "shop-*" },
  });
  const refused = await api(COPIES, { method: "POST", token });
  expect(refused.status).toBe(401);
});
