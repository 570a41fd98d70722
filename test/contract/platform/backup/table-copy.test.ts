import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { d1CopyDatabase, sqlCopyDatabase } from "#platform/backup/copy-database.ts";
import { TableCopy } from "#platform/backup/table-copy.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { copyWhole } from "#test/support/platform/backup/copied-database.ts";

const nowMs = (): number => Date.now();

it("copies D1 with all its tables, while rows change", async () => {
  const names = Array.from({ length: 1500 }, (_, index) => `size ${index}`);
  await env.DB.prepare(
    "INSERT INTO storage_sizes (name, bytes, measured_ms, day_bytes, day_ms) SELECT value, 1, 1, 1, 1 FROM json_each(?)",
  )
    .bind(JSON.stringify(names))
    .run();
  const writes: Promise<unknown>[] = [];
  let count = 0;
  const database = new TableCopy(d1CopyDatabase(env.DB), new Set(["storage_reserve"]));
  const { copied } = await copyWhole(database, nowMs, () => {
    const name = names[count++] ?? "";
    writes.push(
      env.DB.prepare("UPDATE storage_sizes SET bytes = 2 WHERE name = ?").bind(name).run(),
    );
  });
  await Promise.all(writes);
  const stored = await env.DB.prepare("SELECT name, bytes FROM storage_sizes").all();
  const rows = [...(copied.tables.get("storage_sizes")?.values() ?? [])];
  const copiedBytes = new Map(rows.map(([, name, bytes]) => [name, bytes]));
  expect(copiedBytes).toEqual(new Map(stored.results.map(({ name, bytes }) => [name, bytes])));
  expect(copied.tables.has("ledgers")).toBe(true);
  const left = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE name GLOB 'copy_*'",
  ).all();
  expect(left.results).toEqual([]);
});

it("copies the database of an object, with tables of both kinds, while rows change", async () => {
  const object = env.CLOCK.getByName("sweep:outbox");
  await runInDurableObject(object, async (_instance, { storage }) => {
    const sql = durableSql(storage);
    sql.all("CREATE TABLE numbered (id INTEGER PRIMARY KEY, name TEXT, content BLOB) STRICT");
    sql.all("CREATE TABLE paired (a TEXT, b INTEGER, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID");
    sql.all("INSERT INTO numbered VALUES (9007199254740993, 'a', x'00ff')");
    let count = 0;
    const copy = new TableCopy(sqlCopyDatabase(sql), new Set());
    const { copied } = await copyWhole(copy, nowMs, () => {
      sql.all("INSERT INTO paired VALUES ('pair', ?)", count++);
      sql.all("UPDATE numbered SET name = name || 'b'");
    });
    expect(copied.tables.get("paired")?.size).toBe(count);
    const name = `a${"b".repeat(count)}`;
    expect([...(copied.tables.get("numbered")?.values() ?? [])]).toEqual([
      [9_007_199_254_740_993n, name, { hex: "00FF" }],
    ]);
  });
});
