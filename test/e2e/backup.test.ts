import { execFile } from "node:child_process";
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { DatabaseManifest } from "#scripts/florin/backup/manifest.ts";
import { ROOT } from "#scripts/lib/project.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const folder = freshFolder();
const saved = join(freshFolder(), "saved");
let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start(folder);
});
afterAll(() => server.stop());

const run = promisify(execFile);

const backup = async (...args: readonly string[]): Promise<string> => {
  const options = { cwd: ROOT, env: { ...process.env, FLORIN_STATE_DIR: folder } };
  const { stdout } = await run(process.execPath, ["scripts/florin.ts", "backup", ...args], options);
  return stdout;
};

/** What a command prints that fails. */
async function failureOf(...args: readonly string[]): Promise<string> {
  const failed = await backup(...args).catch((error: unknown) => error);
  const { stdout, stderr } = failed as { stdout: string; stderr: string }; // `execFile` rejects with both outputs
  return stdout + stderr;
}

const manifestOf = (): DatabaseManifest =>
  DatabaseManifest.parse(JSON.parse(readFileSync(join(saved, "manifest.json"), "utf8")));

/** The values of a column in all saved rows of a table. */
function valuesOf(table: string, column: string): unknown[] {
  const description = manifestOf().tables.find(({ name }) => name === table);
  const place = description?.columns.indexOf(column) ?? -1;
  const text = gunzipSync(readFileSync(join(saved, `${table}.jsonl.gz`))).toString("utf8");
  const lines = text.split("\n").slice(0, -1);
  expect(lines).toHaveLength(description?.rows ?? -1);
  return lines.map((line) => (parseJson(line) as unknown[])[place]);
}

test("all tables are saved as of one moment while clients write, and nothing that was answered before is missing", async () => {
  const made: string[] = [];
  const over = new AbortController();
  const write = async (client: number): Promise<void> => {
    for (let number = 0; !over.signal.aborted; number++) {
      const name = `ledger-${client}-${number}`;
      await server.json(`/api/ledger/v2/${name}`, { method: "POST" });
      made.push(name);
    }
  };
  const writing = Promise.all([write(1), write(2), write(3)]);
  await expect.poll(() => made.length).toBeGreaterThan(10);
  const atBegin = [...made];
  expect(await backup("database", "--to", saved)).toMatch(/^\d+ rows of \d+ tables are in/);
  const written = made.length - atBegin.length;
  over.abort();
  await writing;
  expect(written).toBeGreaterThan(0);

  const ledgers = valuesOf("ledgers", "name");
  expect(ledgers).toEqual(expect.arrayContaining(atBegin));
  // One transaction stores a ledger and its entry in the audit, so that a copy of one moment has both or neither.
  const actions = valuesOf("audit", "action");
  const objects = valuesOf("audit", "object").filter(
    (_, index) => actions[index] === "ledger.ledger.create",
  );
  expect(new Set(objects)).toEqual(new Set(ledgers.map((name) => `ledgers/${String(name)}`)));
});

test("a saved database is complete, has all migrations, and is not written over", async () => {
  expect(await backup("verify", saved)).toContain("are complete and unchanged.");
  const migrations = valuesOf("d1_migrations", "name");
  expect(migrations.length).toBeGreaterThan(10);
  expect(await failureOf("database", "--to", saved)).toContain("exists already");
  expect(await failureOf("database")).toContain("--to is missing");
});

test("the database may be saved again right away", async () => {
  const later = `${saved}-later`;
  await backup("database", "--to", later);
  const manifest = JSON.parse(readFileSync(join(later, "manifest.json"), "utf8")) as object;
  expect(DatabaseManifest.parse(manifest).tables.map(({ name }) => name)).toEqual(
    manifestOf().tables.map(({ name }) => name),
  );
  const names = readdirSync(dirname(later)).filter((name) => name.includes("partial"));
  expect(names).toEqual([]);
});

test("a file that was changed, shortened or lost is found, and so is a backup that was never completed", async () => {
  const path = join(saved, "ledgers.jsonl.gz");
  const before = readFileSync(path);
  appendFileSync(path, "more");
  expect(await failureOf("verify", saved)).toContain("ledgers.jsonl.gz has");
  const changed = Buffer.from(before);
  changed.writeUInt8((changed.at(-1) ?? 0) ^ 1, changed.length - 1);
  writeFileSync(path, changed);
  expect(await failureOf("verify", saved)).toContain("another SHA-256");
  rmSync(path);
  expect(await failureOf("verify", saved)).toContain("ledgers.jsonl.gz is missing");
  rmSync(join(saved, "manifest.json"));
  expect(await failureOf("verify", saved)).toContain("never completed");
});
