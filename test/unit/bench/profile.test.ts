import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CpuProfile } from "#bench/inspector.ts";
import { attribute } from "#bench/profile/attribute.ts";
import { profileLines } from "#bench/profile/lines.ts";
import { SourceLines } from "#bench/profile/source-map.ts";
import { OBJECT_PATHS, STAGE_OF_PATH } from "#bench/profile/stages.ts";
import { inProject } from "#scripts/lib/project.ts";

const FILES = [
  "src/app.ts",
  "src/platform/json.ts",
  "src/platform/http/body.ts",
  "src/modules/ledger/objects/ledger-object.ts",
  "src/modules/ledger/answers/result-json.ts",
  "src/ledger-engine/storage/names/names.ts",
  "src/unknown.ts",
];
/** A bundle in which each file has its path and one line. */
const SCRIPT = FILES.map((file) => `// ${file}\nfunction f() {}`).join("\n");

type Stack = readonly [name: string, file: string][];

/** A profile that saw each stack once, for 100 microseconds. */
function profileOf(stacks: readonly Stack[]): CpuProfile {
  const nodes: { id: number; callFrame: Frame; children: number[] }[] = [];
  const samples = stacks.map((stack) => {
    for (const [index, [functionName, file]] of stack.entries()) {
      const url = FILES.includes(file) ? "index.js" : file;
      const lineNumber = FILES.indexOf(file) * 2 + 1;
      if (index > 0) nodes.at(-1)?.children.push(nodes.length);
      nodes.push({ id: nodes.length, callFrame: { functionName, url, lineNumber }, children: [] });
    }
    return nodes.length - 1;
  });
  return { nodes, samples, timeDeltas: samples.map(() => 100) };
}
type Frame = CpuProfile["nodes"][number]["callFrame"];

const timesOf = (stacks: readonly Stack[]) => {
  const { stages, rest } = attribute(profileOf(stacks), new SourceLines(SCRIPT));
  const spent = stages.filter((time) => time.workerMicros + time.objectMicros > 0);
  return { spent, rest };
};

describe("the time of a profile", () => {
  it("the time of a profile counts for the innermost function that has a stage", () => {
    const { spent, rest } = timesOf([
      [
        ["configure", "src/app.ts"],
        ["readText", "src/platform/http/body.ts"],
        ["decode", ""],
      ],
      [
        ["readText", "src/platform/http/body.ts"],
        ["fromString", "node-internal:internal_buffer"],
      ],
      [["configure", "src/app.ts"]],
    ]);
    expect(spent).toEqual([
      { stage: "parsing", workerMicros: 200, objectMicros: 0 },
      { stage: "routing", workerMicros: 100, objectMicros: 0 },
    ]);
    expect(rest).toEqual([]);
  });

  it("the time of a profile takes the longest path that fits, and functions before their files", () => {
    const { spent } = timesOf([
      [["write", "src/modules/ledger/answers/result-json.ts"]],
      [
        ["load", "src/ledger-engine/storage/names/names.ts"],
        ["stringifyJson2", "src/platform/json.ts"],
      ],
      [
        ["load", "src/ledger-engine/storage/names/names.ts"],
        ["parseJson", "src/platform/json.ts"],
      ],
    ]);
    expect(spent).toEqual([
      { stage: "decoding", workerMicros: 0, objectMicros: 100 },
      { stage: "encoding", workerMicros: 0, objectMicros: 200 },
    ]);
  });

  it("the time of a profile is the object's where one of its functions is under way", () => {
    const { spent } = timesOf([
      [
        ["execute", "src/modules/ledger/objects/ledger-object.ts"],
        ["exec", ""],
      ],
    ]);
    expect(spent).toEqual([{ stage: "SQL", workerMicros: 0, objectMicros: 100 }]);
  });

  it("the time of a profile names the rest and leaves idle time out", () => {
    const { spent, rest } = timesOf([
      [["(idle)", ""]],
      [["(program)", ""]],
      [["surprise", "src/unknown.ts"]],
      [["surprise", "src/unknown.ts"]],
    ]);
    expect(spent).toEqual([{ stage: "rest", workerMicros: 300, objectMicros: 0 }]);
    expect(rest).toEqual([
      { name: "surprise of src/unknown.ts", micros: 200 },
      { name: "(program)", micros: 100 },
    ]);
  });

  it("the time of a profile is shown by stage, with what the runtime needs besides", () => {
    const { stages, rest } = attribute(
      profileOf([[["surprise", "src/unknown.ts"]]]),
      new SourceLines(SCRIPT),
    );
    const text = profileLines({
      name: "account",
      clients: 16,
      requestsPerSecond: 1000,
      cpuMicros: 350,
      stages,
      rest,
    });
    expect(text).toContain("account, 16 clients, 1000 requests a second");
    expect(text).toMatch(/rest +100 +0\.0 +100\n/);
    expect(text).toMatch(/JavaScript +100 +0\.0 +100\n/);
    expect(text).toMatch(/runtime +250\n/);
    expect(text).toContain("largest of the rest: surprise of src/unknown.ts 100");
  });
});

it("stages are those of files and folders that exist", () => {
  const paths = [...Object.keys(STAGE_OF_PATH), ...OBJECT_PATHS].map(
    (path) => path.split("#", 1)[0],
  );
  expect(paths.filter((path) => !existsSync(inProject(path ?? "")))).toEqual([]);
});
