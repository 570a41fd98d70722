import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { matchingObjectOf } from "#modules/reconciliation/matchings/object-calls.ts";
import { sweepRetention } from "#modules/reconciliation/retention/sweep.ts";
import { systemContext } from "#platform/context.ts";
import { auditOf } from "#test/support/auth/takeover.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import {
  dataOf,
  failureOf,
  newLedger,
  pageOf,
  UNKNOWN,
} from "#test/support/reconciliation/books.ts";
import { bankOf, MATCHINGS, newMatching } from "#test/support/reconciliation/matchings.ts";
import { SOURCES } from "#test/support/reconciliation/sources.ts";

const PASS = { name: "reference", keys: [{ left: "endToEndId" }], confidence: 100 };

const change = (path: string, body: object) => api(path, { method: "PATCH", body });

describe("a matching", () => {
  test("is created with the passes that ship, read, listed, changed and deleted", async () => {
    const { id, path } = await newMatching();
    const matching = await dataOf(await api(path));
    expect(matching).toMatchObject({
      id,
      period: { from: "2026-01-01" },
      hasDefaultPasses: true,
      threshold: 90,
      timingDays: 3,
      accounts: { suspense: "reconciliation:suspense", fees: "reconciliation:fees" },
      createdBy: { subject: "test-client", clientID: "test-client", isPerson: false },
      revision: 1,
    });
    expect(matching["passes"]).toEqual(await dataOf(await api(`${MATCHINGS}/default-passes`)));
    const filter = encodeURIComponent(JSON.stringify({ $match: { name: matching["name"] } }));
    expect((await pageOf(await api(`${MATCHINGS}?query=${filter}`))).data).toEqual([matching]);
    const name = freshName();
    const changed = await dataOf(
      await change(path, {
        name,
        passes: [PASS],
        threshold: 101,
        timingDays: 0,
        period: { to: "2026-12-31" },
        accounts: { fees: "fees:bank" },
      }),
    );
    expect(changed).toMatchObject({
      name,
      hasDefaultPasses: false,
      passes: [
        {
          name: "reference",
          keys: [{ left: "endToEndId", right: "endToEndId", normalise: [], lengthMin: 1 }],
          amount: { kind: "equal" },
          cardinality: "1:1",
          groupMax: 1,
          tieBreaks: ["date"],
          confidence: 100,
        },
      ],
      threshold: 101,
      timingDays: 0,
      period: { from: "2026-01-01", to: "2026-12-31" },
      accounts: { suspense: "reconciliation:suspense", fees: "fees:bank" },
      revision: 2,
    });
    expect(await dataOf(await change(path, { passes: null, period: { to: null } }))).toMatchObject({
      hasDefaultPasses: true,
      period: { from: "2026-01-01" },
      name,
    });
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    expect(await failureOf(await api(path))).toEqual([404, "NOT_FOUND"]);
    expect(await failureOf(await api(path, { method: "DELETE" }))).toEqual([404, "NOT_FOUND"]);
    for (const verb of ["create", "update", "delete"])
      expect(await auditOf(`reconciliation.matching.${verb}`, `matchings/${id}`)).toBe(
        verb === "update" ? 2 : 1,
      );
  });

  test("holds its sources, which are free again when it is deleted", async () => {
    const { path } = await newMatching();
    const { leftSourceID } = await dataOf<{ leftSourceID: string }>(await api(path));
    const source = `${SOURCES}/${leftSourceID}`;
    expect((await failureOf(await api(source, { method: "DELETE" })))[0]).toBe(409);
    expect((await api(path, { method: "DELETE" })).status).toBe(204);
    expect((await api(source, { method: "DELETE" })).status).toBe(204);
  });

  test("that is deleted leaves nothing in its object and in the database", async () => {
    const matching = await newMatching();
    await matching.book(["left", "right"], "order-0001");
    await matching.run();
    expect((await api(matching.path, { method: "DELETE" })).status).toBe(204);
    expect(await failureOf(await api(`${matching.path}/runs/1`))).toEqual([404, "NOT_FOUND"]);
    await sweepRetention(systemContext(env, "test"));
    const tables = await runInDurableObject(matchingObjectOf(env, matching.id), (_, state) =>
      state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'line'").toArray(),
    );
    expect(tables).toEqual([]);
    const rows = await env.DB.prepare("SELECT 1 FROM reconciliation_matchings WHERE id = ?")
      .bind(matching.id)
      .all();
    expect(rows.results).toEqual([]);
    expect(await auditOf("reconciliation.matching.run", `matchings/${matching.id}/runs/1`)).toBe(1);
  });

  test.each([
    ["no name", { name: " " }],
    ["a period in the future", { period: { from: "2999-01-01" } }],
    ["a period that ends before it begins", { period: { from: "2026-01-02", to: "2026-01-01" } }],
    ["a date that does not exist", { period: { from: "2026-02-30" } }],
    ["no passes", { passes: [] }],
    ["two passes of a name", { passes: [PASS, { ...PASS, confidence: 1, keys: [] }] }],
    ["a pass that says what an earlier one says", { passes: [PASS, { ...PASS, name: "b" }] }],
    [
      "a pass whose key keeps less than it needs",
      {
        passes: [
          {
            ...PASS,
            keys: [{ left: "text", normalise: [{ kind: "prefix", length: 3 }], lengthMin: 4 }],
          },
        ],
      },
    ],
    ["pairs of several lines", { passes: [{ ...PASS, groupMax: 2 }] }],
    ["groups of one line", { passes: [{ ...PASS, cardinality: "1:n", groupMax: 1 }] }],
    ["n:m without a key", { passes: [{ ...PASS, keys: [], cardinality: "n:m" }] }],
    ["a fee of nothing", { passes: [{ ...PASS, amount: { kind: "fee", netSide: "left" } }] }],
    ["an unbounded group", { passes: [{ ...PASS, cardinality: "1:n", groupMax: 1_000_000 }] }],
    [
      "a negative tolerance",
      { passes: [{ ...PASS, amount: { kind: "tolerance", absolute: -1 } }] },
    ],
    [
      "a tolerance of more than the half",
      { passes: [{ ...PASS, amount: { kind: "tolerance", millionths: 500_001 } }] },
    ],
    ["an unknown field of lines", { passes: [{ ...PASS, keys: [{ left: "colour" }] }] }],
    ["a confidence beyond 100", { passes: [{ ...PASS, confidence: 101 }] }],
    ["an unknown member of a pass", { passes: [{ ...PASS, colour: "red" }] }],
    ["21 passes", { passes: Array.from({ length: 21 }, (_, i) => ({ ...PASS, name: `${i}` })) }],
    ["an account that is no address", { accounts: { fees: "bank fees" } }],
    ["a negative patience", { timingDays: -1 }],
    ["an unknown member", { colour: "red" }],
  ])("is refused with %s", async (_, fields) => {
    const body = {
      name: freshName(),
      leftSourceID: UNKNOWN,
      rightSourceID: UNKNOWN.replace("0", "1"),
      period: { from: "2026-01-01" },
      ...fields,
    };
    expect(await failureOf(await api(MATCHINGS, { body }))).toEqual([400, "VALIDATION"]);
  });

  test("is refused with one source twice, and with a source that is not there", async () => {
    const source = await bankOf(await newLedger());
    const body = { name: "m", leftSourceID: source, period: { from: "2026-01-01" } };
    const create = (rightSourceID: string) => api(MATCHINGS, { body: { ...body, rightSourceID } });
    expect(await failureOf(await create(source))).toEqual([400, "VALIDATION"]);
    expect(await failureOf(await create(UNKNOWN))).toEqual([404, "NOT_FOUND"]);
    expect(await failureOf(await create("source"))).toEqual([400, "INVALID_ID"]);
    expect((await api(`${SOURCES}/${source}`, { method: "DELETE" })).status).toBe(204);
  });

  test("does not exist under another id, and its id is a UUID", async () => {
    for (const path of ["", "/runs", "/runs/1", "/groups", "/groups/1", "/lines", "/lines/1"])
      expect(await failureOf(await api(`${MATCHINGS}/${UNKNOWN}${path}`))).toEqual([
        404,
        "NOT_FOUND",
      ]);
    expect(await failureOf(await api(`${MATCHINGS}/abc`))).toEqual([400, "INVALID_ID"]);
    const start = await api(`${MATCHINGS}/${UNKNOWN}/runs`, { method: "POST" });
    expect(await failureOf(start)).toEqual([404, "NOT_FOUND"]);
  });

  test("has nothing before its first run", async () => {
    const { path } = await newMatching();
    for (const list of ["runs", "groups", "lines"])
      expect((await pageOf(await api(`${path}/${list}`))).data).toEqual([]);
    for (const item of ["runs/1", "groups/1", "lines/1"])
      expect(await failureOf(await api(`${path}/${item}`))).toEqual([404, "NOT_FOUND"]);
    const confirm = await api(`${path}/groups/1/confirm`, { body: {} });
    expect(await failureOf(confirm)).toEqual([404, "NOT_FOUND"]);
  });

  test("ends no earlier than its last line", async () => {
    const matching = await newMatching();
    await matching.book(["left"], "order-0001", { timestamp: "2026-02-10T23:59:59Z" });
    await matching.run();
    const set = (to: string) => change(matching.path, { period: { to } });
    expect(await failureOf(await set("2026-02-09"))).toEqual([409, "CONFLICT"]);
    await dataOf(await set("2026-02-10"));
    await matching.book(["left"], "order-0002", { timestamp: "2026-02-11T00:00:00Z" });
    await matching.run();
    expect(await matching.lines()).toHaveLength(1);
    await dataOf(await set("2026-02-11"));
    expect(await matching.run()).toMatchObject({ collected: { left: 1, right: 0 } });
    expect(await matching.lines()).toHaveLength(2);
  });

  test("is changed by one of two people who change it at once", async () => {
    const { path } = await newMatching();
    const answers = await Promise.all([1, 2, 3, 4].map((threshold) => change(path, { threshold })));
    const statuses = answers.map(({ status }) => status);
    const { revision } = await dataOf<{ revision: number }>(await api(path));
    expect(revision).toBe(1 + statuses.filter((status) => status === 200).length);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  });
});
