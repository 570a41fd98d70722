import { describe, expect, test } from "vitest";
import { QUERIES_MAX, QUERY_VARIABLES_MAX } from "#ledger-engine/rules/schemas/limits.ts";
import {
  decodeQueries,
  renderQueries,
  resolveQuery,
} from "#ledger-engine/rules/schemas/queries.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { detailsOf, messageOf, queryOf } from "#test/support/ledger-engine/schemas.ts";

const refusal = (query: object | string): string | undefined =>
  messageOf(() => queryOf(typeof query === "string" ? query : stringifyJson(query)));

describe("a query template is refused", () => {
  test.each([
    [`"x"`, "invalid schema: a query must be an object"],
    [`null`, "invalid schema: a query must be an object"],
    [
      `{}`,
      "invalid schema: invalid resource ``, expected one of `accounts`, `logs`, `transactions`, `volumes`",
    ],
    [
      `{"resource":"ledgers"}`,
      "invalid schema: invalid resource `ledgers`, expected one of `accounts`, `logs`, `transactions`, `volumes`",
    ],
    [`{"resource":"logs","description":5}`, "invalid schema: `description` must be a text"],
    [`{"resource":"logs","params":[]}`, "invalid schema: invalid params: expected an object"],
    [
      `{"resource":"logs","vars":"x"}`,
      "invalid schema: the variables of a query must be an object",
    ],
  ])("a query template is refused for %s", (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  test("a query template is refused if there are too many of them, or too many variables in one", () => {
    const many = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]));
    const queries = (count: number) => () => decodeQueries(many(count, { resource: "logs" }));
    expect(messageOf(queries(QUERIES_MAX))).toBeUndefined();
    expect(messageOf(queries(QUERIES_MAX + 1))).toContain("more than 1000 query templates");
    const vars = (count: number) => refusal({ resource: "logs", vars: many(count, "int") });
    expect(vars(QUERY_VARIABLES_MAX)).toBeUndefined();
    expect(vars(QUERY_VARIABLES_MAX + 1)).toContain("more than 100 variables");
  });

  test("a query template is refused with the position of the mistake in the details", () => {
    const details = (query: object) => detailsOf(() => queryOf(stringifyJson(query)));
    expect(details({ resource: "logs", params: { x: 1 } })).toBe("queries.q.params");
    expect(details({ resource: "logs", body: { $x: 1 } })).toBe("queries.q.body");
    expect(details({ resource: "logs", vars: { x: "y" } })).toBe("queries.q.vars.x");
  });
});

describe("the parameters of a template", () => {
  const withParams = (resource: string, params: object) => refusal({ resource, params });

  test("the parameters of a template are those of its resource", () => {
    const common = {
      startTime: "2026-03-01T09:30:00Z",
      endTime: "2026-03-01T10:30:00+01:00",
      expand: ["volumes"],
      pageSize: 5,
      resource: "anything",
    };
    for (const resource of ["accounts", "logs", "transactions", "volumes"]) {
      expect(withParams(resource, common)).toBeUndefined();
      expect(withParams(resource, { nope: 1 })).toBe(
        "invalid schema: invalid params: unknown field: `nope`",
      );
      expect(withParams(resource, { pit: common.endTime })).toContain("unknown field: `pit`");
    }
    const own = { groupBy: 1, insertionDate: true };
    expect(withParams("volumes", { ...common, ...own })).toBeUndefined();
    expect(withParams("accounts", { groupBy: 1 })).toBe(
      "invalid schema: invalid params: unknown field: `groupBy`",
    );
    expect(refusal(`{"resource":"accounts","params":{"__proto__":1}}`)).toContain("unknown field");
  });

  test.each([
    ["accounts", ["address", "first_usage:asc", "firstUsage:DESC", "updated_at", "insertionDate"]],
    ["transactions", ["id:asc", "timestamp", "insertedAt", "updated_at", "revertedAt:desc"]],
    ["logs", ["id", "date:asc"]],
    ["volumes", ["account:desc"]],
  ])("the parameters of a template of %s sort by a sortable field", (resource, fields) => {
    for (const sort of fields) expect(withParams(resource, { sort })).toBeUndefined();
    expect(withParams(resource, { sort: "nope:asc" })).toBe(
      "invalid schema: invalid sort column `nope`",
    );
    expect(withParams(resource, { sort: `${fields[0]?.split(":")[0]}:up` })).toBe(
      "invalid schema: invalid order: up",
    );
    expect(withParams(resource, { sort: `${fields[0]?.split(":")[0]}:asc:x` })).toContain(
      "invalid",
    );
    expect(withParams(resource, { sort: 5 })).toContain("`sort` must be a text");
  });

  test.each([
    [{ pageSize: -1 }, "`pageSize` must be an unsigned integer"],
    [{ pageSize: "5" }, "`pageSize` must be an integer"],
    [{ pageSize: 12345678901234567890n }, "`pageSize` must be an integer"],
    [{ startTime: "yesterday" }, "`startTime` must be an RFC 3339 date with zone"],
    [{ endTime: 5 }, "`endTime` must be an RFC 3339 date with zone"],
    [{ expand: [5] }, "`expand` must be a text or a list of texts"],
    [{ expand: {} }, "`expand` must be a text or a list of texts"],
    [{ groupBy: true }, "`groupBy` must be an integer"],
    [{ insertionDate: 1 }, "`insertionDate` must be a boolean"],
    [{ resource: {} }, "`resource` must be a text"],
  ])("the parameters of a template are refused for %o", (params, message) => {
    expect(withParams("volumes", params)).toBe(`invalid schema: invalid params: ${message}`);
  });

  test("the parameters of a template cannot be fractions", () => {
    for (const number of ["1.0", "1e1", "0.5"]) {
      expect(refusal(`{"resource":"logs","params":{"pageSize":${number}}}`)).toContain("integer");
    }
  });
});

