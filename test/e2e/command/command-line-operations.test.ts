import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { loadNouns } from "#scripts/florin/nouns.ts";
import { commandLine } from "#test/support/runner/command-line.ts";
import { sharedFolder, sharedServer } from "#test/support/runner/shared-server.ts";

const home = mkdtempSync(join(tmpdir(), "florin-operations-"));
const env = { FLORIN_STATE_DIR: sharedFolder(), XDG_CONFIG_HOME: home };
/** The output of a command on the server of the state folder. */
const florin = commandLine(env);

const Id = z.object({ id: z.string() });

/** The id of what a command makes. */
const made = async (...args: string[]): Promise<string> =>
  Id.parse(parseJson(await florin(...args, "--json"))).id;

/** A file with JSON. */
function fileOf(name: string, content: unknown): string {
  const path = join(home, name);
  writeFileSync(path, stringifyJson(content));
  return path;
}

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ security: z.array(z.record(z.string(), z.array(z.string()))) }).partial(),
    ),
  ),
});

/** A path without the names of its parameters. */
const shapeOf = (path: string): string => path.replaceAll(/\{[^}]+\}/g, "{}");

test("each declared verb calls an operation of the API document, with its scope", async () => {
  const { paths } = Document.parse(
    await (await fetch(`${sharedServer().url}/openapi.json`)).json(),
  );
  const scopes = new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { security = [] }]) => [
        `${method.toUpperCase()} ${shapeOf(path)}`,
        security.flatMap(({ oauth2 = [] }) => oauth2),
      ]),
    ),
  );
  const declared = Object.entries(await loadNouns()).flatMap(([noun, { verbs }]) =>
    Object.entries(verbs).flatMap(([verb, { operation }]) =>
      operation === undefined ? [] : [{ name: `${noun} ${verb}`, ...operation }],
    ),
  );
  expect(declared.length).toBeGreaterThan(100);
  for (const { name, method, path, scope } of declared) {
    expect.soft(scopes.get(`${method} ${shapeOf(path)}`), name).toEqual([scope]);
  }
});

describe("exports", () => {
  test("a pipeline sends the log of a ledger to an exporter, stops, and goes", async () => {
    await florin("ledgers", "create", "cli-exported");
    const config = fileOf("exporter.json", { url: "http://127.0.0.1:9/logs" });
    const exporter = await made("exporters", "create", "http", "--config", config);
    expect(await florin("exporters", "list")).toContain(exporter);
    const pipeline = await made("pipelines", "create", "cli-exported", exporter);
    expect(await florin("pipelines", "show", "cli-exported", pipeline)).toMatch(
      /^ *Enabled +true$/m,
    );
    await florin("pipelines", "stop", "cli-exported", pipeline);
    expect(await florin("pipelines", "list", "cli-exported")).toContain("false");
    await florin("pipelines", "delete", "cli-exported", pipeline, "--yes");
    expect(await florin("pipelines", "list", "cli-exported")).toBe("The ledger has no pipelines.");
    await florin("exporters", "delete", exporter, "--yes");
  });
});

describe("reconciliation", () => {
  test("a rule is made from a file, fails, and its alert is acknowledged and woken", async () => {
    await florin("ledgers", "create", "cli-watched");
    const date = "2026-01-31T12:00:00Z";
    await florin("transactions", "create", "cli-watched", "world -> till 5 USD/2", "--date", date);
    const file = fileOf("rule.json", {
      name: "till",
      templateKind: "account_threshold",
      templateSpec: {
        ledger: "cli-watched",
        query: { $match: { address: "till" } },
        mode: "per_account",
        bounds: { "USD/2": { min: 0, max: 1 } },
      },
      severity: "high",
    });
    const rule = await made("rules", "create", "--file", file);
    expect(await florin("rules", "evaluate", rule)).toMatch(/^ *Result +FAIL$/m);
    const alerts = await florin("alerts", "list", "--filter", `ruleID=${rule}`, "--json");
    const [alert = ""] = z
      .array(Id)
      .parse(parseJson(alerts))
      .map(({ id }) => id);
    await expect(florin("alerts", "acknowledge", alert)).rejects.toThrow("--by names the person");
    expect(await florin("alerts", "acknowledge", alert, "--by", "ada")).toMatch(
      /^ *Status +ACKNOWLEDGED$/m,
    );
    const until = "2099-01-31T12:00:00Z";
    expect(await florin("alerts", "snooze", alert, "--by", "ada", "--until", until)).toContain(
      until,
    );
    expect(await florin("alerts", "wake", alert, "--by", "ada")).not.toContain(until);
    expect(await florin("alerts", "history", alert)).toContain("unsnooze");
    expect(await florin("rules", "disable", rule)).toBe(`The rule ${rule} is off.`);
    await florin("rules", "delete", rule, "--yes");
  });

  test("a matching of two ledgers runs, and its breaks are listed", async () => {
    await florin("ledgers", "create", "cli-left");
    await florin("transactions", "create", "cli-left", "world -> bank 7 USD/2");
    await florin("ledgers", "create", "cli-right");
    const sourceOf = async (ledger: string): Promise<string> => {
      const response = await fetch(`${sharedServer().url}/api/florin/v1/reconciliation/sources`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${await sharedServer().token()}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ name: ledger, kind: "accounts", ledger, account: "bank" }),
      });
      return z.object({ data: Id }).parse(await response.json()).data.id;
    };
    const [left, right] = [await sourceOf("cli-left"), await sourceOf("cli-right")];
    expect(await florin("sources", "show", left)).toMatch(/^ *Ledger +cli-left$/m);
    const matching = await made(
      "matchings",
      "create",
      "books",
      left,
      right,
      "--from",
      "2020-01-01",
    );
    await florin("matchings", "run", matching);
    await expect.poll(() => florin("matchings", "runs", matching)).toContain("done");
    expect(await florin("matchings", "breaks", matching)).toContain("7 USD/2");
    expect(await florin("matchings", "groups", matching)).toBe("There are no such groups.");
    await florin("matchings", "delete", matching, "--yes");
    await florin("sources", "delete", left, "--yes");
  });
});

test("a pool has accounts or a query, and not both", async () => {
  const query = fileOf("query.json", { $match: { reference: "none" } });
  await expect(
    florin("pools", "create", "both", "--account", "x", "--query", query),
  ).rejects.toThrow("give --account or --query");
  const said = await florin("pools", "create", "cli-pool", "--query", query);
  const pool = /^The pool (\S+) is made/.exec(said)?.[1] ?? "";
  expect(await florin("pools", "show", pool)).toMatch(/^ *Type +DYNAMIC$/m);
  expect(await florin("pools", "balances", pool)).toBe("The pool has no balances.");
  await florin("pools", "delete", pool, "--yes");
  expect(await florin("pools", "list", "--filter", "name=cli-pool")).toBe(
    "There are no such pools.",
  );
});
