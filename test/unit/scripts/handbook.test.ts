import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(resolve(ROOT, file), "utf8");

const AGENTS_LINES_MAX = 130;

describe.each(["AGENTS.md", "CONTRIBUTING.md", "README.md"])("%s", (page) => {
  const text = read(page);

  test("names files and folders that exist", () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
    const quoted = [
      ...text.matchAll(
        /`((?:src|test|scripts|docs|migrations|platform|modules|ledger-engine)\/[\w./-]*)`/g,
      ),
    ];
    const paths = [...links, ...quoted.map(([, path = ""]) => path)];
    const missing = paths.filter(
      (path) => !existsSync(resolve(ROOT, path)) && !existsSync(resolve(ROOT, "src", path)),
    );
    expect(paths).not.toEqual([]);
    expect(missing).toEqual([]);
  });

  test("names commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = ""]) => name);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

test("AGENTS.md is short enough to be read", () => {
  expect(read("AGENTS.md").split("\n").length).toBeLessThanOrEqual(AGENTS_LINES_MAX);
});
