import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { d1CopyDatabase } from "#platform/backup/copy-database.ts";
import { restorableTables } from "#platform/backup/restorable-tables.ts";
import { newRestorationToken } from "#platform/restoration/token-text.ts";
import { clientWith } from "#test/support/auth/clients.ts";
import { asOperator } from "#test/support/deployment/arming.ts";
import {
  NOTHING_COMES,
  RESTORATIONS,
  restorationWith,
  serveAgain,
  takeBackup,
  type TestRestoration,
  underWay,
  workForTheNextFile,
} from "#test/support/deployment/restoring.ts";
import { refusalOf } from "#test/support/ledger/api.ts";
import { api, bodyOf, token } from "#test/support/platform/api.ts";

const ORDER = {
  ...NOTHING_COMES,
  backup: "b".repeat(64),
  moment: "2026-03-01T09:30:00.000Z",
};

/** The token of an operator, which was given before anything was written. */
let operator = "";

const begin = async (order: object = {}, bearer = operator): Promise<Response> =>
  api(RESTORATIONS, { body: { token: newRestorationToken(), ...ORDER, ...order }, token: bearer });

async function begun(order: object = {}): Promise<TestRestoration> {
  const own = newRestorationToken();
  const response = await begin({ token: own, ...order });
  expect(response.status).toBe(201);
  const { data } = await response.json<{ data: { id: string } }>();
  return restorationWith(data.id, own);
}

const rowsOf = async <T>(query: string): Promise<T[]> =>
  (await env.DB.prepare(query).all<T>()).results;

beforeEach(async () => {
  await workForTheNextFile();
  operator = await token("florin:operate");
  takeBackup();
});
afterAll(workForTheNextFile);

describe("the beginning of a restoration", () => {
  test("a restoration marks the deployment as disarmed, and goes on with another token for the same backup only", async () => {
    const first = await begun();
    expect((await first.call("")).status).toBe(200);
    const [state] = await rowsOf<{ reason: string }>("SELECT reason FROM disarmament");
    expect(state?.reason).toBe("restored");
    const entries = await rowsOf<{ object: string }>(
      "SELECT object FROM audit WHERE action = 'deployment.restoration.begin'",
    );
    expect(entries).toEqual([{ object: `restorations/${first.id}` }]);

    const other = await refusalOf(begin({ backup: "c".repeat(64) }));
    expect(other).toMatchObject({ status: 409, code: "CONFLICT" });
    expect(other.message).toContain("another backup, of 2026-03-01T09:30:00.000Z");

    const second = await begun();
    expect(second.id).toBe(first.id);
    expect((await first.call("")).status).toBe(401);
    // An answer that was lost is asked for again.
    expect((await begun({ token: second.token })).id).toBe(first.id);
    expect(await bodyOf(await api(RESTORATIONS, { token: second.token }))).toMatchObject({
      data: { id: first.id, stage: "under-way" },
    });
    expect((await api(RESTORATIONS, { token: first.token })).status).toBe(401);
    expect(await bodyOf(await second.call(""))).toMatchObject({
      data: { id: first.id, backup: ORDER.backup, stage: "under-way", tables: [] },
    });
    // The token is that of one restoration, and no access token is one.
    expect((await api(`${RESTORATIONS}/${crypto.randomUUID()}`, second)).status).toBe(404);
    expect((await api(`${RESTORATIONS}/${first.id}`)).status).toBe(401);
    expect((await api(`${RESTORATIONS}/${first.id}`, { token: null })).status).toBe(401);
  });

  test("only what is under way goes on for whoever begins nothing, whatever keys and tables the server has", async () => {
    const nothing = await refusalOf(begin({ goesOn: true }));
    expect(nothing).toMatchObject({ status: 409 });
    expect(nothing.message).toContain("no restoration is under way");
    expect(await rowsOf("SELECT * FROM disarmament")).toEqual([]);
    const first = await begun();
    expect((await begun({ goesOn: true, migration: "", keyIds: ["000000000000"] })).id).toBe(
      first.id,
    );
  });

  test("a restoration whose keys the server no longer has says so", async () => {
    const { token: own } = await underWay({ plan: { keyIds: ["000000000000"] } });
    expect(await bodyOf(await api(RESTORATIONS, { token: own }))).toMatchObject({
      data: { problem: expect.stringContaining("(000000000000): set FLORIN_SECRET_KEY") as string },
    });
    const later = await underWay({ plan: { migration: "9999_later.sql" } });
    expect(await bodyOf(await api(RESTORATIONS, { token: later.token }))).toMatchObject({
      data: { problem: expect.stringContaining("the migration 9999_later.sql") as string },
    });
  });

  test("a restoration needs the scope of operators and a token that is bound to no ledgers", async () => {
    serveAgain();
    const reader = await token("ledger:write");
    takeBackup();
    for (const bearer of [reader, "nonsense"]) {
      expect((await begin({}, bearer)).status).toBe(401);
    }
    serveAgain();
    const { id, token: bound } = await clientWith({
      scopes: ["florin:operate"],
      metadata: { ledgers: "mine" },
    });
    takeBackup();
    expect((await begin({}, bound)).status).toBe(401);
    await env.DB.prepare("DELETE FROM auth_clients WHERE id = ?").bind(id).run();
  });

  test("a restoration is refused for keys that the server lacks, for tables of another version, and for a deployment that has something", async () => {
    const keys = await refusalOf(begin({ keyIds: ["000000000000"] }));
    expect(keys).toMatchObject({ status: 409 });
    expect(keys.message).toContain("(000000000000): set FLORIN_SECRET_KEY");
    const tables = await refusalOf(begin({ migration: "0001_failed_requests.sql" }));
    expect(tables).toMatchObject({ status: 400 });
    expect(tables.message).toContain("restore with the command of the server's version");
    expect((await begin({ backup: "x" })).status).toBe(400);

    const values = await valuesFor("wallet_hold_expiries");
    await env.DB.prepare(`INSERT INTO wallet_hold_expiries ${values}`).run();
    const full = await refusalOf(begin());
    expect(full).toMatchObject({ status: 409 });
    expect(full.message).toContain("this one has 1 rows of wallet_hold_expiries");
    await env.DB.prepare("DELETE FROM wallet_hold_expiries").run();
    expect(await rowsOf("SELECT * FROM restoration")).toEqual([]);
    expect(await rowsOf("SELECT * FROM disarmament")).toEqual([]);
  });

  test("a restoration is refused where ledgers were made, and not where only smoke tests have made some", async () => {
    await insertLedger("smoke-test-1", "2026-03-01T09:30:00.000000Z");
    await begun();
    await env.DB.prepare("DELETE FROM restoration").run();
    await insertLedger("books", null);
    const full = await refusalOf(begin());
    expect(full.message).toContain("this one has 1 rows of ledgers");
    await env.DB.prepare("DELETE FROM ledgers WHERE name = 'books'").run();
    const purged = await refusalOf(begin());
    expect(purged.message).toContain("has had ledgers that were purged");
    expect(purged.message).toContain("make a deployment anew");
    await env.DB.prepare("DELETE FROM ledgers").run();
    await env.DB.prepare("DELETE FROM sqlite_sequence WHERE name = 'ledgers'").run();
  });
});