describe("the variables of a template", () => {
  const withVars = (vars: object) => refusal({ resource: "logs", vars });

  test("the variables of a template are shown with their types in objects, and without defaults of null", () => {
    const queries = decodeQueries({
      q: {
        resource: "logs",
        vars: {
          a: "string",
          b: { type: "int", default: 5 },
          c: { type: "date", default: null },
          d: { type: "boolean", default: false, other: 1 },
        },
      },
    });
    expect(renderQueries(queries)).toEqual({
      q: {
        resource: "logs",
        vars: {
          a: { type: "string" },
          b: { type: "int", default: 5 },
          c: { type: "date" },
          d: { type: "boolean", default: false },
        },
      },
    });
  });

  test.each([["nope"], [{ type: "nope" }], [{ type: "nope", default: 1 }]])(
    "the variables of a template are of a known type, not of %o",
    (variable) => {
      expect(withVars({ x: variable })).toBe(
        "invalid type `nope`, expected one of `boolean`, `date`, `int`, `string`",
      );
    },
  );

  test.each([[null], [5], [{}], [[]], [{ type: null }]])(
    "the variables of a template have a type, unlike %o",
    (variable) => {
      expect(withVars({ x: variable })).toContain("expected one of");
    },
  );

  test.each([
    ["int", `"y"`, "y"],
    ["int", "1.0", "1.0"],
    ["int", "1e3", "1e3"],
    ["int", "true", "true"],
    ["int", "[]", "[…]"],
    ["string", "5", "5"],
    ["string", "{}", "{…}"],
    ["boolean", `"true"`, "true"],
    ["date", `"yesterday"`, "yesterday"],
    ["date", `"2026-02-30T00:00:00Z"`, "2026-02-30T00:00:00Z"],
    ["date", "5", "5"],
  ])("a template's variables of type %s have no default %s", (type, value, printed) => {
    const text = `{"resource":"logs","vars":{"x":{"type":"${type}","default":${value}}}}`;
    expect(refusal(text)).toBe(
      `invalid schema: failed to validate variable declarations: invalid default for variable \`x\`: invalid value \`${printed}\` for type \`${type}\`: value doesn't match expected type`,
    );
  });
});

