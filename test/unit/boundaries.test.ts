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
 * The boundaries between the folders are lint rules. Here each of them meets violations, planted in a copy of the
 * sources, because a pattern that matches nothing looks like clean code.
 */
const IMPORT = "eslint(no-restricted-imports)";
const USE = "eslint(no-restricted-properties)";
const GLOBAL = "eslint(no-restricted-globals)";

/** What is imported, the folder of src that does it, and how. */
const REFUSED_IMPORTS = [
  ["another module's file", "modules/webhooks", "../ledger/store.ts"],
  ["another module's file, from a folder", "modules/webhooks/routes", "../../ledger/store.ts"],
  [
    "another module's file, from a folder in a folder",
    "modules/ledger/object/reads",
    "../../../webhooks/store.ts",
  ],
  ["the app in a folder in a folder", "modules/ledger/object/reads", "../../../../app.ts"],
  ["another module's file, the long way", "modules/webhooks", "../../modules/ledger/store.ts"],
  ["another module's core", "modules/webhooks/core", "../../ledger/core/names.ts"],
  ["a module's file in the app", "", "./modules/ledger/store.ts"],
  ["the app in a module", "modules/ledger", "../../app.ts"],
  ["a language's file in a module", "modules/ledger", "../../numscript/parser.ts"],
  ["a module in platform", "platform", "../modules/ledger/index.ts"],
  ["a module in a folder of platform", "platform/http", "../../modules/ledger/index.ts"],
  ["the app in platform", "platform/http", "../../app.ts"],
  ["platform in a language", "numscript", "../platform/json.ts"],
  ["a package in a language", "expr", "zod"],
  ["node:crypto in a core", "modules/ledger/core", "node:crypto"],
  ["the runtime in a core", "modules/ledger/core", "cloudflare:workers"],
  ["HTTP in a core", "modules/ledger/core", "hono"],
  ["platform's HTTP in a core", "modules/ledger/core", "../../../platform/http/schemas.ts"],
  ["SQL in a core", "modules/ledger/core", "drizzle-orm"],
  ["random ids in a core", "modules/ledger/core", "../../../platform/ids.ts"],
  ["its module's store in a core", "modules/ledger/core", "../store.ts"],
  ["its module's object in a core", "modules/ledger/core", "../object/log-store.ts"],
  ["its module's store in a folder of a core", "modules/ledger/core/schemas", "../../store.ts"],
  ["SQL in a folder of a core", "modules/ledger/core/schemas", "drizzle-orm"],
  [
    "platform's ids in a folder of a core",
    "modules/ledger/core/schemas",
    "../../../../platform/ids.ts",
  ],
] as const;

const ACCEPTED_IMPORTS = [
  ["another module's face", "modules/webhooks", "../ledger/index.ts"],
  ["another module's face, from a folder", "modules/webhooks/routes", "../../ledger/index.ts"],
  ["the module's own files", "modules/ledger/routes", "../object/log-store.ts"],
  ["its own files in a folder in a folder", "modules/ledger/object/reads", "../../core/names.ts"],
  [
    "platform in a folder in a folder",
    "modules/ledger/object/reads",
    "../../../../platform/time.ts",
  ],
  ["platform in a module", "modules/ledger", "../../platform/http/endpoint.ts"],
  ["a language in a core", "modules/ledger/core", "../../../numscript/index.ts"],
  ["errors in a core", "modules/ledger/core", "../../../platform/errors.ts"],
  ["a core's own files", "modules/ledger/core", "./names.ts"],
  ["a core's own files in a folder of it", "modules/ledger/core/schemas", "../names.ts"],
  ["errors in a folder of a core", "modules/ledger/core/schemas", "../../../../platform/errors.ts"],
] as const;

/** What a core does, the rule that it breaks, and how. */
const REFUSED_USES = [
  ["the clock", IMPORT, 'export { systemClock } from "../../../platform/time.ts";'],
  ["a date", GLOBAL, "export const now = () => new Date();"],
  ["a random number", USE, "export const dice = () => Math.random();"],
  ["a random id", GLOBAL, "export const id = () => crypto.randomUUID();"],
  ["a request", GLOBAL, 'export const get = () => fetch("http://localhost");'],
  ["JSON that rounds", USE, 'export const value: unknown = JSON.parse("1");'],
  ["a log of its own", "eslint(no-console)", 'console.log("hello");'],
  ["any", "typescript(no-explicit-any)", "export const anything = (value: any) => value;"],
] as const;

const ROOT = resolve(import.meta.dirname, "../..");
const CORE = "modules/ledger/core";

/** Files to plant, by their path below src. A planted file is named after what it does. */
const PLANTED: ReadonlyMap<string, string> = new Map([
  ...[...REFUSED_IMPORTS, ...ACCEPTED_IMPORTS].map(
    ([what, folder, specifier]) => [pathOf(folder, what), `import "${specifier}";\n`] as const,
  ),
  ...REFUSED_USES.map(([what, , source]) => [pathOf(CORE, what), `${source}\n`] as const),
  [`${CORE}/there.ts`, 'import { back } from "./back.ts";\nexport const there = () => back;\n'],
  [`${CORE}/back.ts`, 'import { there } from "./there.ts";\nexport const back = () => there;\n'],
]);

/** The rules that the files of the copy break, by their path below src. */
let broken: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  const copy = mkdtempSync(join(tmpdir(), "florin-boundaries-"));
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
  test.each(REFUSED_IMPORTS)("%s", (what, folder) => {
    expect(broken.get(pathOf(folder, what))).toContain(IMPORT);
  });

  test.each(REFUSED_USES)("in a core, %s", (what, rule) => {
    expect(broken.get(pathOf(CORE, what))).toContain(rule);
  });

  test("a cycle", () => {
    expect(broken.get(`${CORE}/back.ts`)).toContain("import(no-cycle)");
  });
});

describe("lint accepts", () => {
  test.each(ACCEPTED_IMPORTS)("%s", (what, folder) => {
    expect(broken.get(pathOf(folder, what)) ?? []).not.toContain(IMPORT);
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
  // No rule under test needs types, and without them the linter takes milliseconds.
  const config = readFileSync(join(ROOT, ".oxlintrc.json"), "utf8");
  write(join(copy, ".oxlintrc.json"), config.replace('"typeAware": true', '"typeAware": false'));
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
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Finding[] }; // as the linter documents it
  const byFile = Map.groupBy(diagnostics, ({ filename }) => filename.replace(/^src\//, ""));
  return new Map([...byFile].map(([file, found]) => [file, found.map(({ code }) => code)]));
}

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

interface Finding {
  readonly code: string;
  readonly filename: string;
}
