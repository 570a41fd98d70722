import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assertSchemaVersion,
  decodeLoggedSchema,
  decodeSchema,
  type LedgerSchema,
  parseSchemaText,
  renderSchema,
  showSchema,
  toInsertionText,
  toSchemaMemento,
  toSchemaText,
} from "#ledger-engine/rules/schemas/ledger-schema.ts";
import {
  SCHEMA_BYTES_MAX,
  SCHEMA_VERSION_LENGTH_MAX,
} from "#ledger-engine/rules/schemas/limits.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import { chainHash } from "#test/support/ledger-engine/recorded.ts";
import {
  decodeText,
  decodeValue,
  messageOf,
  recordedRequests,
} from "#test/support/ledger-engine/schemas.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const SEND = "send [USD 1] (\n source = @world\n destination = @bank\n)";
const insertions = recordedRequests("insertion");

/** The prefixes of the reference server's messages about refused schemas. */
const PREFIXES = /^unexpected error while forging log: (?:creating schema: )?/;
/**
 * Parts of messages that come from the reference server's JSON reader or compiler. Florin's messages have their own words
 * there.
 */
const OWN_WORDS = /json: |compilation error: |invalid character /;

describe("recorded insertions", () => {
  test.each(insertions)(
    "the recorded insertion of $scenario $version: $body",
    ({ body, status, message, rendered }) => {
      const isJson = body !== "x";
      const refusal = isJson ? messageOf(() => decodeText(body)) : "";
      expect(refusal === undefined).toBe(status === 204);
      const [known = "", others] = message?.replace(PREFIXES, "").split(OWN_WORDS) ?? [];
      if (others === undefined) expect(refusal ?? "").toBe(known);
      else expect(refusal).toContain(known);
      if (rendered === undefined) return;
      const schema = { ...decodeText(body), version: "v1", createdAt: at("09:30") };
      const { version: _version, createdAt: _createdAt, ...shown } = renderSchema(schema);
      expect(shown).toEqual(rendered);
    },
  );

  test("recorded insertions include accepted and refused ones", () => {
    expect(insertions.filter(({ status }) => status === 400).length).toBeGreaterThan(30);
    expect(insertions.filter(({ rendered }) => rendered !== undefined).length).toBeGreaterThan(5);
  });
});

describe("the hashes of recorded log entries", () => {
  interface Line {
    readonly type: string;
    readonly data: { readonly schema?: unknown };
    readonly date: string;
    readonly hash: string;
    readonly idempotencyHash: string;
  }
  const file = resolve(import.meta.dirname, "../../../../fixtures/ledger-log.ndjson");
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => parseJson(line) as Line); // `line` is a line of a file in this repository
  const entries = lines.flatMap((line, index) =>
    line.type === "INSERTED_SCHEMA" ? [{ line, previous: lines[index - 1]?.hash }] : [],
  );

  test.each(entries)(
    "the hashes of recorded log entries are reproduced for $line.hash",
    ({ line, previous }) => {
      const schema = decodeLoggedSchema(line.data.schema);
      const text = toSchemaText(schema);
      const memento = `{"type":"INSERTED_SCHEMA","data":{"schema":${toSchemaMemento(text, schema)}},"date":"${line.date}","idempotencyKey":"","id":0,"hash":null}`;
      expect(chainHash(memento, previous)).toBe(line.hash);
      const inputs = createHash("sha256").update(`${toInsertionText(schema.version, text)}\n`);
      expect(`${inputs.digest("base64url")}=`).toBe(line.idempotencyHash);
      expect(renderSchema(schema)).toEqual(line.data.schema);
    },
  );

  test("the hashes of recorded log entries include two entries", () => {
    expect(entries.length).toBe(2);
  });
});

