import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { toWire, type WireRequest } from "#console/api/client.ts";
import { shellWord } from "#console/parts/code/literals.ts";
import { sdkCallOf } from "#console/parts/code/sdk-call.ts";
import { SDK_OPERATIONS } from "#console/parts/code/sdk-operations.ts";
import { SNIPPET_LANGUAGES, snippetOf } from "#console/parts/code/snippets.ts";
import { parseJson } from "#platform/json.ts";
import { inProject } from "#scripts/lib/project.ts";

const ORIGIN = "http://127.0.0.1:8787";
const HOSTILE = "'; rm -rf ~; echo \"$(id)`id`\\ \u202egnp.exe\u0007";

const posting = (amount: number | bigint): WireRequest =>
  toWire("post", "/api/ledger/v2/{ledger}/transactions", {
    path: { ledger: "main" },
    query: { dryRun: true },
    body: { postings: [{ source: "world", destination: "users:1", amount, asset: "EUR/2" }] },
  });

describe("a request as curl", () => {
  test("the shell gives curl exactly the URL and the body, whatever is in them", () => {
    const body = { metadata: { note: HOSTILE, amount: 2n ** 70n } };
    const path = { ledger: HOSTILE };
    const request = toWire("post", "/api/ledger/v2/{ledger}", { path, body });
    const code = snippetOf(request, "curl", ORIGIN);
    const script = `curl() { printf '%s\\0' "$@"; }\nFLORIN_TOKEN=secret\n${code}`;
    const words = execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0");
    expect(words.slice(0, 3)).toEqual(["-X", "POST", ORIGIN + request.url]);
    expect(words).toContain("Authorization: Bearer secret");
    expect(parseJson(words.at(-2) ?? "")).toEqual(body);
  });

  test("hidden characters of a text are seen", () => {
    const code = snippetOf({ method: "POST", url: "/x", body: `{"a":"\u202e"}` }, "curl", ORIGIN);
    expect(code).toContain(String.raw`"\u202e"`);
  });

  test("a quote ends no word", () => {
    expect(shellWord("it's")).toBe(String.raw`'it'\''s'`);
  });
});

describe("a request as a call of the SDKs", () => {
  test("amounts and dates have the types of the SDK for TypeScript", () => {
    const code = snippetOf(posting(100), "TypeScript", ORIGIN);
    expect(code).toContain("sdk.ledger.v2.createTransaction({");
    expect(code).toContain("amount: 100n");
    expect(code).toContain("metadata: {}");
    expect(code).toContain("dryRun: true");
  });

  test("an amount that the SDK would round is sent by HTTP", () => {
    const code = snippetOf(posting(2n ** 70n), "TypeScript", ORIGIN);
    expect(code).toContain("await fetch(");
    expect(code).toContain(String(2n ** 70n));
    expect(snippetOf(posting(2n ** 70n), "Python", ORIGIN)).toContain(`"amount": ${2n ** 70n}`);
  });

  test("a member or a parameter that the SDKs don't know makes no call", () => {
    const { body = "", ...request } = posting(1);
    expect(sdkCallOf({ ...request, body: body.replace("postings", "orders") })).toBeUndefined();
    expect(sdkCallOf({ ...request, url: `${request.url}&own=1`, body })).toBeUndefined();
    expect(sdkCallOf({ ...request, url: `${request.url}&dryRun=1`, body })).toBeUndefined();
  });

  test("an operation of Florin's own is plain HTTP in each language", () => {
    const request = { method: "GET", url: "/api/florin/v1/buckets?pageSize=5" };
    const codes = SNIPPET_LANGUAGES.map((language) => snippetOf(request, language, ORIGIN));
    for (const code of codes) {
      expect(code).toContain(`${ORIGIN}/api/florin/v1/buckets?pageSize=5`);
      expect(code).toContain("FLORIN_TOKEN");
    }
  });

  test("a path with fixed names comes before one with parameters", () => {
    expect(sdkCallOf({ method: "GET", url: "/api/ledger/v2/_/exporters" })?.method).toBe(
      "ledger.v2.listExporters",
    );
  });

  test("names and texts cannot leave their literals in Go", () => {
    const request = toWire("post", "/api/ledger/v2/{ledger}", {
      path: { ledger: "a`b" },
      body: { metadata: { note: "`+os.Exit(1)+`" } },
    });
    const code = snippetOf(request, "Go", ORIGIN);
    expect(code).toContain(String.raw`\u0060+os.Exit(1)+\u0060`);
    expect(code).toContain('Ledger: "a`b"');
  });
});

describe("the table of operations", () => {
  test("the official SDK has each operation, with the method and the path of the table", () => {
    const source = inProject("node_modules/@formance/formance-sdk/src");
    const strangers = SDK_OPERATIONS.trim()
      .split("\n")
      .filter((line) => {
        const [route = "", sdkMethod = ""] = line.split("|");
        const [method = "", path = ""] = route.split(" ");
        const name = sdkMethod.replaceAll(/\.(.)/g, (_, letter: string) => letter.toUpperCase());
        const file = `${source}/funcs/${name}.ts`;
        if (!existsSync(file)) return true;
        const text = readFileSync(file, "utf8");
        return !text.includes(`"${path}"`) || !text.includes(`method: "${method}"`);
      });
    expect(strangers).toEqual([]);
  });
});
