import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "#library/index.ts";
import { pay, refusalOf } from "#test/support/library/library.ts";

let folder: string;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "florin-library-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const freshFile = (): string => join(folder, `ledger-${files++}.sqlite`);
const namesBeside = (file: string): string[] =>
  readdirSync(folder).filter((name) => name.startsWith(basename(file)));
const DEPOSIT = { postings: [pay("world -> a", 5)] };

/** Runs a script in another process, in which `openLedger`, `file` and `DEPOSIT` are defined. */
function runElsewhere(file: string, script: string): { output: string; signal: string | null } {
  const entry = pathToFileURL(resolve("src/library/index.ts")).href;
  const prelude = `import { openLedger } from ${JSON.stringify(entry)};
    const file = ${JSON.stringify(file)}; const DEPOSIT = ${JSON.stringify(DEPOSIT)};`;
  const options = ["--input-type=module", "--no-warnings", "--eval", `${prelude}\n${script}`];
  const { stdout, stderr, signal } = spawnSync(process.execPath, options, { encoding: "utf8" });
  return { output: `${stdout}${stderr}`.trim(), signal };
}

describe("a ledger on a file", () => {
  test("a ledger on a file goes on where it stopped", () => {
    const file = freshFile();
    const first = openLedger({ file, name: "books" });
    const made = first.createTransaction(DEPOSIT, { idempotencyKey: "k" });
    const logs = [...first.logs()];
    first.close();
    const second = openLedger({ file });
    expect(second.name).toBe("books");
    expect([...second.logs()]).toEqual(logs);
    expect(second.createTransaction(DEPOSIT, { idempotencyKey: "k" })).toEqual(made);
    expect(second.createTransaction(DEPOSIT).id).toBe(2);
    expect(second.balance("a", "USD/2")).toBe(10n);
    second.close();
  });

  test("a ledger on a file is a single file when it is closed, and a copy of that is a ledger", () => {
    const file = freshFile();
    const ledger = openLedger({ file });
    ledger.createTransaction(DEPOSIT);
    ledger.close();
    expect(namesBeside(file)).toEqual([basename(file)]);
    const copy = freshFile();
    writeFileSync(copy, readFileSync(file));
    const second = openLedger({ file: copy });
    expect(second.balance("a", "USD/2")).toBe(5n);
    second.close();
  });

  test("a ledger on a file can only be opened once at a time in a process", () => {
    const file = freshFile();
    const first = openLedger({ file });
    expect(refusalOf(() => openLedger({ file }))).toBe(
      `CONFLICT: '${file}' is open elsewhere, in this process or another`,
    );
    first.createTransaction(DEPOSIT);
    expect(first.balance("a", "USD/2")).toBe(5n);
    first.close();
    const second = openLedger({ file });
    expect(second.balance("a", "USD/2")).toBe(5n);
    second.close();
  });

  test("a ledger on a file can only be opened by one process at a time", () => {
    const file = freshFile();
    const ledger = openLedger({ file });
    const script = "try { openLedger({ file }); } catch (error) { console.log(error.code); }";
    expect(runElsewhere(file, script).output).toBe("CONFLICT");
    ledger.createTransaction(DEPOSIT);
    ledger.close();
    expect(runElsewhere(file, "console.log(openLedger({ file }).balance('a', 'USD/2'));")).toEqual({
      output: "5n",
      signal: null,
    });
  });

  test("a ledger on a file keeps every answered write when its process is killed", () => {
    const file = freshFile();
    const script = `const ledger = openLedger({ file });
      for (let i = 0; i < 20; i++) ledger.createTransaction(DEPOSIT);
      process.kill(process.pid, "SIGKILL");`;
    expect(runElsewhere(file, script)).toEqual({ output: "", signal: "SIGKILL" });
    const ledger = openLedger({ file });
    expect(ledger.balance("a", "USD/2")).toBe(100n);
    expect(ledger.createTransaction(DEPOSIT).id).toBe(21);
    ledger.close();
  });
});

describe("a file is refused", () => {
  test("a file that holds a ledger of another name or with other features is refused", () => {
    const file = freshFile();
    openLedger({ file, name: "books", features: { HASH_LOGS: "DISABLED" } }).close();
    expect(refusalOf(() => openLedger({ file, name: "other" }))).toBe(
      "VALIDATION: the file holds the ledger 'books', not 'other'",
    );
    expect(refusalOf(() => openLedger({ file, features: { HASH_LOGS: "SYNC" } }))).toBe(
      "VALIDATION: the ledger was made with HASH_LOGS DISABLED, not SYNC",
    );
    openLedger({ file, name: "books", features: { HASH_LOGS: "DISABLED" } }).close();
  });

  test("a file that is a database with other contents is refused, and not changed", () => {
    const file = freshFile();
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE ledger (x)");
    database.close();
    const before = readFileSync(file);
    expect(refusalOf(() => openLedger({ file }))).toBe(
      `VALIDATION: '${file}' is a database, but it holds no ledger`,
    );
    expect(readFileSync(file)).toEqual(before);
  });

  test("a file that is no database is refused, and not changed", () => {
    const file = freshFile();
    writeFileSync(file, "dear diary, ".repeat(100));
    expect(refusalOf(() => openLedger({ file }))).toBe(
      `VALIDATION: '${file}' can't be opened: file is not a database`,
    );
    expect(readFileSync(file, "utf8")).toMatch(/^dear diary/);
  });

  test("a file that a later version has written is refused", () => {
    const file = freshFile();
    openLedger({ file }).close();
    const database = new DatabaseSync(file);
    database.exec("INSERT INTO migration (step) VALUES (1000)");
    database.close();
    expect(refusalOf(() => openLedger({ file }))).toBe(
      `VALIDATION: '${file}' was written by a later version of Florin`,
    );
  });

  test("a file whose folder does not exist is refused", () => {
    expect(refusalOf(() => openLedger({ file: join(folder, "no/such/folder.sqlite") }))).toMatch(
      /^VALIDATION: '.*' can't be opened: unable to open database file$/,
    );
    expect(refusalOf(() => openLedger({ file: folder }))).toMatch(/^VALIDATION: /);
  });

  test("a file is refused before it is made, with options that no ledger can have", () => {
    const file = freshFile();
    expect(refusalOf(() => openLedger({ file, name: "a b" }))).toMatch(/^VALIDATION: /);
    expect(namesBeside(file)).toEqual([]);
  });
});
