import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { stringifyJson } from "#platform/json.ts";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { inOrder, MigratedDatabase } from "#scripts/florin/backup/restore/migrated-database.ts";
import { inProject } from "#scripts/lib/project.ts";

type Tables = Readonly<
  Record<string, { readonly columns: readonly string[]; readonly rows: readonly unknown[][] }>
>;

/** Writes the files of a saved database whose tables a number of migrations have made. */
function saved(tables: Tables, migrations: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "florin-saved-database-"));
  const applied = migrations.map((name, index) => [index + 1, name, "2026-03-01"]);
  const all = {
    ...tables,
    d1_migrations: { columns: ["id", "name", "applied_at"], rows: applied },
  };
  const manifest: DatabaseManifest = {
    format: 1,
    endedAt: "2026-03-01T09:30:00Z",
    counters: { ledgers: 77 },
    tables: Object.entries(all).map(([name, { columns, rows }]) => {
      const file = `${name}.jsonl.gz`;
      const text = rows.map((row) => `${stringifyJson(row)}\n`).join("");
      writeFileSync(join(folder, file), gzipSync(text));
      return {
        name,
        columns: [...columns],
        key: [],
        rows: rows.length,
        file,
        bytes: 0,
        sha256: "",
      };
    }),
  };
  return { folder, manifest };
}

const LEDGER = {
  id: 3,
  uuid: "c0b1b3a4-7d2f-4e6a-8a57-0f6d2b9c4e11",
  name: "shop",
  bucket: "_default",
  metadata: "{}",
  features: "{}",
  added_at: "2026-03-01T09:30:00.000000Z",
};

test("rows of an older version come into the tables of this one, and keep large integers and bytes", async () => {
  const first = MIGRATIONS.slice(0, 3);
  const { folder, manifest } = saved(
    {
      ledgers: { columns: Object.keys(LEDGER), rows: [Object.values(LEDGER)] },
      webhook_payloads: {
        columns: ["rowid", "event_id", "created_ms", "keep_until_ms", "body"],
        rows: [
          [1, "a", 9_007_199_254_740_993n, 0, { hex: "00FF" }],
          [2, "b", -1, 0, { hex: "AB".repeat(300_000) }],
        ],
      },
      // A table that tells of the deployment itself is left where it is.
      sweep_runs: { columns: ["x"], rows: [[1]] },
    },
    first,
  );
  const database = await MigratedDatabase.open(folder, manifest);
  try {
    const tables = await database.tables();
    expect(tables.map(({ name }) => name)).not.toContain("d1_migrations");
    const required = tables.find(({ name }) => name === "required_migration");
    expect(required?.rowCount).toBe(1);
    const ledgers = tables.find(({ name }) => name === "ledgers");
    expect(ledgers).toMatchObject({ rowCount: 1, counter: 77 });
    const [part] = [...database.partsOf(ledgers ?? raise(), 0)];
    const row = Object.fromEntries(
      (ledgers?.columns ?? []).map((name, index) => [name, part?.rows[0]?.[index]]),
    );
    expect(row).toMatchObject({ ...LEDGER, location: null, inconsistent_since: null });
    const payloads = tables.find(({ name }) => name === "webhook_payloads");
    expect([...database.partsOf(payloads ?? raise(), 0)].flatMap(({ rows }) => rows)).toEqual([
      [1, "a", 9_007_199_254_740_993n, 0, { hex: "00FF" }],
      [2, "b", -1, 0, { hex: "AB".repeat(300_000) }],
    ]);
    // The first rows were written by a run that was killed.
    expect([...database.partsOf(payloads ?? raise(), 1)].flatMap(({ rows }) => rows)).toHaveLength(
      1,
    );
    expect([...database.partsOf(payloads ?? raise(), 2)]).toEqual([{ rows: [], isLast: true }]);
  } finally {
    database.close();
  }
});

function raise(): never {
  throw new Error("the table is missing");
}

test("a table of many rows comes in parts", async () => {
  const rows = Array.from({ length: 4500 }, (_, index) => [
    index + 1,
    `event-${index}`,
    index,
    0,
    { hex: "" },
  ]);
  const columns = ["rowid", "event_id", "created_ms", "keep_until_ms", "body"];
  const { folder, manifest } = saved({ webhook_payloads: { columns, rows } }, MIGRATIONS);
  const database = await MigratedDatabase.open(folder, manifest);
  try {
    const tables = await database.tables();
    const table = tables.find(({ name }) => name === "webhook_payloads") ?? raise();
    const parts = [...database.partsOf(table, 2100)];
    expect(parts.map(({ rows: some, isLast }) => [some.length, isLast])).toEqual([
      [1900, false],
      [500, true],
    ]);
    expect(parts[0]?.rows[0]?.[1]).toBe("event-2100");
  } finally {
    database.close();
  }
});

test("a backup of a later version is refused, and so is one with an unknown table or a wrong row", async () => {
  const later = saved({}, [...MIGRATIONS, "9999_later.sql"]);
  await expect(MigratedDatabase.open(later.folder, later.manifest)).rejects.toThrow(
    "does not know its migration 9999_later.sql",
  );
  const unknown = saved({ strange: { columns: ["a"], rows: [[1]] } }, MIGRATIONS);
  await expect(MigratedDatabase.open(unknown.folder, unknown.manifest)).rejects.toThrow(
    "unknown table strange",
  );
  const wrong = saved({ ledgers: { columns: ["id"], rows: [[1]] } }, MIGRATIONS);
  await expect(MigratedDatabase.open(wrong.folder, wrong.manifest)).rejects.toThrow(
    "NOT NULL constraint failed",
  );
});

test("the tables that a version has are those that its migrations make, each behind those that it refers to", async () => {
  const { folder, manifest } = saved({}, MIGRATIONS);
  const database = await MigratedDatabase.open(folder, manifest);
  const plain = new DatabaseSync(":memory:");
  try {
    for (const name of MIGRATIONS) plain.exec(readFileSync(inProject("migrations", name), "utf8"));
    const names = (await database.tables()).map(({ name }) => name);
    for (const name of names) {
      const parents = plain
        .prepare('SELECT "table" AS name FROM pragma_foreign_key_list(?)')
        .all(name)
        .map((row) => String(row["name"]));
      for (const parent of parents) {
        expect(names.indexOf(parent)).toBeLessThan(names.indexOf(name));
      }
    }
    expect(names).toContain("auth_passkeys");
  } finally {
    plain.close();
    database.close();
  }
  const circle = { a: ["b"], b: ["a", "b"], c: ["a"] } as Record<string, string[]>;
  const tables = ["c", "a", "b"].map((name) => ({ name }));
  expect(inOrder(tables, (name) => circle[name] ?? []).map(({ name }) => name)).toEqual([
    "b",
    "a",
    "c",
  ]);
});
