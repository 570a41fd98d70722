import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";

/**
 * Lint rules hold the rules of `AGENTS.md` about the engine. Each test plants a violation in a copy of the sources, because a
 * lint pattern that matches nothing would look like clean code.
 */
const USE = "eslint(no-restricted-properties)";
const GLOBAL = "eslint(no-restricted-globals)";

/** Planted files: the name of each, the lint rule that it breaks, and its text. */
const REFUSED_USES = [
  ["a date", GLOBAL, "export const now = () => new Date();"],
  ["a random number", USE, "export const dice = () => Math.random();"],
  ["a random id", GLOBAL, "export const id = () => crypto.randomUUID();"],
  ["a request", GLOBAL, 'export const get = () => fetch("http://localhost");'],
  ["JSON that rounds", USE, 'export const value: unknown = JSON.parse("1");'],
  ["a log of its own", "eslint(no-console)", 'console.log("hello");'],
  ["any", "typescript(no-explicit-any)", "export const anything = (value: any) => value;"],
] as const;

const ROOT = resolve(import.meta.dirname, "../../..");
const RULES_FOLDER = "ledger-engine/rules";

/** Files to plant, by their path below `src`. The name of a planted file describes its violation. */
const PLANTED: ReadonlyMap<string, string> = new Map([
  ...REFUSED_USES.map(([what, , source]) => [pathOf(RULES_FOLDER, what), `${source}\n`] as const),
  [
    `${RULES_FOLDER}/there.ts`,
    'import { back } from "./back.ts";\nexport const there = () => back;\n',
  ],
  [
    `${RULES_FOLDER}/back.ts`,
    'import { there } from "./there.ts";\nexport const back = () => there;\n',
  ],
]);

/** The lint rules that the files of the copy break, by path below `src`. */
let broken: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  const copy = mkdtempSync(join(tmpdir(), "florin-lint-"));
  try {
    copySources(copy);
    for (const [path, source] of PLANTED) write(join(copy, "src", path), source);
    broken = lint(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
});

test("the sources keep to the boundaries", () => {
  const own = [...broken].filter(([path]) => !PLANTED.has(path));
  const beyond = own.filter(([, rules]) => rules.some((rule) => BOUNDARY_RULES.test(rule)));
  expect(beyond).toEqual([]);
});

describe("lint refuses", () => {
  test.each(REFUSED_USES)("lint refuses in the rules, %s", (what, rule) => {
    expect(broken.get(pathOf(RULES_FOLDER, what))).toContain(rule);
  });

  test("lint refuses a cycle", () => {
    expect(broken.get(`${RULES_FOLDER}/back.ts`)).toContain("import(no-cycle)");
  });
});

const BOUNDARY_RULES = /no-restricted|no-cycle|no-console/;

function pathOf(folder: string, what: string): string {
  return join(folder, `${what.replaceAll(/[^a-zA-Z]+/g, "-")}.ts`);
}

function copySources(copy: string): void {
  for (const name of ["src", "package.json", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  // The linter runs without types, which takes only milliseconds; no rule under test needs types.
  const config = readFileSync(join(ROOT, ".oxlintrc.json"), "utf8");
  const withoutTypes = config.replaceAll(/"(typeAware|typeCheck)": true/g, '"$1": false');
  write(join(copy, ".oxlintrc.json"), withoutTypes);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function lint(copy: string): Map<string, string[]> {
  const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/oxlint"), ["--format=json", "src"], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Finding[] }; // the documented output of the linter
  const byFile = Map.groupBy(diagnostics, ({ filename }) => filename.replace(/^src\//, ""));
  return new Map([...byFile].map(([file, found]) => [file, found.map(({ code }) => code)]));
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface Finding {
  readonly code: string;
  readonly filename: string;
}