/** A `SELECT` with one value for each column of a table. */
async function valuesFor(table: string): Promise<string> {
  const columns = await rowsOf<{ name: string }>(`SELECT name FROM pragma_table_info('${table}')`);
  return `SELECT ${columns.map((_, index) => index + 1).join()}`;
}

const insertLedger = (name: string, deletedAt: string | null): Promise<unknown> =>
  env.DB.prepare(
    `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at, deleted_at, revision, synced_revision)
     VALUES (?, ?, '_default', '{}', '{}', '2026-03-01T09:30:00.000000Z', ?, 0, 0)`,
  )
    .bind(crypto.randomUUID(), name, deletedAt)
    .run();

describe("the rows of a restoration", () => {
  const COLUMNS = ["rowid", "event_id", "created_ms", "keep_until_ms", "body"];
  const payload = (id: number, created: bigint | number, body: string) => [
    id,
    `event-${id}`,
    created,
    0,
    { hex: body },
  ];
  const write = (restoration: TestRestoration, fields: object, table = "webhook_payloads") =>
    restoration.call(`/tables/${table}`, {
      body: {
        columns: COLUMNS,
        rows: [],
        from: 0,
        last: false,
        migration: NOTHING_COMES.migration,
        ...fields,
      },
    });
  const stored = () =>
    rowsOf(
      "SELECT event_id AS id, CAST(created_ms AS TEXT) AS created, hex(body) AS body FROM webhook_payloads ORDER BY rowid",
    );

  test("rows are kept exactly, replace what a table has, and are written once", async () => {
    await env.DB.prepare(
      "INSERT INTO webhook_payloads (event_id, created_ms, keep_until_ms, body) VALUES ('old', 1, 1, x'00')",
    ).run();
    const restoration = await underWay();
    const first = { rows: [payload(7, 9_007_199_254_740_993n, "00ff")], from: 0 };
    for (let time = 0; time < 2; time++) {
      expect(await bodyOf(await write(restoration, first))).toEqual({
        data: { name: "webhook_payloads", rows: 1, complete: false },
      });
    }
    // A row whose text is larger than a statement takes at once.
    const large = "ab".repeat(900_000);
    const second = { rows: [payload(8, 2, large), payload(9, -5, "")], from: 1, last: true };
    expect((await write(restoration, second)).status).toBe(200);
    expect((await write(restoration, second)).status).toBe(200);
    expect(await stored()).toEqual([
      { id: "event-7", created: "9007199254740993", body: "00FF" },
      { id: "event-8", created: "2", body: large.toUpperCase() },
      { id: "event-9", created: "-5", body: "" },
    ]);
    expect(await bodyOf(await restoration.call(""))).toMatchObject({
      data: { tables: [{ name: "webhook_payloads", rows: 3, complete: true }] },
    });
    await env.DB.prepare("DELETE FROM webhook_payloads").run();
  });

  test("rows are refused that do not come next, that their table does not take, and of unknown tables and columns", async () => {
    const restoration = await underWay();
    const gap = await refusalOf(write(restoration, { rows: [payload(1, 1, "")], from: 2 }));
    expect(gap).toMatchObject({ status: 409 });
    expect(gap.message).toContain("the next row of webhook_payloads that is written is number 0");
    const twice = { rows: [payload(1, 1, ""), payload(1, 1, "")] };
    const refused = await refusalOf(write(restoration, twice));
    expect(refused.message).toContain("refuses rows behind row 0");
    expect(await stored()).toEqual([]);
    const older = await refusalOf(write(restoration, { migration: "0018_x.sql" }));
    expect(older).toMatchObject({ status: 409 });
    expect(older.message).toContain("go on with the version of server and command");
    expect((await write(restoration, {}, "nothing")).status).toBe(404);
    expect((await write(restoration, {}, "disarmament")).status).toBe(404);
    expect((await write(restoration, {}, "d1_migrations")).status).toBe(404);
    expect((await write(restoration, { columns: ["x"], rows: [[1]] })).status).toBe(400);
    expect((await write(restoration, { rows: [[1]] })).status).toBe(400);
    expect((await write(restoration, { counter: 5, last: true })).status).toBe(400);
    expect((await restoration.call("/tables/webhook_payloads")).status).toBe(405);
  });

  test("the largest id that a table has given away comes back, although its row is gone", async () => {
    const restoration = await underWay();
    const columns = ["id"];
    const answer = await write(restoration, { columns, last: true, counter: 41 }, "webhook_owed");
    expect(answer.status).toBe(200);
    const row = await insertion("webhook_owed");
    await env.DB.prepare(`INSERT INTO webhook_owed ${row}`).run();
    expect(await rowsOf("SELECT id FROM webhook_owed")).toEqual([{ id: 42 }]);
    await env.DB.prepare("DELETE FROM webhook_owed").run();
  });
});