describe("the filter of a template", () => {
  const VARS = { s: "string", n: "int", b: "boolean", d: "date", __proto: "int" };
  const withBody = (resource: string, body: unknown) => {
    const message = refusal({ resource, vars: VARS, body });
    return message?.replace("invalid schema: failed to validate filter body: ", "");
  };

  test.each([
    ["transactions", { $match: { account: "users:${s}" } }],
    ["transactions", { $match: { account: "users:$s:$n" } }],
    ["transactions", { $match: { reference: "no variable" } }],
    ["transactions", { $like: { reference: "inv-$s%" } }],
    ["transactions", { $in: { reference: ["a", "$s", "b$n"] } }],
    ["transactions", { $in: { source: ["a", "users:$s"] } }],
    ["transactions", { $match: { "metadata[a/B_1]": "$s" } }],
    ["transactions", { $exists: { metadata: "$s" } }],
    ["transactions", { $exists: { "metadata[k]": "${b}" } }],
    ["transactions", { $exists: { "metadata[k]": false } }],
    ["transactions", { $gte: { id: "${n}" } }],
    ["transactions", { $gte: { id: 12345678901234567890n } }],
    ["transactions", { $match: { reverted: "${b}" } }],
    ["transactions", { $match: { reverted: true } }],
    ["transactions", { $gt: { timestamp: "${d}" } }],
    ["accounts", { $lt: { "balance[USD/2]": "${n}" } }],
    ["accounts", { $not: { $or: [{ $match: { address: "$s" } }, { $match: { address: "a:" } }] } }],
    ["volumes", { $match: { account: "users:..." } }],
    ["logs", { $match: { type: "$s" } }],
    ["logs", { $in: { type: ["NEW_TRANSACTION", "$s"] } }],
    ["logs", null],
    ["logs", {}],
    ["logs", { $and: [] }],
  ])("the filter of a template of %s may be %o", (resource, body) => {
    expect(refusal({ resource, vars: VARS, body })).toBeUndefined();
  });

  test.each([
    ["accounts", { $match: { nope: "x" } }, "unknown field: nope"],
    ["accounts", { $match: { account: "x" } }, "unknown field: account"],
    ["accounts", { $match: { firstUsage: "${d}" } }, "unknown field: firstUsage"],
    ["accounts", { $match: { "address[x]": "x" } }, "unknown field: address[x]"],
    ["accounts", { $match: { "metadata[a-b]": "x" } }, "unknown field: metadata[a-b]"],
    ["accounts", { $match: { "metadata[]": "x" } }, "unknown field: metadata[]"],
    ["accounts", { $match: { address: "${x}" } }, "variable `x` is not declared"],
    ["accounts", { $match: { address: "a:$x" } }, "variable `x` is not declared"],
    ["accounts", { $match: { balance: "${x}" } }, "variable `x` is not declared"],
    [
      "transactions",
      { $gt: { timestamp: "2020-01-01T00:00:00Z" } },
      'expected a "${variable}" string or a plain value, got `2020-01-01T00:00:00Z`',
    ],
    [
      "transactions",
      { $gt: { id: "$n" } },
      'expected a "${variable}" string or a plain value, got `$n`',
    ],
    [
      "transactions",
      { $gt: { id: "${n}0" } },
      'expected a "${variable}" string or a plain value, got `${n}0`',
    ],
    ["transactions", { $gt: { id: "${s}" } }, "variable `s` is of type `string`, expected `int`"],
    [
      "transactions",
      { $gt: { timestamp: "${n}" } },
      "variable `n` is of type `int`, expected `date`",
    ],
    [
      "transactions",
      { $match: { reverted: "${d}" } },
      "variable `d` is of type `date`, expected `boolean`",
    ],
    ["transactions", { $match: { account: "a$" } }, "expected a variable after each `$`, got `a$`"],
    ["transactions", { $match: { account: "$$" } }, "expected a variable after each `$`, got `$$`"],
    [
      "transactions",
      { $match: { account: "${S}" } },
      "expected a variable after each `$`, got `${S}`",
    ],
    [
      "transactions",
      { $match: { account: "${s" } },
      "expected a variable after each `$`, got `${s`",
    ],
    [
      "transactions",
      { $match: { account: 5 } },
      "invalid value '5' for property 'account': expected string value, got number",
    ],
    [
      "transactions",
      { $lt: { reverted: "${b}" } },
      "operator '$lt' is not allowed for property 'reverted'",
    ],
    [
      "transactions",
      { $lt: { reference: "$s" } },
      "operator '$lt' is not allowed for property 'reference'",
    ],
    ["transactions", { $nope: { id: 1 } }, "unexpected operator $nope"],
    [
      "transactions",
      { $match: { id: 1, reference: "x" } },
      "expected single key, found more than one",
    ],
    ["transactions", [], "a filter must be an object"],
    ["transactions", "x", "a filter must be an object"],
  ])("the filter of a template of %s is not %o", (resource, body, message) => {
    expect(withBody(resource, body)).toBe(message);
  });

  test("the filter of a template takes integers only, and has the limits of other filters", () => {
    const text = (number: string) =>
      `{"resource":"transactions","body":{"$match":{"id":${number}}}}`;
    expect(refusal(text("1.5"))).toContain("is not an integer");
    const deep = `${`{"$not":`.repeat(40)}{"$match":{"id":1}}${"}".repeat(40)}`;
    expect(refusal(`{"resource":"transactions","body":${deep}}`)).toContain("nested deeper");
  });

  test("the filter of a template may use variables of any name that can be written", () => {
    const text = `{"resource":"accounts","vars":{"__proto__":"int"},"body":{"$match":{"balance":"\${__proto__}"}}}`;
    const query = queryOf(text);
    const request = parseJson(`{"__proto__":7}`) as Record<string, unknown>;
    expect(resolveQuery(query, { vars: request }).filter).toEqual({ $match: { balance: 7 } });
    expect(messageOf(() => resolveQuery(query, {}))).toContain("missing variable: __proto__");
    const inherited = `{"resource":"accounts","body":{"$match":{"address":"\${constructor}"}}}`;
    expect(refusal(inherited)).toContain("variable `constructor` is not declared");
  });
});
