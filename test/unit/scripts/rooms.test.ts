import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { findToolViolations, findViolations, readSources } from "#scripts/lib/rooms/violations.ts";

const SOURCES = readSources("src");

/** Violations that a planted file causes in a folder that is already full, which the tests ignore. */
const ONE_TOO_MANY: ReadonlySet<string> = new Set(
  Array.from(SOURCES.keys(), (file) => `${dirname(file)} has 21 files; 20 are allowed`),
);

const violationsIn = (sources: ReadonlyMap<string, string>): string[] =>
  findViolations(sources).filter((violation) => !ONE_TOO_MANY.has(violation));

/** The violations in the sources with planted files. */
const violationsWith = (planted: Readonly<Record<string, string>>): string[] =>
  violationsIn(new Map([...SOURCES, ...Object.entries(planted)]));

/** Every file of the sources, without its text: what the files themselves import is judged once, by the first test. */
const EMPTY = new Map(Array.from(SOURCES.keys(), (file) => [file, ""] as const));

/** The violations of planted files, except circles: an import from a floor above also makes a circle of folders. */
const withoutCircles = (planted: Readonly<Record<string, string>>): string[] =>
  violationsIn(new Map([...EMPTY, ...Object.entries(planted)]));

/** The violations, except circles, with a planted file that imports a name. */
const violationsOf = (file: string, name: string): string[] =>
  withoutCircles({ [file]: `import "${name}";\n` });

test("the sources keep to their rooms", () => {
  expect(findViolations(SOURCES)).toEqual([]);
});

describe("an arrow that the table lacks is refused:", () => {
  test.each([
    ["a module in platform", "platform/x.ts", "#modules/ledger/index.ts"],
    ["a module in a room of platform", "platform/http/x.ts", "#modules/auth/index.ts"],
    ["HTTP in platform's own files", "platform/x.ts", "#platform/http/context.ts"],
    ["the app in a module", "modules/auth/x.ts", "#src/app.ts"],
    ["the app in platform", "platform/work/x.ts", "#src/app.ts"],
    ["a module that is not below it", "modules/webhooks/x.ts", "#modules/ledger/index.ts"],
    [
      "another module's file",
      "modules/ledger/http/v2/x.ts",
      "#modules/exporters/services/pipeline-service.ts",
    ],
    ["a module's file in the app", "x.ts", "#modules/ledger/service/service.ts"],
    ["platform in a language", "numscript/check/x.ts", "#platform/json.ts"],
    ["a language's file in a module", "modules/ledger/x.ts", "#numscript/syntax/parser.ts"],
    ["the checker in the parser", "numscript/syntax/x.ts", "#numscript/check/check.ts"],
    ["a module in the engine", "ledger-engine/read/x.ts", "#modules/ledger/index.ts"],
    ["the clock in the rules", "ledger-engine/rules/x.ts", "#platform/clock.ts"],
    ["random ids in the rules", "ledger-engine/rules/log/x.ts", "#platform/ids.ts"],
    ["SQL in the rules", "ledger-engine/rules/x.ts", "#platform/sql/sql.ts"],
    ["storage in the rules", "ledger-engine/rules/x.ts", "#ledger-engine/storage/payload.ts"],
    ["writing in reading", "ledger-engine/read/logs/x.ts", "#ledger-engine/write/log-writer.ts"],
    ["HTTP in the engine", "ledger-engine/x.ts", "#platform/http/endpoint.ts"],
    ["the engine's file in a module", "modules/ledger/x.ts", "#ledger-engine/engine.ts"],
    [
      "the engine of payments in an entity's rows",
      "modules/payments/accounts/x.ts",
      "#modules/payments/polling/run.ts",
    ],
    [
      "an entity in the frame of ingestion",
      "modules/payments/ingestion/x.ts",
      "#modules/payments/payments/tables.ts",
    ],
    [
      "an entity on the same floor",
      "modules/payments/orders/x.ts",
      "#modules/payments/accounts/tables.ts",
    ],
    [
      "payments' API in its engine",
      "modules/payments/movements/x.ts",
      "#modules/payments/http/lists.ts",
    ],
    [
      "the run of an instance in the instance's rows",
      "modules/orchestration/instances/x.ts",
      "#modules/orchestration/run/runner.ts",
    ],
    [
      "triggers in the run of an instance",
      "modules/orchestration/run/x.ts",
      "#modules/orchestration/triggers/work.ts",
    ],
    [
      "another module in an instance's rows",
      "modules/orchestration/instances/x.ts",
      "#modules/ledger/index.ts",
    ],
    [
      "the object of a pipeline in the rows of pipelines",
      "modules/exporters/store/x.ts",
      "#modules/exporters/delivery/progress.ts",
    ],
    [
      "use cases of pipelines in their delivery",
      "modules/exporters/delivery/x.ts",
      "#modules/exporters/services/pipeline-service.ts",
    ],
    ["the engine in a driver", "modules/exporters/drivers/x.ts", "#ledger-engine"],
    [
      "calls of webhooks' objects in their configs",
      "modules/webhooks/configs/x.ts",
      "#modules/webhooks/lane/lane.ts",
    ],
    [
      "use cases of webhooks in their lanes",
      "modules/webhooks/lane/x.ts",
      "#modules/webhooks/services/webhook-service.ts",
    ],
    [
      "tokens in the clients and people that they are for",
      "modules/auth/people/x.ts",
      "#modules/auth/tokens/token-service.ts",
    ],
    ["a module in the library", "library/x.ts", "#modules/ledger/index.ts"],
    ["an engine's way past its face", "library/x.ts", "#ledger-engine/storage/payload.ts"],
    [
      "a version of the API in the service",
      "modules/ledger/service/x.ts",
      "#modules/ledger/http/v2/bulk.ts",
    ],
  ])("an arrow that the table lacks is refused: %s", (_, file, name) => {
    expect(violationsOf(file, name)).toHaveLength(1);
  });

  test("an arrow that the table lacks is refused by a type import, too", () => {
    const planted = 'import type { App } from "#src/app.ts";\nexport type { App as A };\n';
    expect(withoutCircles({ "platform/x.ts": planted })).toHaveLength(1);
  });

  test("an arrow that the table lacks is refused by a re-export and by an import at run time, too", () => {
    const planted =
      'export * from "#src/app.ts";\nexport const load = () => import("#src/app.ts");\n';
    expect(withoutCircles({ "platform/x.ts": planted })).toHaveLength(2);
  });

  test("an arrow that the table lacks is refused by an import with attributes, too", () => {
    const attributes = 'with { type: "json" }';
    const planted = [
      `import app from "#src/app.ts" ${attributes};`,
      `import "#src/jobs.ts" ${attributes};`,
      `export const load = () => import("#src/index.ts", { ${attributes.replace(" ", ": ")} });`,
    ];
    expect(withoutCircles({ "platform/x.ts": planted.join("\n") })).toHaveLength(3);
  });

  test("an arrow that the table lacks is refused by an import over several lines, too", () => {
    const planted = 'import {\n  a,\n  b,\n} from "#src/app.ts";\n';
    expect(withoutCircles({ "platform/x.ts": planted })).toHaveLength(1);
  });
});

