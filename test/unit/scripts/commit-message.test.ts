import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

const HOOKS = resolve(import.meta.dirname, "../../../.githooks");

/** The environment of git without a configuration of the user or the machine. */
const ENV = {
  PATH: process.env["PATH"],
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  ...Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Tester"],
      [`GIT_${who}_EMAIL`, "tester@example.com"],
    ]),
  ),
};

const parent = mkdtempSync(join(tmpdir(), "florin-hooks-"));
afterAll(() => rmSync(parent, { recursive: true }));

let files = 0;

/** A repository of a test. */
class Repository {
  readonly path: string;

  constructor(name: string) {
    this.path = join(parent, name);
    mkdirSync(this.path);
    this.git("init", "--quiet");
  }

  git(...options: readonly string[]): string {
    return execFileSync("git", options, {
      cwd: this.path,
      env: ENV,
      encoding: "utf8",
      stdio: "pipe",
    });
  }

  /** Stages `count` new files. */
  change(count: number): void {
    for (let index = 0; index < count; index++) {
      writeFileSync(join(this.path, `${files++}.txt`), "");
    }
    this.git("add", ".");
  }
}

/** The repository in which tests commit. */
const committed = new Repository("committed");
committed.git("config", "core.hooksPath", HOOKS);
const git = committed.git.bind(committed);
const change = committed.change.bind(committed);

/** Repositories with so many staged files, in which nothing is committed: a commit and a reset for each message take much longer. */
const STAGED = { 1: new Repository("one"), 2: new Repository("two") };
STAGED[1].change(1);
STAGED[2].change(2);

/** Gives a message to the hook, as git does before a commit; returns what the hook says, or undefined for an accepted message. */
function judge(message: string, count: 1 | 2): string | undefined {
  const { path } = STAGED[count];
  const file = join(path, ".git/COMMIT_EDITMSG");
  writeFileSync(file, message);
  const options = { cwd: path, env: ENV, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(join(HOOKS, "commit-msg"), [file], options);
  return status === 0 ? undefined : stderr.trim();
}

/** Tries a commit; returns the message of the hook, or undefined for an accepted commit. */
function refusalOf(message: string, ...options: readonly string[]): string | undefined {
  const { status, stderr } = spawnSync("git", ["commit", "--file=-", "--quiet", ...options], {
    cwd: committed.path,
    env: ENV,
    encoding: "utf8",
    input: message,
  });
  return status === 0 ? undefined : stderr.trim();
}

const TITLE = "ledger: refuse to revert twice";
const BODY = "The second revert took the money again.";

describe("a message is accepted:", () => {
  test.each([
    ["a title alone for one file", 1, TITLE],
    ["a title of 72 characters", 1, "x".repeat(72)],
    ["a title of 72 characters of several bytes", 1, "ü€".repeat(36)],
    ["a title and a body for two files", 2, `${TITLE}\n\n${BODY}\n`],
    ["a body that looks a little like a trailer", 2, `${TITLE}\n\nWhy: ${BODY}\n`],
    ["a body after empty lines", 2, `\n\n${TITLE}\n\n\n${BODY}\n`],
  ] as const)("a message is accepted: %s", (_, count, message) => {
    expect(judge(message, count)).toBeUndefined();
  });

  test.each(["fixup", "squash"])("a message is accepted for a %s of several files", (kind) => {
    change(1);
    expect(refusalOf("x".repeat(72))).toBeUndefined();
    change(2);
    git("commit", "--quiet", `--${kind}=HEAD`, ...(kind === "squash" ? ["--message="] : []));
    expect(git("log", "-1", "--format=%s")).toContain(`${kind}! xxx`);
  });

  test("the message of a revert, whose title quotes the other title, is accepted", () => {
    change(2);
    expect(refusalOf(`${"x".repeat(72)}\n\n${BODY}`)).toBeUndefined();
    git("revert", "--no-edit", "HEAD");
    expect(git("log", "-1", "--format=%s")).toContain('Revert "xxx');
  });

  test("the message of a merge of several files is accepted, whatever its title", () => {
    git("switch", "--quiet", "--create", "side");
    change(2);
    expect(refusalOf(`${TITLE}\n\n${BODY}`)).toBeUndefined();
    git("switch", "--quiet", "-");
    git("merge", "--quiet", "--no-ff", "--no-commit", "side");
    expect(refusalOf("Bring the side in")).toBeUndefined();
    expect(git("log", "-1", "--format=%P").trim().split(" ")).toHaveLength(2);
  });

  test("the diff and the comments that git shows to the author do not count in a message", () => {
    change(1);
    const scissors = "# ------------------------ >8 ------------------------";
    const message = `${TITLE}\n# ${"x".repeat(80)}\n${scissors}\n${"x".repeat(80)}\n`;
    expect(refusalOf(message, "--cleanup=scissors")).toBeUndefined();
  });
});

const NO_BODY = "commit-msg: 2 files change, and the message has no body that says why";

describe("a message is refused", () => {
  test.each([
    {
      what: "a title of 73 characters",
      count: 1,
      message: "x".repeat(73),
      refusal: "commit-msg: the title has 73 characters; 72 are allowed",
    },
    { what: "a title alone for two files", count: 2, message: TITLE, refusal: NO_BODY },
    {
      what: "a title and a trailer for two files",
      count: 2,
      message: `${TITLE}\n\nSigned-off-by: Tester <tester@example.com>\n`,
      refusal: NO_BODY,
    },
    {
      what: "a body of comments for two files",
      count: 2,
      message: `${TITLE}\n\n# ${BODY}\n`,
      refusal: NO_BODY,
    },
    {
      what: "a body right below the title",
      count: 2,
      message: `${TITLE}\n${BODY}\n`,
      refusal: "commit-msg: the second line is not empty",
    },
  ] as const)("a message is refused: $what", ({ count, message, refusal }) => {
    expect(judge(message, count)).toBe(refusal);
  });

  test("a message is refused, and nothing is committed", () => {
    change(1);
    expect(refusalOf("the commit before")).toBeUndefined();
    change(2);
    expect(refusalOf(`${TITLE}\n\n# ${BODY}\n`, "--cleanup=strip")).toBe(NO_BODY);
    expect(git("log", "-1", "--format=%s").trim()).toBe("the commit before");
  });

  test("an empty message is left to git", () => {
    expect(judge("\n", 1)).toBeUndefined();
    change(1);
    expect(refusalOf("\n")).toContain("empty commit message");
  });
});