describe("a schema is refused", () => {
  test.each([
    ["null", "invalid schema: expected an object"],
    ["[]", "invalid schema: expected an object"],
    ["5", "invalid schema: expected an object"],
    ["{}", "invalid schema: missing chart of accounts"],
    [`{"Chart":{}}`, "invalid schema: missing chart of accounts"],
    [`{"chart":{},"queries":[]}`, "invalid schema: the query templates must be an object"],
    [
      `{"chart":{},"transactions":5}`,
      "invalid schema: the transaction templates must be an object",
    ],
  ])("a schema is refused for %s", (body, message) => {
    expect(messageOf(() => decodeText(body))).toBe(message);
  });

  test("a schema is refused without a body", () => {
    const work = () => decodeSchema(undefined, { runtime: "machine" });
    expect(messageOf(work)).toBe("invalid schema: expected an object");
  });

  test("a schema that is too large is refused before its scripts are compiled", () => {
    const description = "é".repeat(2500);
    const templates = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`t${index}`, { script: SEND, description }]),
      );
    const count = Math.floor(SCHEMA_BYTES_MAX / 5200);
    const work = (size: number) => () => decodeValue({ chart: {}, transactions: templates(size) });
    expect(messageOf(work(count))).toBeUndefined();
    expect(messageOf(work(count + 10))).toMatch(
      /^invalid schema: it has \d+ bytes, and \d+ are allowed$/,
    );
    const broken = { chart: {}, transactions: { t: { script: "x".repeat(SCHEMA_BYTES_MAX) } } };
    expect(messageOf(() => decodeValue(broken))).toMatch(/^invalid schema: it has/);
  });

  test("a schema of a log entry is refused without a version or a date", () => {
    expect(messageOf(() => decodeLoggedSchema({ chart: {}, version: "v1" }))).toBe(
      "invalid schema: it has no date of creation",
    );
    const created = { chart: {}, createdAt: "2026-03-01T09:30:00Z" };
    expect(messageOf(() => decodeLoggedSchema(created))).toContain("must not be empty");
    expect(messageOf(() => decodeLoggedSchema(null))).toContain("expected an object");
  });
});

test("a version is any text up to a length, but not the empty one", () => {
  expect(messageOf(() => assertSchemaVersion(""))).toBe("the schema version must not be empty");
  expect(messageOf(() => assertSchemaVersion("v é/:"))).toBeUndefined();
  expect(messageOf(() => assertSchemaVersion("v".repeat(SCHEMA_VERSION_LENGTH_MAX)))).toBe(
    undefined,
  );
  expect(messageOf(() => assertSchemaVersion("v".repeat(SCHEMA_VERSION_LENGTH_MAX + 1)))).toBe(
    "the schema version is longer than 255 characters",
  );
});

describe("the text of a schema", () => {
  test("the text of a schema sorts names that clients choose by their bytes, keeps the order of the others, and escapes", () => {
    const body = String.raw`{"queries":{"q":{"body":{"$match":{"account":"<&>"}},"vars":{"é":"int","z":{"default":12345678901234567890,"type":"int"},"10":"int","9":"int"},
      "params":{"sort":"id:asc","pageSize":2,"expand":["volumes"]},"resource":"transactions","description":"d"}},
      "transactions":{"b":{"script":"${SEND.replaceAll("\n", String.raw`\n`)}"},"a":{"runtime":"machine","script":"${SEND.replaceAll("\n", String.raw`\n`)}"}},
      "chart":{"b":{},"a":{"z":{},"10":{},"9":{},"__proto__":{},"$v":{".pattern":"<"},".self":{}}}}`;
    const script = stringifyJson(SEND);
    expect(toSchemaText(decodeText(body))).toBe(
      [
        String.raw`{"chart":{"a":{"$v":{".pattern":"\u003c"},".self":{},"10":{},"9":{},"__proto__":{},"z":{}},"b":{}},`,
        `"transactions":{"a":{"description":"","script":${script},"runtime":"machine"},"b":{"description":"","script":${script}}},`,
        String.raw`"queries":{"q":{"description":"d","resource":"transactions","params":{"sort":"id:asc","pageSize":2,"expand":["volumes"]},`,
        String.raw`"vars":{"10":{"type":"int"},"9":{"type":"int"},"z":{"type":"int","default":12345678901234567890},"é":{"type":"int"}},`,
        String.raw`"body":{"$match":{"account":"\u003c\u0026\u003e"}}}}}`,
      ].join(""),
    );
  });

  test("the text of a schema has version and date at its end in a log entry", () => {
    const text = toSchemaText(decodeText(`{"chart":null}`));
    expect(text).toBe(`{"chart":{}}`);
    expect(
      toSchemaMemento(text, { version: "v <1>", createdAt: at("2026-03-01T09:30:00.5Z") }),
    ).toBe(
      String.raw`{"chart":{},"version":"v \u003c1\u003e","createdAt":"2026-03-01T09:30:00.5Z"}`,
    );
    expect(toInsertionText("v<", text)).toBe(String.raw`{"Version":"v\u003c","Data":{"chart":{}}}`);
  });
});