describe("an arrow of the table is accepted:", () => {
  test.each([
    ["platform in a module", "modules/auth/x.ts", "#platform/http/endpoint.ts"],
    ["a module's face in the app", "x.ts", "#modules/ledger/index.ts"],
    [
      "a module's face in a module above it",
      "modules/ledger/http/v2/x.ts",
      "#modules/exporters/index.ts",
    ],
    ["a language's face in the rules", "ledger-engine/rules/x.ts", "#numscript"],
    ["the engine's face in a module", "modules/ledger/x.ts", "#ledger-engine"],
    ["the room's own files", "ledger-engine/write/x.ts", "./log-rows.ts"],
    [
      "pure files of platform in the rules",
      "ledger-engine/rules/schemas/x.ts",
      "#platform/time.ts",
    ],
  ])("an arrow of the table is accepted: %s", (_, file, name) => {
    expect(violationsOf(file, name)).toEqual([]);
  });
});

describe("packages:", () => {
  test.each([
    ["a package in a language", "numscript/x.ts", "zod"],
    ["SQL of another kind in the rules", "ledger-engine/rules/x.ts", "drizzle-orm"],
    ["the runtime in the engine", "ledger-engine/write/x.ts", "cloudflare:workers"],
    ["HTTP in the engine", "ledger-engine/x.ts", "hono"],
    ["node:crypto in the rules", "ledger-engine/rules/x.ts", "node:crypto"],
  ])("%s is refused", (_, file, name) => {
    expect(violationsOf(file, name)).toEqual([expect.stringContaining(`imports ${name}`)]);
  });

  test("a package of the table is accepted, and what lies below it", () => {
    expect(violationsOf("platform/db/x.ts", "drizzle-orm/d1")).toEqual([]);
  });
});

describe("a module that the table lacks has rooms all the same:", () => {
  test.each([
    ["platform in it", "modules/new/http/x.ts", "#platform/http/endpoint.ts"],
    ["its own files in it", "modules/new/http/x.ts", "#modules/new/service.ts"],
    ["its rules in it", "modules/new/x.ts", "#modules/new/core/rules.ts"],
    ["its face in the app", "x.ts", "#modules/new/index.ts"],
    ["SQL in it", "modules/new/x.ts", "drizzle-orm"],
    ["pure files of platform in its rules", "modules/new/core/x.ts", "#platform/time.ts"],
  ])("%s is accepted", (_, file, name) => {
    const planted = {
      "modules/new/index.ts": "",
      "modules/new/service.ts": "",
      "modules/new/core/rules.ts": "",
      [file]: `import "${name}";\n`,
    };
    expect(violationsWith(planted)).toEqual([]);
  });

  test.each([
    ["another module", "modules/new/x.ts", "#modules/auth/index.ts"],
    ["the engine", "modules/new/x.ts", "#ledger-engine"],
    ["the runtime", "modules/new/x.ts", "cloudflare:workers"],
    ["the clock in its rules", "modules/new/core/x.ts", "#platform/clock.ts"],
    ["SQL in its rules", "modules/new/core/x.ts", "drizzle-orm"],
  ])("%s is refused", (_, file, name) => {
    expect(violationsOf(file, name)).toHaveLength(1);
  });
});

