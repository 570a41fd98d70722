import { describe, expect, test } from "vitest";
import {
  freshLedger,
  inLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";

const create = (way: string, amount: number, fields: object = {}) => ({
  action: "CREATE_TRANSACTION",
  data: pay(way, amount, fields),
});
const GOOD = create("world -> a", 1);
const SHORT = create("nobody -> a", 1);

interface BulkBody {
  readonly data: readonly {
    readonly responseType: string;
    readonly logID: number;
    readonly errorCode?: string;
    readonly errorDescription?: string;
    readonly data?: { readonly id: number };
  }[];
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** The answer to a bulk: its status, its body, and the log id or the error of each element. */
async function bulk(ledger: string, elements: unknown, query = "") {
  const response = await inLedger(ledger, `/_bulk${query}`, { body: elements });
  const body = await response.json<BulkBody>();
  const results = body.data?.map(({ errorCode, logID }) => errorCode ?? logID);
  return { status: response.status, body, results };
}

const SKIPPED = "INTERNAL";

describe("a bulk that fails half way does what its switches say", () => {
  const elements = [GOOD, create("world -> b", 2), SHORT, GOOD];

  test.each([
    ["", [1, 2, "INSUFFICIENT_FUND", SKIPPED], [1, 2]],
    ["?parallel=true", [1, 2, "INSUFFICIENT_FUND", SKIPPED], [1, 2]],
    ["?continueOnFailure=true", [1, 2, "INSUFFICIENT_FUND", 3], [1, 2, 3]],
    ["?atomic=true", [1, 2, "INSUFFICIENT_FUND", SKIPPED], []],
    ["?atomic=true&continueOnFailure=true", [1, 2, "INSUFFICIENT_FUND", 3], []],
  ])("a bulk that fails half way does what its switches say: %s", async (query, results, kept) => {
    const ledger = await freshLedger();
    const answer = await bulk(ledger, elements, query);
    expect(answer.status).toBe(400);
    expect(answer.results).toEqual(results);
    expect(answer.body.errorCode).toBe("INSUFFICIENT_FUND");
    expect(answer.body.errorMessage).toMatch(/^\[INSUFFICIENT_FUND\] /);
    expect(answer.body.data[2]).toMatchObject({ responseType: "ERROR", logID: 0 });
    expect(answer.body.data[2]?.errorDescription).not.toContain("[");
    expect(await logIdsOf(ledger)).toEqual(kept);
  });

  test("an atomic bulk that fails half way leaves no trace", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    const before = await traceOf(ledger);
    const writes = [
      create("world -> new", 1, { reference: "r", timestamp: "2020-01-01T00:00:00Z" }),
      {
        action: "ADD_METADATA",
        data: { targetType: "ACCOUNT", targetId: "a", metadata: { k: "v" } },
      },
      { action: "REVERT_TRANSACTION", data: { id: 1 } },
      SHORT,
    ];
    expect((await bulk(ledger, writes, "?atomic=true")).status).toBe(400);
    expect(await traceOf(ledger)).toEqual(before);
    expect((await bulk(ledger, writes.slice(0, 3), "?atomic=true")).status).toBe(200);
  });
});

describe("a bulk", () => {
  test("a bulk that succeeds answers in request order and has no error fields", async () => {
    const ledger = await freshLedger();
    const response = await inLedger(ledger, "/_bulk", {
      body: [
        GOOD,
        { action: "ADD_METADATA", data: { targetType: "TRANSACTION", targetId: 1, metadata: {} } },
      ],
    });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(
      /^\{"data":\[\{"data":\{"postings":.*\},"responseType":"CREATE_TRANSACTION","logID":1\},\{"responseType":"ADD_METADATA","logID":2\}\]\}$/,
    );
  });

  test("a bulk works as the reference's example, atomic and not", async () => {
    for (const query of ["", "?atomic=true"]) {
      const ledger = await freshLedger();
      const target = { targetType: "TRANSACTION", targetId: 1 };
      const { status, body } = await bulk(
        ledger,
        [
          GOOD,
          { action: "ADD_METADATA", data: { ...target, metadata: { k: "v" } } },
          { action: "DELETE_METADATA", data: { ...target, key: "k" } },
          { action: "REVERT_TRANSACTION", data: { id: 1 } },
        ],
        query,
      );
      expect(status).toBe(200);
      expect(body.data[3]?.data).toMatchObject({
        id: 2,
        metadata: { "com.formance.spec/state/reverts": "1" },
      });
    }
  });

  test("a bulk reports errors of elements by their codes", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5, { reference: "r" })));
    const { results } = await bulk(
      ledger,
      [
        create("world -> a", 1, { reference: "r" }),
        { action: "REVERT_TRANSACTION", data: { id: 99 } },
        { action: "REVERT_TRANSACTION", data: { id: 1 } },
        { action: "REVERT_TRANSACTION", data: { id: 1 } },
        { action: "CREATE_TRANSACTION", data: { postings: [] } },
        create("world -> a", -1),
        { action: "ADD_METADATA", data: { targetType: "PLANET", targetId: "a", metadata: {} } },
        { ...GOOD, ik: "k" },
        { ...GOOD, ik: "k" },
        { ...SHORT, ik: "k" },
        { ...GOOD, ik: "k".repeat(256) },
        { action: "CREATE_TRANSACTION", data: { ...SHORT.data, force: true } },
      ],
      "?continueOnFailure=true",
    );
    expect(results).toEqual([
      "CONFLICT",
      "NOT_FOUND",
      2,
      "ALREADY_REVERT",
      "COMPILATION_FAILED",
      "VALIDATION",
      "VALIDATION",
      3,
      3,
      "VALIDATION",
      "VALIDATION",
      4,
    ]);
  });

  test("a bulk ignores the key of the header and keeps those of its elements", async () => {
    const ledger = await freshLedger();
    const init = { body: [{ ...GOOD, ik: "k1" }], headers: { "idempotency-key": "k2" } };
    const answers = [
      await inLedger(ledger, "/_bulk", init),
      await inLedger(ledger, "/_bulk", init),
    ];
    const texts = await Promise.all(answers.map((response) => response.text()));
    expect(texts[1]).toBe(texts[0]);
    const single = await post(ledger, GOOD.data, { headers: { "idempotency-key": "k1" } });
    expect(single.headers.get("idempotency-hit")).toBe("true");
    expect(await logIdsOf(ledger)).toEqual([1]);
  });

  test("a bulk without elements succeeds", async () => {
    const ledger = await freshLedger();
    for (const body of ["[]", "null"]) {
      expect(await okBodyOf(inLedger(ledger, "/_bulk", { body }))).toEqual({ data: [] });
    }
  });

  test.each<[string, unknown, { query?: string; status?: number }]>([
    ["malformed JSON", "[", {}],
    ["no body", "", {}],
    ["an object", "{}", {}],
    ["an unknown action", [GOOD, { action: "MINT", data: {} }], {}],
    ["an element without data", [GOOD, { action: "CREATE_TRANSACTION" }], {}],
    [
      "a fraction deep inside",
      `[${JSON.stringify(GOOD).replace('"amount":1', '"amount":1.0')}]`,
      {},
    ],
    ["atomic and parallel at once", [GOOD], { query: "?atomic=true&parallel=true", status: 412 }],
  ])("a bulk with %s is refused as a whole", async (_, body, { query = "", status = 400 }) => {
    const ledger = await freshLedger();
    const refusal = await refusalOf(inLedger(ledger, `/_bulk${query}`, { body }));
    expect(refusal).toMatchObject({ status, code: "VALIDATION" });
    expect(await logIdsOf(ledger)).toEqual([]);
  });

  test("a bulk of another format, or with too many elements, is refused as a whole", async () => {
    const ledger = await freshLedger();
    const type = "application/vnd.formance.ledger.api.v2.bulk+unknown-stream";
    const refusal = await refusalOf(
      inLedger(ledger, "/_bulk", { body: [GOOD], headers: { "content-type": type } }),
    );
    expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(refusal.message).toContain(type);
    const many = Array.from({ length: 1001 }, () => GOOD);
    expect(await refusalOf(inLedger(ledger, "/_bulk", { body: many }))).toMatchObject({
      status: 413,
      code: "BULK_SIZE_EXCEEDED",
    });
    expect(await logIdsOf(ledger)).toEqual([]);
    const utf8 = { "content-type": "application/json; charset=utf-8" };
    await okBodyOf(inLedger(ledger, "/_bulk", { body: many.slice(1), headers: utf8 }));
    expect(await logIdsOf(ledger)).toHaveLength(1000);
  });
});
