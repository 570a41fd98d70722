import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { runCommand } from "#scripts/florin/main.ts";
import { noun } from "#scripts/florin/nouns/upgrade.ts";
import { StateFolder } from "#scripts/lib/state.ts";
import { CURRENT_VERSION, type StateVersion } from "#scripts/lib/stored/state-version.ts";

interface State {
  readonly version?: Partial<StateVersion> | null;
  readonly migrations?: readonly string[];
  /** The numbers of the steps that the ledgers have done. */
  readonly ledgers?: readonly number[];
}

/** A state folder with those parts of a state that an upgrade checks. */
function stateOf({ version = {}, migrations = MIGRATIONS, ledgers = [2] }: State): string {
  const folder = mkdtempSync(join(tmpdir(), "florin-upgrade-"));
  if (version !== null) {
    writeFileSync(join(folder, "version.json"), JSON.stringify({ ...CURRENT_VERSION, ...version }));
  }
  const d1 = join(folder, "v3/d1/miniflare-D1DatabaseObject");
  const objects = join(folder, "v3/do/florin-LedgerObject");
  for (const path of [d1, objects]) mkdirSync(path, { recursive: true });
  const database = new DatabaseSync(join(d1, "abc.sqlite"));
  database.exec("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT)");
  for (const name of migrations) {
    database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").run(name);
  }
  database.close();
  for (const [index, steps] of ledgers.entries()) {
    const ledger = new DatabaseSync(join(objects, `${index}.sqlite`));
    ledger.exec("CREATE TABLE migration (step INTEGER PRIMARY KEY, cursor TEXT)");
    for (let step = 1; step <= steps; step++) {
      ledger.prepare("INSERT INTO migration (step) VALUES (?)").run(step);
    }
    ledger.close();
  }
  return folder;
}

async function check(folder: string): Promise<{ code: number; text: string }> {
  const lines: string[] = [];
  const add = (line: string): void => void lines.push(line);
  const surroundings = { env: { FLORIN_STATE_DIR: folder }, write: add, note: add };
  const code = await runCommand(
    ["upgrade", "check"],
    { upgrade: { ...noun, group: "The deployment" } },
    surroundings,
  );
  return { code, text: lines.join("\n") };
}

/** Opens the folder as `npm start` does; returns the message of its refusal, or undefined. */
async function open(folder: string): Promise<string | undefined> {
  try {
    (await StateFolder.open(folder)).release();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe("upgrade check", () => {
  test("the upgrade check says that a folder without state gets a new one", async () => {
    const { code, text } = await check(mkdtempSync(join(tmpdir(), "florin-upgrade-")));
    expect([code, text]).toEqual([0, expect.stringContaining("No state is there yet")]);
  });

  test("the upgrade check says that nothing is to be done with a state of this version", async () => {
    const { code, text } = await check(stateOf({}));
    expect(code).toBe(0);
    expect(text).toContain("The database has all migrations.");
    expect(text).toContain("LedgerObject: 1 object at step 2 of 2.");
  });

  test("the upgrade check names the migrations and the steps that would come", async () => {
    const { code, text } = await check(stateOf({ migrations: [], ledgers: [1, 2, 1] }));
    expect(code).toBe(0);
    expect(text).toContain(`The database lacks ${MIGRATIONS.join(", ")}: npm start applies it.`);
    expect(text).toContain(
      "LedgerObject: 2 objects at step 1 of 2; steps at the next use: Transactions with their log entries.",
    );
    expect(text).toContain("LedgerObject: 1 object at step 2 of 2.");
  });
});

describe.each<[string, State, string]>([
  ["without a version file", { version: null }, "made by a version of Florin before 0.2.0"],
  [
    "of a newer format",
    { version: { format: 2, florin: "0.9.0" } },
    "The state has the format 2, and this version of Florin knows formats up to 1. Run Florin 0.9.0",
  ],
  [
    "with an object of a later step",
    { version: { steps: { LedgerObject: 3 } }, ledgers: [2, 3] },
    "a LedgerObject in it is at step 3, and this version knows only 2",
  ],
])("a state folder %s", (_, state, sentence) => {
  test("a state folder that is not upgraded is refused by the check and by npm start, and stays as it was", async () => {
    const folder = stateOf(state);
    const { code, text } = await check(folder);
    expect([code, text]).toEqual([1, expect.stringContaining(sentence)]);
    expect(await open(folder)).toContain(sentence);
    if (state.version === null) return;
    expect(readFileSync(join(folder, "version.json"), "utf8")).toBe(
      JSON.stringify({ ...CURRENT_VERSION, ...state.version }),
    );
  });
});

test.each([
  ["9999_later.sql", "does not know its migration 9999_later.sql"],
  ["0000_init.sql", "made by a version of Florin before 0.2.0"],
])("the check refuses a database with the migration %s", async (name, sentence) => {
  const { code, text } = await check(stateOf({ migrations: [...MIGRATIONS, name] }));
  expect([code, text]).toEqual([1, expect.stringContaining(sentence)]);
});

test("npm start opens a folder whose later version has left all objects as they were, and names itself in it", async () => {
  const folder = stateOf({
    version: { florin: "0.9.0", steps: { LedgerObject: 3, NewObject: 1 } },
  });
  expect(await open(folder)).toBeUndefined();
  expect(JSON.parse(readFileSync(join(folder, "version.json"), "utf8"))).toEqual(CURRENT_VERSION);
});

test("an audit that a later version has begun keeps nobody from starting", async () => {
  const folder = stateOf({ version: { steps: { LedgerAuditObject: 9 } } });
  expect(await open(folder)).toBeUndefined();
});