/** The columns of a table besides its id, and a value for each. */
async function insertion(table: string): Promise<string> {
  const columns = await rowsOf<{ name: string }>(
    `SELECT name FROM pragma_table_info('${table}') WHERE pk = 0`,
  );
  return `(${columns.map(({ name }) => name).join()}) VALUES (${columns.map(() => 1).join()})`;
}

test("nothing is written where something has come since the beginning, nor behind a restoration that was given up", async () => {
  const restoration = await underWay({ isWritten: false });
  const body = {
    columns: ["id"],
    rows: [],
    from: 0,
    last: true,
    migration: NOTHING_COMES.migration,
  };
  const early = await refusalOf(restoration.call(`/ledgers/${crypto.randomUUID()}`));
  expect(early.message).toContain("behind the rows of the database");
  const values = await valuesFor("wallet_hold_expiries");
  await env.DB.prepare(`INSERT INTO wallet_hold_expiries ${values}`).run();
  const full = await refusalOf(restoration.call("/tables/webhook_owed", { body }));
  expect(full.message).toContain("this one has 1 rows of wallet_hold_expiries");
  expect(await rowsOf("SELECT * FROM restored_tables")).toEqual([]);
  await env.DB.prepare("DELETE FROM wallet_hold_expiries").run();
  expect((await restoration.call("/tables/webhook_owed", { body })).status).toBe(200);
  expect(await rowsOf("SELECT 1 FROM restoration WHERE written_at IS NOT NULL")).toHaveLength(1);
});

