import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { withCommands } from "#scripts/florin/command-docs.ts";
import type { Nouns } from "#scripts/florin/command.ts";
import { completionScript } from "#scripts/florin/completion.ts";
import { EXIT_CODES, runCommand } from "#scripts/florin/main.ts";
import { loadNouns } from "#scripts/florin/nouns.ts";
import { inProject } from "#scripts/lib/project.ts";

const NOUNS: Nouns = {
  ghosts: {
    summary: "What nobody has seen",
    group: "The house",
    verbs: {
      call: {
        summary: "Calls a ghost",
        parameters: ["name"],
        options: {
          at: { kind: "text", meaning: "where" },
          tools: { kind: "list", meaning: "with what" },
          loud: { kind: "flag", meaning: "so that all hear it" },
        },
        run: async (call) => {
          call.note("It comes.");
          const data = {
            name: call.parameter("name"),
            at: call.text("at"),
            tools: call.list("tools"),
            loud: call.flag("loud"),
            height: 2n ** 70n,
          };
          return { data, lines: [`It is ${data.name}.`] };
        },
      },
      check: {
        summary: "Checks whether there are any",
        run: async () => ({ data: { count: 1 }, lines: ["One."], failure: "There is one." }),
      },
      reach: {
        summary: "Asks the server",
        run: async (call) => {
          await call.connect(["ghosts:read"]);
          return { data: {}, lines: [] };
        },
      },
    },
  },
};

async function florin(...args: string[]) {
  const lines: string[] = [];
  const notes: string[] = [];
  const code = await runCommand(args, NOUNS, {
    env: { FLORIN_STATE_DIR: "/nonexistent" },
    write: (line) => void lines.push(line),
    note: (line) => void notes.push(line),
  });
  return { code, output: lines.join("\n"), notes: notes.join("\n") };
}

describe("a verb", () => {
  test("a verb of npm run florin gets its parameters and options, and what it notes is no part of its output", async () => {
    const answer = await florin(
      ..."ghosts call Hugo --at midnight --tools bell,book --tools candle --loud --json".split(" "),
    );
    expect(answer).toEqual({
      code: EXIT_CODES.done,
      output:
        '{"name":"Hugo","at":"midnight","tools":["bell","book","candle"],"loud":true,"height":1180591620717411303424}',
      notes: "It comes.",
    });
  });

  test("a verb of npm run florin has sentences as its output where no JSON is asked for", async () => {
    expect((await florin("ghosts", "call", "Hugo")).output).toBe("It is Hugo.");
  });

  test("a verb of npm run florin that finds something wrong shows it, says so, and ends with 1", async () => {
    expect(await florin("ghosts", "check")).toEqual({
      code: EXIT_CODES.failed,
      output: "One.",
      notes: "There is one.",
    });
  });

  test("a verb of npm run florin without a server ends with 1 and a sentence", async () => {
    const { code, output, notes } = await florin("ghosts", "reach");
    expect([code, output]).toEqual([EXIT_CODES.failed, ""]);
    expect(notes).toMatch(/^No server runs on the state folder .+\.$/);
  });
});

describe("a wrong command line ends with 2 and the help that belongs there:", () => {
  test.each([
    [
      "an unknown noun",
      ["goasts"],
      { problem: "'goasts' is no noun.", help: "Usage: npm run florin" },
    ],
    [
      "a name of JavaScript",
      ["toString"],
      { problem: "'toString' is no noun.", help: "ghosts  What nobody" },
    ],
    [
      "an unknown verb",
      ["ghosts", "cal"],
      { problem: "'ghosts' has no verb 'cal'.", help: "ghosts call <name>" },
    ],
    [
      "a missing word",
      ["ghosts", "call"],
      { problem: "<name> is missing.", help: "--tools <a,b>" },
    ],
    [
      "a word too many",
      ["ghosts", "call", "a", "b"],
      { problem: "'b' is one word too many.", help: "--loud" },
    ],
    [
      "an unknown option",
      ["ghosts", "call", "a", "--in"],
      { problem: "Unknown option '--in'.", help: "--at <text>" },
    ],
    [
      "an unknown shell",
      ["completion", "ksh"],
      { problem: "There is no completion for 'ksh'.", help: "bash and zsh" },
    ],
  ])("a wrong command ends with 2 and the help: %s", async (_name, args, { problem, help }) => {
    const { code, output, notes } = await florin(...args);
    expect([code, output]).toEqual([EXIT_CODES.usage, ""]);
    expect(notes.startsWith(problem)).toBe(true);
    expect(notes).toContain(help);
  });
});

test.each([[[]], [["help"]], [["--help"]], [["ghosts"]], [["ghosts", "call", "--help"]]])(
  "help is output: %j",
  async (args) => {
    const { code, output, notes } = await florin(...args);
    expect([code, notes]).toEqual([EXIT_CODES.done, ""]);
    expect(output).toMatch(/call/);
  },
);

test.each([
  ["florin gh", "ghosts"],
  ["florin completion z", "zsh"],
  ["florin ghosts c", "call check"],
  ["florin ghosts call --", "--at --tools --loud --json --url --help"],
  ["florin ghosts call Hugo --l", "--loud"],
])("bash completes '%s' to '%s'", (line, expected) => {
  const words = line.split(" ");
  const script = [
    completionScript("bash", ["/a 'quoted' folder/node", "florin.ts"], NOUNS),
    `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _florin`,
    'echo "${COMPREPLY[*]}"',
  ].join("\n");
  expect(execFileSync("bash", ["-c", script], { encoding: "utf8" }).trim()).toBe(expected);
});

test("every noun is found by its file, and each of its verbs says what it does", async () => {
  const nouns = await loadNouns();
  expect(Object.keys(nouns)).toEqual(expect.arrayContaining(["clients", "ledgers"]));
  for (const { summary, alone, verbs } of Object.values(nouns)) {
    const all = [...Object.values(verbs), ...(alone === undefined ? [] : [alone])];
    expect(all).not.toEqual([]);
    for (const text of [summary, ...all.map((verb) => verb.summary)]) {
      expect(text).toMatch(/^[A-Z].+[^.]$/);
    }
  }
});

test("the page of the command line has all nouns and verbs as the code has them", async () => {
  const page = readFileSync(inProject("docs/command-line.md"), "utf8");
  expect(withCommands(page, await loadNouns()), "run npm run commands:docs").toBe(page);
});
