import { describe, expect, test } from "vitest";
import { parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { type ResolvedQuery, resolveQuery } from "#ledger-engine/rules/schemas/queries.ts";
import { present } from "#platform/assert.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import {
  messageOf,
  queryOf,
  recordedRequests,
  recordedSchema,
} from "#test/support/ledger-engine/schemas.ts";

const run = (query: object, request: object = {}): ResolvedQuery =>
  resolveQuery(queryOf(stringifyJson(query)), parseJson(stringifyJson(request)) as object); // `request` is an object

const NOT_GIVEN = {
  sort: undefined,
  expand: undefined,
  pageSize: undefined,
  startTime: undefined,
  endTime: undefined,
  groupBy: undefined,
  insertionDate: undefined,
};

describe("a run of a query", () => {
  const BY_USER = {
    resource: "transactions",
    vars: {
      who: "string",
      n: { type: "int", default: 5 },
      d: "date",
      b: { type: "boolean", default: true },
    },
    body: {
      $and: [
        { $match: { account: "users:${who}:$n" } },
        { $in: { reference: ["r-$who", "plain"] } },
        { $gte: { id: "${n}" } },
        { $not: { $match: { reverted: "${b}" } } },
      ],
    },
  };

  test("a run of a query puts the values of variables into its filter", () => {
    const { resource, filter } = run(BY_USER, { vars: { who: "1" } });
    expect(resource).toBe("transactions");
    expect(filter).toEqual({
      $and: [
        { $match: { account: "users:1:5" } },
        { $in: { reference: ["r-1", "plain"] } },
        { $gte: { id: 5 } },
        { $not: { $match: { reverted: true } } },
      ],
    });
    expect(parseLedgerFilter(resource, stringifyJson(filter))).toMatchObject({ kind: "all" });
  });

  test("a run of a query keeps integers of any size exact, in texts and as values", () => {
    const body = { $or: [{ $match: { address: "a:$n" } }, { $lt: { balance: "${n}" } }] };
    const query = { resource: "accounts", vars: { n: "int" }, body };
    for (const n of [9007199254740993n, -(10n ** 40n), 0, -1, 2 ** 53 - 1]) {
      const { filter } = run(query, { vars: { n } });
      expect(stringifyJson(filter)).toBe(
        `{"$or":[{"$match":{"address":"a:${n}"}},{"$lt":{"balance":${n}}}]}`,
      );
    }
  });

  test("a run of a query takes texts literally, even those that look like variables", () => {
    const query = {
      resource: "accounts",
      vars: { s: "string" },
      body: { $match: { address: "a:${s}" } },
    };
    for (const s of ["$s", "${s}", "$&", "$1", "..."]) {
      expect(run(query, { vars: { s } }).filter).toEqual({ $match: { address: `a:${s}` } });
    }
  });

  test("a run of a query passes dates on, and refuses other texts for them", () => {
    const query = { resource: "logs", vars: { d: "date" }, body: { $lt: { date: "${d}" } } };
    const d = "2026-03-01T10:30:00+01:00";
    expect(run(query, { vars: { d } }).filter).toEqual({ $lt: { date: d } });
    expect(messageOf(() => run(query, { vars: { d: "x" } }))).toBe(
      "failed to resolve query template: invalid value `x` for type `date`: value doesn't match expected type",
    );
  });

  test("a run of a query ignores variables that are not declared, and needs only those that it uses", () => {
    expect(messageOf(() => run(BY_USER, { vars: { who: "1", other: { x: 1 } } }))).toBeUndefined();
    expect(messageOf(() => run(BY_USER, { vars: { d: "2026-03-01T09:30:00Z" } }))).toBe(
      "failed to resolve query template: invalid filter on key account: missing variable: who",
    );
  });

  test("a run of a query takes null for a value that is not given", () => {
    const { filter } = run(BY_USER, { vars: { who: "1", n: null } });
    expect(stringifyJson(filter)).toContain("users:1:5");
    expect(messageOf(() => run(BY_USER, { vars: { who: null } }))).toContain(
      "missing variable: who",
    );
  });

  test("a run of a query has no filter where its template has none", () => {
    for (const body of [undefined, null, {}, { $or: [] }]) {
      expect(run({ resource: "logs", body }).filter).toBeUndefined();
    }
  });
});

