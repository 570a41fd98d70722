import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { commitOf } from "#scripts/lib/build/commit.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "florin-commit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

const write = (text: string): void => {
  mkdirSync(join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "src/a.ts"), text);
};

test("the commit of a build is known while its sources are those of the commit", () => {
  git("init", "--quiet");
  write("1");
  git("add", ".");
  git("commit", "--quiet", "--message", "one");
  const head = git("rev-parse", "HEAD");
  expect(commitOf(["src"], folder)).toBe(head);
  writeFileSync(join(folder, "notes.txt"), "no source");
  expect(commitOf(["src"], folder)).toBe(head);
  write("2");
  expect(commitOf(["src"], folder)).toBeUndefined();
});

test("the commit of a build is not known in a folder without a clone, or within one of something else", () => {
  write("1");
  expect(commitOf(["src"], folder)).toBeUndefined();
  git("init", "--quiet");
  expect(commitOf(["a.ts"], join(folder, "src"))).toBeUndefined();
});
