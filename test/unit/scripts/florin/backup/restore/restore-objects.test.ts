import { mkdtempSync, rmSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { stringifyJson } from "#platform/json.ts";
import type { Restoring } from "#scripts/florin/backup/restore/restore-database.ts";
import { restoreObjects } from "#scripts/florin/backup/restore/restore-objects.ts";
import type { Api, ApiRequest } from "#scripts/lib/api.ts";

interface SentRows {
  readonly after: number;
  readonly rows: readonly (readonly unknown[])[];
}

/** A server that keeps the rows of objects, by the names of objects and tables. */
class FakeServer {
  readonly begun = new Map<string, { step: number }>();
  readonly rows = new Map<string, unknown[][]>();
  readonly ended: string[] = [];
  /** The most rows that came in one request. */
  most = 0;
  leftOut = "";

  readonly restoring: Restoring = {
    api: {
      call: async (request: ApiRequest<z.ZodType>) => this.#answer(request),
    } as unknown as Api, // the command calls nothing else
    path: "/restorations/1",
    note: () => undefined,
  };

  #answer({ path, query, body }: ApiRequest<z.ZodType>): unknown {
    const name = query?.["name"] ?? "";
    if (path === "/restorations/1/objects") {
      this.begun.set(name, body as { step: number });
      const state = this.leftOut === name ? "left-out" : "open";
      const own = [...this.rows].filter(([key]) => key.startsWith(`${name} `));
      const rows = own.map(([key, list]): [string, number] => [
        key.split(" ")[1] ?? "",
        list.length,
      ]);
      return { data: { state, rows: Object.fromEntries(rows) } };
    }
    if (path.endsWith("/end")) {
      this.ended.push(name);
      return undefined;
    }
    const table = `${name} ${path.slice(path.lastIndexOf("/") + 1)}`;
    const { after, rows } = body as SentRows;
    const known = this.rows.get(table) ?? [];
    if (after !== known.length) throw new Error(`${table} has ${known.length} rows`);
    this.rows.set(table, [...known, ...rows.map((row) => [...row])]);
    this.most = Math.max(this.most, rows.length);
    return undefined;
  }
}

/** A saved object, whose table `thing` has so many rows. */
function linesOf(object: string, count: number): string[] {
  const tables = [
    { name: "migration", columns: ["step", "cursor"], key: ["step"], rows: 2 },
    { name: "none", columns: ["id"], key: ["id"], rows: 0 },
    { name: "thing", columns: ["id", "large"], key: ["id"], rows: count },
  ];
  const things = Array.from({ length: count }, (_, id) => `[${id},9223372036854775807]`);
  return [
    stringifyJson({ object, endedAt: "2026-11-28T03:00:00Z", tables, counters: {} }),
    "[1,null]",
    "[2,null]",
    ...things,
  ];
}

function folderWith(lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "restore-objects-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "Things.jsonl.gz"), gzipSync(`${lines.join("\n")}\n`));
  return folder;
}

const savedClass = (objects: number) => [
  { class: "Things", objects, file: "Things.jsonl.gz", bytes: 0, sha256: "" },
];

test("objects come back with exact rows, large ones in several requests, and others beside them", async () => {
  const bare = stringifyJson({ object: "bare", endedAt: "", tables: [], counters: {} });
  const lines = [...linesOf("a", 3), ...linesOf("large", 12_000), bare, ...linesOf("out", 1)];
  const server = new FakeServer();
  server.leftOut = "out";
  const counts = await restoreObjects(server.restoring, {
    folder: folderWith(lines),
    classes: savedClass(4),
  });
  expect(counts).toEqual({ restored: 3, leftOut: 1 });
  expect(server.ended.toSorted()).toEqual(["a", "bare", "large"]);
  expect(["a", "large", "bare"].map((name) => server.begun.get(name)?.step)).toEqual([2, 2, 0]);
  expect(server.rows.get("a thing")).toEqual(
    [0, 1, 2].map((id) => [id, 9_223_372_036_854_775_807n]),
  );
  expect(server.rows.get("large thing")).toHaveLength(12_000);
  expect([server.most, server.rows.has("out thing")]).toEqual([5000, false]);
});

test("an object that was cut off goes on behind the rows that came before", async () => {
  const server = new FakeServer();
  server.rows.set("a migration", [
    [1, null],
    [2, null],
  ]);
  server.rows.set("a thing", [
    [0, 0n],
    [1, 1n],
  ]);
  await restoreObjects(server.restoring, {
    folder: folderWith(linesOf("a", 5)),
    classes: savedClass(1),
  });
  expect(server.rows.get("a thing")?.map(([id]) => id)).toEqual([0, 1, 2, 3, 4]);
  expect(server.rows.get("a migration")).toHaveLength(2);
});