describe("the parameters of a run", () => {
  const TEMPLATE = {
    resource: "volumes",
    params: {
      sort: "account:desc",
      expand: "volumes,x",
      pageSize: 3,
      startTime: "2026-03-01T09:30:00Z",
      endTime: "2026-03-01T11:30:00+01:00",
      groupBy: 1,
      insertionDate: true,
    },
  };
  const OF_TEMPLATE = {
    sort: "account:desc",
    expand: ["volumes", "x"],
    pageSize: 3,
    startTime: at("09:30"),
    endTime: at("10:30"),
    groupBy: 1,
    insertionDate: true,
  };

  test("the parameters of a run are those of the template if the request gives none", () => {
    expect(run(TEMPLATE).params).toEqual(OF_TEMPLATE);
    expect(run(TEMPLATE, { params: {} }).params).toEqual(OF_TEMPLATE);
    expect(run(TEMPLATE, { params: { nope: 1, oot: "x", cursor: 5 } }).params).toEqual(OF_TEMPLATE);
  });

  test.each([
    [{ sort: "account" }],
    [{ expand: ["y"] }],
    [{ expand: [] }],
    [{ pageSize: 7 }],
    [{ groupBy: 0 }],
    [{ insertionDate: false }],
  ])(
    "the parameters of a run follow the request in %o, and the template in the others",
    (params) => {
      expect(run(TEMPLATE, { params }).params).toEqual({ ...OF_TEMPLATE, ...params });
    },
  );

  test("the parameters of a run follow the request in its dates", () => {
    const params = { startTime: "2026-03-01T08:00:00Z" };
    expect(run(TEMPLATE, { params }).params).toEqual({ ...OF_TEMPLATE, startTime: at("08:00") });
    // The official client sends the end of the period under the name `pit`.
    const pit = "2026-03-01T09:00:00Z";
    expect(run(TEMPLATE, { params: { pit } }).params).toEqual({
      ...OF_TEMPLATE,
      endTime: at("09:00"),
    });
    const both = { pit, endTime: "2026-03-01T10:00:00Z" };
    expect(run(TEMPLATE, { params: both }).params).toEqual({
      ...OF_TEMPLATE,
      endTime: at("10:00"),
    });
  });

  test("the parameters of a run are not given by null, by an empty text or by a page size of 0", () => {
    const params = {
      sort: "",
      expand: "",
      pageSize: 0,
      startTime: "",
      endTime: null,
      groupBy: null,
      insertionDate: null,
    };
    expect(run(TEMPLATE, { params }).params).toEqual(OF_TEMPLATE);
  });

  test("the parameters of a run are empty if neither gives any", () => {
    expect(run({ resource: "logs" }).params).toEqual(NOT_GIVEN);
    expect(
      run({ resource: "logs" }, { params: { groupBy: 1, insertionDate: "x" } }).params,
    ).toEqual(NOT_GIVEN);
  });

  test.each([
    [{ pageSize: -1 }, "invalid params: `pageSize` must be an unsigned integer"],
    [{ sort: "nope:asc" }, "invalid sort column `nope`"],
    [{ sort: "account:up" }, "invalid order: up"],
    [{ endTime: "x" }, "invalid params: `endTime` must be an RFC 3339 date with zone"],
    [{ groupBy: "1" }, "invalid params: `groupBy` must be an integer"],
  ])("the parameters of a run are refused for %o", (params, message) => {
    expect(messageOf(() => run(TEMPLATE, { params }))).toBe(
      `failed to resolve query template: ${message}`,
    );
  });
});

describe("recorded runs", () => {
  const { queries } = recordedSchema("schema-queries", "v1");

  test.each(recordedRequests("run"))(
    "the recorded run of $query with $body",
    ({ query, body, status, message }) => {
      const template = present(queries.get(query), "the schema has the query");
      const request = parseJson(body) as object;
      const refused = messageOf(() => resolveQuery(template, request));
      expect(refused).toBe(message);
      expect(refused === undefined).toBe(status === 200);
    },
  );

  test("recorded runs keep the expansions of the template when the request has other parameters", () => {
    const template = present(queries.get("rich"), "the schema has the query");
    const { filter, params } = resolveQuery(template, { params: { sort: "address:desc" } });
    expect(filter).toEqual({ $gte: { "balance[USD]": 5 } });
    expect(params).toEqual({ ...NOT_GIVEN, sort: "address:desc", expand: ["volumes"] });
  });
});