describe("the end of a restoration", () => {
  test("a restoration ends when all tables were written, once, and the deployment stays disarmed", async () => {
    const plan = { tables: { payment_pools: 5 }, ledgers: 1, objects: { PipelineObject: 1 } };
    const restoration = await underWay({ plan });
    const early = await refusalOf(restoration.call("/end", { method: "POST" }));
    expect(early).toMatchObject({ status: 409 });
    expect(early.message).toContain("was not written to its end");
    await env.DB.prepare(
      `INSERT INTO disarmament VALUES (1, '2026-03-02T09:30:00.000000Z', 'restored', '', 'i', 's', 'c', 'r')`,
    ).run();
    for (const { name } of await restorableTables(d1CopyDatabase(env.DB))) {
      await env.DB.prepare("INSERT INTO restored_tables VALUES (?, 0, 1)").bind(name).run();
    }
    const lack = async (): Promise<string> =>
      (await refusalOf(restoration.call("/end", { method: "POST" }))).message;
    expect(await lack()).toContain("payment_pools has 0 of 5 rows");
    await env.DB.prepare("UPDATE restored_tables SET rows = 5 WHERE name = 'payment_pools'").run();
    expect(await lack()).toContain(
      "0 of 1 are there of the kind ledger, 0 of 1 are there of the kind PipelineObject",
    );
    await insertLedger("books", null);
    await env.DB.prepare(
      "INSERT INTO restored_parts VALUES ('ledger', 'other', 3), ('PipelineObject', 'one', NULL)",
    ).run();
    expect(await lack()).toContain("the ledger 'books' has no log");
    await env.DB.prepare("DELETE FROM ledgers").run();
    await env.DB.prepare("DELETE FROM sqlite_sequence WHERE name = 'ledgers'").run();
    // Two at the same moment, and a later repetition, are one end.
    const end = async () => (await restoration.call("/end", { method: "POST" })).status;
    expect(await Promise.all([end(), end()])).toEqual([204, 204]);
    expect(await end()).toBe(204);
    expect(await bodyOf(await restoration.call(""))).toMatchObject({ data: { stage: "ended" } });
    expect((await restoration.call("", { method: "DELETE" })).status).toBe(409);
    expect((await refusalOf(begin())).message).toContain("has ended");
    expect(await rowsOf("SELECT * FROM restored_parts")).toEqual([]);
    expect(
      await rowsOf("SELECT subject, object FROM audit WHERE action = 'deployment.backup.restore'"),
    ).toEqual([{ subject: "ada", object: `restorations/${restoration.id}` }]);
    serveAgain();
    expect((await api("/api/ledger/v2")).status).toBe(200);
    expect(await bodyOf(await asOperator("/arming"))).toMatchObject({
      data: { armed: false, reason: "restored" },
    });
  });

  test("an end beside a request that gives the restoration up is no end of a deployment that has to be made anew", async () => {
    const restoration = await underWay();
    await env.DB.prepare("INSERT INTO restored_parts VALUES ('PipelineObject', 'one', NULL)").run();
    for (const { name } of await restorableTables(d1CopyDatabase(env.DB))) {
      await env.DB.prepare("INSERT INTO restored_tables VALUES (?, 0, 1)").bind(name).run();
    }
    const end = () => restoration.call("/end", { method: "POST" });
    const answers = await Promise.all([end(), end(), restoration.call("", { method: "DELETE" })]);
    const [row] = await rowsOf<{ stage: string }>("SELECT stage FROM restoration");
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toEqual(row?.stage === "ended" ? [204, 204, 409] : [409, 409, 200]);
  });

  test("a giving up that an end overtakes is refused", async () => {
    const restoration = await underWay();
    // The end comes between the look at the stage and the change.
    await env.DB.prepare(
      `CREATE TRIGGER overtake BEFORE UPDATE OF stage ON restoration WHEN NEW.stage = 'abandoned'
       BEGIN UPDATE restoration SET stage = 'ended'; SELECT raise(IGNORE); END`,
    ).run();
    const refused = await refusalOf(restoration.call("", { method: "DELETE" }));
    await env.DB.prepare("DROP TRIGGER overtake").run();
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.message).toContain("has ended");
  });

  test("a restoration that has written nothing is given up without a trace", async () => {
    const restoration = await underWay({ isWritten: false });
    const answer = await restoration.call("", { method: "DELETE" });
    expect(await bodyOf(answer)).toEqual({ data: { makeAnew: false } });
    expect(await rowsOf("SELECT * FROM restoration")).toEqual([]);
    expect((await restoration.call("")).status).toBe(401);
  });

  test("a restoration that has written a part leaves a deployment that has to be made anew", async () => {
    const restoration = await underWay();
    const { migration } = NOTHING_COMES;
    const body = { columns: ["id"], rows: [], from: 0, last: true, migration };
    expect((await restoration.call("/tables/webhook_owed", { body })).status).toBe(200);
    const answer = await restoration.call("", { method: "DELETE" });
    expect(await bodyOf(answer)).toEqual({ data: { makeAnew: true } });
    const later = await refusalOf(restoration.call("/tables/webhook_owed", { body }));
    expect(later).toMatchObject({ status: 409 });
    expect((await restoration.call("/end", { method: "POST" })).status).toBe(409);
    expect((await refusalOf(begin({ backup: "a".repeat(64) }))).status).toBe(409);
  });
});