test("a path that climbs is refused", () => {
  expect(violationsOf("modules/auth/http/x.ts", "../service.ts")).toEqual([
    "modules/auth/http/x.ts climbs to ../service.ts: use a package import, which begins with #",
  ]);
});

test("an import that leads nowhere is refused", () => {
  expect(violationsOf("platform/x.ts", "./gone.ts")).toEqual([
    "platform/x.ts imports platform/gone.ts, which does not exist",
  ]);
});

test("a folder that the table does not know is refused", () => {
  expect(violationsOf("attic/x.ts", "zod")).toEqual([
    "attic/x.ts is in no room of scripts/lib/rooms/room-table.ts",
  ]);
});

test("a circle of imports is refused, of types as well", () => {
  const planted = {
    "numscript/a.ts": 'import type { B } from "./b.ts";\nexport type A = B[];\n',
    "numscript/b.ts": 'import type { C } from "./c.ts";\nexport type B = C[];\n',
    "numscript/c.ts": 'import type { A } from "./a.ts";\nexport type C = A[];\n',
  };
  expect(violationsWith(planted)).toEqual([
    "a circle of imports in numscript: a.ts, b.ts, c.ts (numscript/a.ts -> numscript/b.ts; numscript/b.ts -> numscript/c.ts; numscript/c.ts -> numscript/a.ts)",
  ]);
});

test("a circle of folders is refused, without a circle of files", () => {
  const planted = {
    "numscript/print/a.ts":
      'import type { B } from "#numscript/print/inside/b.ts";\nexport type A = B;\n',
    "numscript/print/inside/b.ts": "export type B = 1;\n",
    "numscript/print/inside/c.ts":
      'import type { D } from "#numscript/print/other/d.ts";\nexport type C = D;\n',
    "numscript/print/other/d.ts": "export type D = 1;\n",
    "numscript/print/other/e.ts":
      'import type { B } from "#numscript/print/inside/b.ts";\nexport type E = B;\n',
  };
  expect(violationsWith(planted)).toEqual([
    "a circle of imports in numscript/print: inside, other (numscript/print/inside/c.ts -> numscript/print/other/d.ts; numscript/print/other/e.ts -> numscript/print/inside/b.ts)",
  ]);
});

describe("tools:", () => {
  test("scripts and bench keep to their rooms", () => {
    const tools = ["scripts", "bench"].flatMap((folder) => [...readSources(folder, `${folder}/`)]);
    expect(findToolViolations(new Map(tools))).toEqual([]);
  });

  test.each([
    ["a command in the library of scripts", "scripts/lib/x.ts", "#scripts/demo/day.ts"],
    ["the bench in a command", "scripts/demo/x.ts", "#bench/api.ts"],
    ["a command in another one, by a path that climbs", "scripts/listen/x.ts", "../demo/day.ts"],
  ])("%s is refused", (_, file, name) => {
    expect(findToolViolations(new Map([[file, `import "${name}";\n`]]))).toHaveLength(1);
  });

  test("a circle is refused", () => {
    const planted = { "bench/a.ts": 'import "./b.ts";\n', "bench/b.ts": 'import "./a.ts";\n' };
    expect(findToolViolations(new Map(Object.entries(planted)))).toEqual([
      "a circle of imports in bench: a.ts, b.ts (bench/a.ts -> bench/b.ts; bench/b.ts -> bench/a.ts)",
    ]);
  });
});

test("a folder with more than 20 files is refused", () => {
  const files = Array.from({ length: 21 }, (_, i) => [`numscript/x/${i}.ts`, ""] as const);
  expect(violationsWith(Object.fromEntries(files))).toEqual([
    "numscript/x has 21 files; 20 are allowed",
  ]);
});

describe("a type that is defined twice is refused:", () => {
  test.each([
    ["an interface", "export interface Posting {}\n"],
    ["a type alias", "export type Posting = string;\n"],
    ["a class", "export abstract class Posting {}\n"],
  ])("a type that is defined twice is refused: %s", (_, planted) => {
    expect(violationsWith({ "platform/x.ts": planted })).toEqual([
      "the type Posting is defined in ledger-engine/rules/types.ts and in platform/x.ts",
    ]);
  });

  test("a type that only its own file knows, and a re-export, are no second definition", () => {
    const planted =
      'export type { Json } from "#platform/json.ts";\ninterface Posting {}\nexport const x: Posting = {};\n';
    expect(violationsWith({ "platform/x.ts": planted })).toEqual([]);
  });
});
