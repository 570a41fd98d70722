import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { headingsOf, inBlocks, type Link, linksOf } from "./markdown.ts";
import type { Nouns } from "#scripts/florin/command.ts";
import { loadNouns } from "#scripts/florin/nouns.ts";
import { parseCommand } from "#scripts/florin/parse.ts";
import { SETTING_NAMES } from "#scripts/lib/settings/tables.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(resolve(ROOT, file), "utf8");

const README_BYTES_MAX = 8192;
const AGENTS_LINES_MAX = 130;

const DOCS = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`)
  .toSorted();
const HANDBOOK = ["AGENTS.md", "CONTRIBUTING.md", "README.md"];

/** Variables of the scripts, and bindings, that are no settings of a server. */
const OTHER_VARIABLES = [
  "FLORIN_ANALYTICS",
  "FLORIN_BACKUPS",
  "FLORIN_STATE_DIR",
  "FLORIN_STATEMENTS",
  "FLORIN_TOKEN",
  "FLORIN_URL",
];

/** The beginnings of paths, from the root or from `src`. */
const PLACE = /^(?:src|test|scripts|bench|docs|migrations|platform|modules|ledger-engine)\//;
/** The name of the connector in the examples of pages. */
const EXAMPLE = "acmepay";

/** The paths of all files of code. Pages may refer to a file by the end of its path. */
const FILES = ["src", "test", "scripts", "bench"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map(
    (file) => `/${folder}/${file}`,
  ),
);

let nouns: Nouns;

beforeAll(async () => {
  nouns = await loadNouns();
});

describe.each([...HANDBOOK, "CHANGELOG.md", ...DOCS])("%s", (page) => {
  const text = read(page);

  test("a page has links that lead to a file and, if they name one, to a heading", () => {
    expect(linksOf(text).flatMap((link) => problemOf(page, link))).toEqual([]);
  });

  test("names files and folders that exist", () => {
    const quoted = [...text.matchAll(/`([\w./-]+)`/g)].map(([, path = ""]) => path);
    const paths = quoted.filter((path) => PLACE.test(path) || /\w\.ts$/.test(path));
    expect(paths.filter((path) => !path.includes(EXAMPLE) && !isThere(path))).toEqual([]);
  });

  test("names commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("a page has operators' commands that the command line accepts", () => {
    const words = text.matchAll(/npm run (?:-s )?florin -- ([^`#\n|)]+)/g);
    const refused = [...words].filter(([, command = ""]) => {
      const args = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      return fails(() => parseCommand(args, nouns));
    });
    expect(refused.map(([command]) => command)).toEqual([]);
  });

  test("a page has blocks of JSON that can be parsed", () => {
    const broken = inBlocks(text, "json").filter((json) =>
      fails(() => JSON.parse(json) as unknown),
    );
    expect(broken).toEqual([]);
  });

  test("names variables that exist", () => {
    const named = [...text.matchAll(/\bFLORIN_[A-Z_]*[A-Z](?!\w|…|_…)/g)].map(([name]) => name);
    const known = new Set([...SETTING_NAMES, ...OTHER_VARIABLES]);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

test.each(HANDBOOK)("%s has links and commands", (page) => {
  expect(linksOf(read(page))).not.toEqual([]);
  expect(read(page)).toContain("npm run ");
});

test("README.md and the quickstart lead to every page", () => {
  const fromQuickstart = linksOf(read("docs/quickstart.md")).map(({ path }) => `docs/${path}`);
  const fromReadme = linksOf(read("README.md")).map(({ path }) => path);
  const linked = new Set([...fromReadme, ...fromQuickstart]);
  const behind = [
    "docs/generic-connector/README.md",
    "docs/operations/backup.md",
    "docs/operations/disarmed.md",
    "docs/operations/runbook.md",
    "docs/operations/scheduled-backups.md",
    "docs/performance/laboratory-book.md",
  ];
  expect(DOCS.filter((page) => !linked.has(page))).toEqual(behind);
});

test("README.md and AGENTS.md are short enough to be read", () => {
  expect(Buffer.byteLength(read("README.md"))).toBeLessThanOrEqual(README_BYTES_MAX);
  expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(AGENTS_LINES_MAX);
});

test("a link that leads nowhere is found", () => {
  const problemsOf = (text: string) =>
    linksOf(text).flatMap((link) => problemOf("README.md", link));
  expect(problemsOf("[a](docs/limits.md#rates) [b](https://example.com) [c](#license)")).toEqual(
    [],
  );
  expect(problemsOf("[a](docs/none.md)")).toEqual(["docs/none.md: there is no such file"]);
  expect(problemsOf("[a](docs/limits.md#none)")).toEqual([
    "docs/limits.md#none: there is no such heading",
  ]);
  expect(problemsOf("[a](#none)")).toEqual(["README.md#none: there is no such heading"]);
});

function fails(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

const isThere = (path: string): boolean =>
  existsSync(resolve(ROOT, path)) ||
  existsSync(resolve(ROOT, "src", path)) ||
  FILES.some((file) => file.endsWith(`/${path}`));

/** What is wrong with a link of a page; empty for a link that leads to its target. */
function problemOf(page: string, { path, anchor }: Link): string[] {
  const target = path === "" ? page : relative(ROOT, resolve(ROOT, dirname(page), path));
  if (!existsSync(join(ROOT, target))) return [`${target}: there is no such file`];
  if (anchor === undefined || headingsOf(read(target)).has(anchor)) return [];
  return [`${target}#${anchor}: there is no such heading`];
}
