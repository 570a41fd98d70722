import { beforeAll, describe, expect, test } from "vitest";
import { refusalOf } from "#test/support/ledger/api.ts";
import { bank } from "#test/support/ledger/query-bank.ts";
import { ledgerWith, runQuery } from "#test/support/ledger/schema-api.ts";

let ledger: string;

beforeAll(async () => {
  ledger = await bank();
});

const refused = async (id: string, body: unknown, query?: string) =>
  refusalOf(runQuery(ledger, id, { body, ...(query === undefined ? {} : { query }) }));

describe("a run is refused", () => {
  test.each<[string, string, unknown, string]>([
    ["without a body", "all", "", "the body is empty"],
    ["with null", "all", "null", "body"],
    ["with a list", "all", "[]", "body"],
    ["with no JSON", "all", "x", "the body is not valid JSON"],
    ["with a list of variables", "all", { vars: [] }, "vars"],
    ["with a text as parameters", "all", { params: "x" }, "params"],
    ["with a number as cursor", "all", { cursor: 1 }, "cursor"],
    [
      "without a variable",
      "by_user",
      {},
      "failed to resolve query template: invalid filter on key account: missing variable: who",
    ],
    [
      "with a number for a text",
      "by_user",
      { vars: { who: 5 } },
      "invalid value `5` for type `string`",
    ],
    [
      "with a text for an integer",
      "rich",
      { vars: { least: "7" } },
      "invalid value `7` for type `int`",
    ],
    [
      "with an exponent for an integer",
      "rich",
      '{"vars":{"least":1e3}}',
      "invalid value `1e3` for type `int`",
    ],
    [
      "with a fraction for an integer",
      "rich",
      '{"vars":{"least":7.0}}',
      "invalid value `7.0` for type `int`",
    ],
    [
      "with a date without zone",
      "since",
      { vars: { moment: "2020-01-01T00:00:00" } },
      "for type `date`",
    ],
    [
      "with a value that the list refuses",
      "changes",
      { vars: { kind: "NOPE" } },
      "invalid value 'NOPE'",
    ],
    [
      "with a field that it is not sorted by",
      "all",
      { params: { sort: "balance" } },
      "invalid sort column `balance`",
    ],
    ["with an unknown direction", "all", { params: { sort: "address:up" } }, "invalid order: up"],
    ["with an invalid date", "all", { params: { endTime: "x" } }, "`endTime` must be"],
  ])("a run of a query is refused %s", async (_what, ...[id, body, message]) => {
    const refusal = await refused(id, body);
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(message);
  });

  test.each([
    ["?schemaVersion=v9", "all", "schema version [v9]: failed to find schema: not found"],
    ["?schemaVersion=", "all", "schema version []: failed to find schema: not found"],
    ["", "all", "schema version []: failed to find schema: not found"],
    ["?schemaVersion=v1", "nope", "schema version [v1]: unknown query template: nope"],
    ["?schemaVersion=v1", "__proto__", "schema version [v1]: unknown query template: __proto__"],
    ["?schemaVersion=v1&schemaVersion=v1", "all", "schemaVersion"],
  ])("a query is refused where it or the schema is unknown: %j, %s", async (query, id, message) => {
    const refusal = await refused(id, {}, query);
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(message);
  });

  test("a run of a query is refused on an unknown ledger", async () => {
    expect(await refusalOf(runQuery("no-such-ledger", "all"))).toMatchObject({
      status: 404,
      code: "LEDGER_NOT_FOUND",
    });
  });

  test("a run of a query is refused where its values make a filter that is too long", async () => {
    const own = await ledgerWith({
      chart: {},
      queries: {
        q: {
          resource: "accounts",
          vars: { a: "string" },
          body: { $match: { "metadata[k]": "$a".repeat(20_000) } },
        },
      },
    });
    const refusal = await refusalOf(
      runQuery(own, "q", { body: { vars: { a: "x".repeat(1_000_000) } } }),
    );
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain("longer than 65536 characters");
  });
});