describe("a schema as clients read it", () => {
  const schemaOf = (queries: object): LedgerSchema => ({
    ...decodeValue({ chart: {}, queries }),
    version: "v1",
    createdAt: at("09:30"),
  });

  test("a schema as clients read it has the resource among the parameters of a query, and expansions as one text", () => {
    const params = { expand: ["volumes", "effectiveVolumes"], pageSize: 2, resource: "logs" };
    const schema = schemaOf({ q: { resource: "accounts", params } });
    expect(showSchema(schema)).toEqual({
      chart: {},
      queries: {
        q: {
          resource: "accounts",
          params: { resource: "accounts", expand: "volumes,effectiveVolumes", pageSize: 2 },
        },
      },
      version: "v1",
      createdAt: "2026-03-01T09:30:00Z",
    });
    expect(renderSchema(schema)["queries"]).toEqual({ q: { resource: "accounts", params } });
  });

  test("a schema as clients read it has no parameters where there are none", () => {
    for (const params of [
      {},
      null,
      { resource: "logs" },
      { pageSize: 0, sort: "", expand: null },
    ]) {
      expect(showSchema(schemaOf({ q: { resource: "logs", params } }))["queries"]).toEqual({
        q: { resource: "logs" },
      });
    }
  });
});

test("the shown form of a schema decodes to the same schema, and so does its text", () => {
  const name = fc.constantFrom("a", "b", "10", "9", "__proto__", "constructor", "é", "x_y");
  const { segment } = fc.letrec<{ segment: unknown }>((tie) => ({
    segment: fc.oneof(
      { maxDepth: 3 },
      fc.constant({}),
      fc.record({
        ".metadata": fc.dictionary(name, fc.record({ default: fc.string() }, { requiredKeys: [] })),
      }),
      fc
        .tuple(
          fc.dictionary(
            name.filter((it) => it !== "é"),
            tie("segment"),
            { maxKeys: 3 },
          ),
          fc.boolean(),
        )
        .map(([children, isAccount]) => ({ ...children, ...(isAccount ? { ".self": {} } : {}) })),
      tie("segment").map((child) => ({ $any: child })),
    ),
  }));
  const declared = fc.constantFrom("int", { type: "int", default: 12345678901234567890n });
  const filters = fc.oneof(
    fc.record({ body: fc.constantFrom({}, null, { $match: { "metadata[k]": "<&>" } }) }),
    fc.record({ vars: fc.dictionary(name, declared) }),
    declared.map((n) => ({ vars: { n }, body: { $match: { "metadata[k]": "<$n>" } } })),
  );
  const params = fc.record(
    {
      pageSize: fc.nat(),
      expand: fc.array(fc.constantFrom("volumes", "x")),
      startTime: fc.constant("2026-03-01T09:30:00Z"),
    },
    { requiredKeys: [] },
  );
  const resource = fc.constantFrom("accounts", "transactions");
  const query = fc
    .tuple(fc.record({ resource, description: fc.string(), params }), filters)
    .map(([rest, filter]) => ({ ...rest, ...filter }));
  const body = fc.record(
    {
      chart: fc.dictionary(
        name.filter((it) => it !== "é"),
        segment,
        { maxKeys: 4 },
      ),
      transactions: fc.dictionary(
        name,
        fc.record({ script: fc.constant(SEND), description: fc.string() }),
      ),
      queries: fc.dictionary(name, query),
    },
    { requiredKeys: ["chart"] },
  );
  fc.assert(
    fc.property(body, (value) => {
      const data = decodeText(stringifyJson(value));
      const schema: LedgerSchema = { ...data, version: "v1", createdAt: at("09:30") };
      const shown = renderSchema(schema);
      const text = toSchemaText(schema);
      expect(renderSchema(decodeLoggedSchema(shown))).toEqual(shown);
      expect(toSchemaText(decodeLoggedSchema(shown))).toBe(text);
      expect(toSchemaText(parseSchemaText(text))).toBe(text);
      const ofClient = {
        ...decodeValue(showSchema(schema)),
        version: "v1",
        createdAt: at("09:30"),
      };
      expect(showSchema(ofClient)).toEqual(showSchema(schema));
    }),
    { numRuns: runsOf(300) },
  );
});
