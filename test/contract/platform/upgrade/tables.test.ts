import { applyD1Migrations } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { getTableConfig } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { PLATFORM_TABLES } from "#platform/modules/platform-tables.ts";
import { MODULES } from "#src/modules.ts";
import { isolate } from "#test/support/runner/isolate.ts";

// The tests change a database of their own, one after the other. Each test asks as a new isolate, which remembers nothing.

const DB = env.EMPTY_DB;
await applyD1Migrations(DB, env.TEST_MIGRATIONS);

interface Versions {
  readonly versions: { readonly name: string; readonly health: boolean }[];
  readonly problems?: string[];
}

async function versions(): Promise<Versions> {
  const response = await isolate({ DB })("/versions");
  expect(response.status).toBe(200);
  return response.json<Versions>();
}

const unhealthy = ({ versions: all }: Versions): string[] =>
  all.flatMap(({ name, health }) => (health ? [] : [name]));

const change = (statement: string) => DB.prepare(statement).run();

test("each table of the database belongs to one module or to the platform", async () => {
  const { results } = await DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  ).all<{ name: string }>();
  const declared = [PLATFORM_TABLES, ...MODULES.map(({ tables }) => tables)].flat();
  const names = declared.map((table) => getTableConfig(table).name);
  expect([...names, "d1_migrations"].toSorted()).toEqual(
    results.map(({ name }) => name).toSorted(),
  );
});

test("a database that the migrations have made has what every module wants", async () => {
  const answer = await versions();
  expect(answer.problems).toBeUndefined();
  expect(unhealthy(answer)).toEqual([]);
});

test("tables that an operator adds to the database are no problem", async () => {
  await change("CREATE INDEX operators_own ON audit (request_id)");
  await change("CREATE TABLE operators_own_table (one TEXT)");
  await change("ALTER TABLE wallet_hold_expiries ADD COLUMN operators_own TEXT");
  expect((await versions()).problems).toBeUndefined();
});

test("a module that lacks a column is unhealthy, and the answer names the column", async () => {
  await change("ALTER TABLE webhook_configs RENAME COLUMN endpoint TO old_endpoint");
  const answer = await versions();
  expect(answer.problems).toEqual(["The table webhook_configs lacks the column endpoint."]);
  expect(unhealthy(answer)).toEqual(["webhooks"]);
  await change("ALTER TABLE webhook_configs RENAME COLUMN old_endpoint TO endpoint");
});

test("a module that lacks a table of a part of it is unhealthy", async () => {
  await change("ALTER TABLE pipelines RENAME TO old_pipelines");
  const answer = await versions();
  expect(answer.problems).toEqual(["The table pipelines is missing."]);
  expect(unhealthy(answer)).toEqual(["ledger"]);
  await change("ALTER TABLE old_pipelines RENAME TO pipelines");
});

test("columns of another form and indexes that are missing are problems", async () => {
  const { results } = await DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'orchestration_%' LIMIT 1",
  ).all<{ name: string }>();
  const [index] = results;
  await change(`DROP INDEX ${index?.name}`);
  await change("DROP TABLE wallet_hold_expiries");
  await change("CREATE TABLE wallet_hold_expiries (hold_id INTEGER, expires_ms INTEGER)");
  const answer = await versions();
  expect(answer.problems).toContainEqual(expect.stringMatching(`lacks the index ${index?.name}.$`));
  expect(answer.problems).toContainEqual(
    expect.stringMatching(
      /^The column \w+ of the table wallet_hold_expiries is integer, null instead of /,
    ),
  );
  expect(unhealthy(answer)).toEqual(["wallets", "orchestration"]);
});

test("all modules are unhealthy where the platform lacks a table", async () => {
  await change("DROP TABLE outbox");
  const answer = await versions();
  expect(answer.problems).toContain("The table outbox is missing.");
  expect(unhealthy(answer)).toEqual(answer.versions.map(({ name }) => name));
});

test("all modules are unhealthy on a database of a later version, and the answer says so once", async () => {
  await change("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
  await change("UPDATE required_migration SET name = '9999_later.sql'");
  const answer = await versions();
  expect(answer.problems).toEqual([expect.stringContaining("9999_later.sql")]);
  expect(unhealthy(answer)).toEqual(answer.versions.map(({ name }) => name));
});
