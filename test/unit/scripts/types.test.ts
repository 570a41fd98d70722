import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/**
 * `npm run check` leaves the compiler's errors to the linter. These tests plant errors in a small project with Florin's
 * configuration, and compare the reports of the linter and the compiler.
 */
const PLANTED: readonly (readonly [what: string, path: string, source: string])[] = [
  ["a wrong type in a file that nothing imports", "src/unused.ts", wrong("unused")],
  ["a wrong type in a test", "test/unit/wrong.ts", wrong("test")],
  ["a wrong type next to the golden files", "test/golden/wrong.ts", wrong("golden")],
  ["a wrong type in a script", "scripts/lib/wrong.ts", wrong("script")],
  ["a wrong type in the bench", "bench/wrong.ts", wrong("bench")],
  ["a wrong type in the migrations", "migrations/wrong.ts", wrong("migration")],
  [
    "a wrong type behind a comment for the linter",
    "src/off.ts",
    `/* oxlint-disable */\n${wrong("off")}`,
  ],
  [
    "a missing export",
    "src/export.ts",
    'import { nothing } from "./unused.ts";\nexport const a = nothing;\n',
  ],
  ["a missing file", "src/file.ts", 'import { a } from "./nowhere.ts";\nexport const b = a;\n'],
  [
    "a missing package",
    "src/package.ts",
    'import { a } from "no-such-package";\nexport const b = a;\n',
  ],
  [
    "a wrong use of JSON",
    "src/json.ts",
    'import data from "./data.json";\nexport const a: number = data.text;\n',
  ],
  [
    "an error that is expected and missing",
    "src/expected.ts",
    "// @ts-expect-error -- it is right\nexport const a: number = 1;\n",
  ],
  ["an enum", "src/enum.ts", "export enum Color {\n  Red,\n}\n"],
  [
    "a missing return",
    "src/return.ts",
    "export function f(a: string): number {\n  if (a) return 1;\n}\n",
  ],
  [
    "a global that is declared twice",
    "src/global.ts",
    "declare global {\n  interface Env {\n    readonly TWICE: string;\n  }\n  interface Env {\n    readonly TWICE: number;\n  }\n}\nexport {};\n",
  ],
];

function wrong(name: string): string {
  return `export const ${name}: number = "text";\n`;
}

const FOLDERS = ["src", "test", "scripts", "bench", "migrations"];
const ROOT = resolve(import.meta.dirname, "../../..");
const bin = (name: string): string => join(ROOT, "node_modules/.bin", name);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "florin-types-"));
  for (const name of ["package.json", ".oxlintrc.json", "tsconfig.json", "src/node-buffer.d.ts"]) {
    cpSync(join(ROOT, name), join(folder, name));
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const [, path, source] of PLANTED) write(path, source);
  write("src/data.json", '{ "text": "a" }\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

describe("the linter reports", () => {
  let compiler: readonly string[];
  let linter: readonly string[];

  beforeAll(() => {
    compiler = compile();
    linter = lint();
  });

  test.each(PLANTED)("the linter reports %s", (_, path) => {
    const errors = compiler.filter((error) => error.startsWith(`${path} `));
    expect(errors).not.toEqual([]);
    expect(linter).toEqual(expect.arrayContaining(errors));
  });

  test("the linter reports what the compiler reports, and nothing that it does not", () => {
    expect(linter.toSorted()).toEqual(compiler.toSorted());
  });
});

test("the linter refuses an option that the compiler does not know", () => {
  cpSync(join(folder, "tsconfig.json"), join(folder, "right.json"));
  write("tsconfig.json", '{ "compilerOptions": { "nonsense": true }, "include": ["src"] }\n');
  const { status, stdout } = run("oxlint", ["src/unused.ts"]);
  cpSync(join(folder, "right.json"), join(folder, "tsconfig.json"));
  expect(status).not.toBe(0);
  expect(stdout).toContain("Unknown compiler option 'nonsense'");
});

test("the formatter refuses JSON that does not parse, which the linter does not read", () => {
  write("src/broken.json", '{"a": }\n');
  const { status } = run("oxfmt", ["--check", "src/broken.json"]);
  rmSync(join(folder, "src/broken.json"));
  expect(status).not.toBe(0);
});

function write(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const run = (name: string, options: readonly string[]) =>
  spawnSync(bin(name), options, { cwd: folder, encoding: "utf8" });

/** The errors of the compiler, each as the path of its file and its code. */
function compile(): string[] {
  const { stdout } = run("tsc", ["-p", ".", "--pretty", "false"]);
  return [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error (TS\d+)/gm)].map(
    ([, path = "", code = ""]) => `${path} ${code}`,
  );
}

/** The errors of the linter, each as the path of its file and its code. */
function lint(): string[] {
  const { diagnostics } = JSON.parse(run("oxlint", ["--format=json", ...FOLDERS]).stdout) as Report; // the documented output of the linter
  return diagnostics.flatMap(({ code, filename }) => {
    const error = /TS\d+/.exec(code)?.[0];
    return error === undefined ? [] : [`${filename} ${error}`];
  });
}

interface Report {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}
