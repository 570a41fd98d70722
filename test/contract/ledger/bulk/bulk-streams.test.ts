import { describe, expect, test } from "vitest";
import {
  balanceOf,
  freshLedger,
  inLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import {
  JSON_STREAM,
  SCRIPT_STREAM,
  sendStream,
  stream,
  SKIPPED,
} from "#test/support/ledger/bulk-streams.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { bytesOf, chunksOf, oneByOne } from "#test/support/platform/streams.ts";

const create = (way: string, amount: number, fields: object = {}) => ({
  action: "CREATE_TRANSACTION",
  data: pay(way, amount, fields),
});

const GOOD = create("world -> a", 1);

const SHORT = create("nobody -> a", 1);

/** JSON elements one after the other, without an array around them. */
const toStream = (elements: readonly unknown[], separator = ""): string =>
  elements.map((element) => JSON.stringify(element)).join(separator);

/** A request body that arrives in chunks. */
const inChunks = (chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

/** A request body that arrives as the test writes it. */
function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  return { readable, writer: writable.getWriter() };
}

describe("a stream that fails half way does what its switches say", () => {
  const elements = [GOOD, create("world -> b", 2), SHORT, GOOD];

  test.each([
    ["", [1, 2, "INSUFFICIENT_FUND", SKIPPED], [1, 2]],
    ["?parallel=true", [1, 2, "INSUFFICIENT_FUND", SKIPPED], [1, 2]],
    ["?continueOnFailure=true", [1, 2, "INSUFFICIENT_FUND", 3], [1, 2, 3]],
    ["?atomic=true", [1, 2, "INSUFFICIENT_FUND", SKIPPED], []],
    ["?atomic=true&continueOnFailure=true", [1, 2, "INSUFFICIENT_FUND", 3], []],
  ])("a stream that fails halfway does what its switches say: %s", async (query, results, kept) => {
    const ledger = await freshLedger();
    const answer = await stream(ledger, toStream(elements), { query });
    expect(answer.status).toBe(400);
    expect(answer.results).toEqual(results);
    expect(answer.body.errorCode).toBe("INSUFFICIENT_FUND");
    expect(answer.body.errorMessage).toMatch(/^\[INSUFFICIENT_FUND\] /);
    expect(answer.body).not.toHaveProperty("details");
    expect(await logIdsOf(ledger)).toEqual(kept);
  });

  test("an atomic stream that fails half way leaves no trace", async () => {
    const ledger = await freshLedger();
    await okBodyOf(post(ledger, pay("world -> a", 5)));
    const before = await traceOf(ledger);
    const writes = [create("world -> new", 1, { reference: "r" }), SHORT];
    const { status } = await stream(ledger, toStream(writes), { query: "?atomic=true" });
    expect(status).toBe(400);
    expect(await traceOf(ledger)).toEqual(before);
  });
});

describe("a stream of JSON", () => {
  const elements = [
    GOOD,
    {
      action: "ADD_METADATA",
      data: { targetType: "ACCOUNT", targetId: "a", metadata: { k: "v" } },
    },
    { action: "REVERT_TRANSACTION", data: { id: 1 } },
    create("world -> big", 1, { metadata: { text: '}{"é𝄞\\' }, timestamp: "2020-01-01T00:00:00Z" }),
    create("nobody -> a", 1, { reference: "x" }),
    { action: "DELETE_METADATA", data: { targetType: "ACCOUNT", targetId: "a", key: "k" } },
  ];

  test.each(["", "?atomic=true"])(
    "a stream of JSON succeeds and has no error fields %s",
    async (query) => {
      const ledger = await freshLedger();
      const text = await (
        await sendStream(ledger, `${toStream(elements.slice(0, 2))}\n`, { query })
      ).text();
      expect(text).toMatch(
        /^\{"data":\[\{"data":\{"postings":.*\},"responseType":"CREATE_TRANSACTION","logID":1\},\{"responseType":"ADD_METADATA","logID":2\}\]\}$/,
      );
    },
  );

  test("a stream of JSON answers as the array does, in any chunks", async () => {
    const query = "?continueOnFailure=true";
    const body = bytesOf(toStream(elements));
    const array = await bodyOf(
      await inLedger(await freshLedger(), `/_bulk${query}`, { body: elements }),
    );
    for (const chunks of [[body], oneByOne(body), chunksOf(body, [100, 1, 200])]) {
      const streamed = await stream(await freshLedger(), inChunks(chunks), { query });
      expect(streamed.status).toBe(400);
      expect(withoutDates(streamed.body)).toEqual(withoutDates(array));
    }
  });

  test("a stream of JSON has no limit of 1,000: 5,000 elements are executed and answered in order", async () => {
    const ledger = await freshLedger();
    const many = Array.from({ length: 5000 }, (_, index) => create("world -> many", index));
    const { status, body } = await stream(ledger, toStream(many, "\n"));
    expect(status).toBe(200);
    expect(body.data.map(({ logID }) => logID)).toEqual(many.map((_, index) => index + 1));
    expect(body.data.map(({ data }) => data?.postings[0])).toEqual(
      many.map(({ data }) => data.postings[0]),
    );
    expect(await balanceOf(ledger, "many")).toBe((4999 * 5000) / 2);
  });

  test("a stream of JSON may be atomic with 5,000 elements, and keeps all or none", async () => {
    const ledger = await freshLedger();
    const many = Array.from({ length: 5000 }, () => GOOD);
    const query = "?atomic=true";
    const failed = await stream(ledger, toStream([...many, SHORT]), { query });
    expect([failed.status, failed.results?.length]).toEqual([400, 5001]);
    expect(await logIdsOf(ledger)).toEqual([]);
    expect((await stream(ledger, toStream(many), { query })).status).toBe(200);
    expect(await logIdsOf(ledger)).toHaveLength(5000);
  });

  test("a stream of JSON keeps big integers", async () => {
    const ledger = await freshLedger();
    const amount = `1${"0".repeat(30)}1`;
    const element = JSON.stringify(GOOD).replace('"amount":1', `"amount":${amount}`);
    const text = await (await sendStream(ledger, element)).text();
    expect(text).toContain(`"amount":${amount},`);
    expect(text).toContain(`"output":${amount},"balance":-${amount}`);
  });

  test("a stream of JSON keeps the keys of its elements, and ignores that of the header", async () => {
    const ledger = await freshLedger();
    const body = toStream([{ ...GOOD, ik: "k1" }, GOOD, { ...GOOD, ik: "k1" }]);
    const first = await (await sendStream(ledger, body)).text();
    const second = await stream(ledger, body);
    expect(second.results).toEqual([1, 3, 1]);
    expect(JSON.parse(first)).toMatchObject({
      data: [second.body.data[0], {}, second.body.data[2]],
    });
    const single = await post(ledger, GOOD.data, { headers: { "idempotency-key": "k1" } });
    expect(single.headers.get("idempotency-hit")).toBe("true");
    const other = await stream(ledger, toStream([{ ...create("world -> b", 2), ik: "k1" }]));
    expect(other.results).toEqual(["VALIDATION"]);
  });

  test("a stream of JSON without elements succeeds", async () => {
    const ledger = await freshLedger();
    for (const query of ["", "?atomic=true"]) {
      for (const body of ["", " \n"]) {
        expect(await stream(ledger, body, { query })).toMatchObject({
          status: 200,
          body: { data: [] },
        });
      }
    }
  });
});

describe("a broken stream", () => {
  const NUL = String.raw`{"action":"CREATE_TRANSACTION","data":{"reference":"\u0000"}}`;
  const SURROGATE = String.raw`{"action":"CREATE_TRANSACTION","data":{"reference":"\ud800"}}`;
  const BROKEN = [
    ["text that is no JSON", "{oops}"],
    ["an element that does not end", '{"action":'],
    ["something else than an object", "[]"],
    ["U+0000", NUL],
    ["a lone surrogate", SURROGATE],
    ["an unknown action", '{"action":"NOPE","data":{}}'],
    ["no data", '{"action":"CREATE_TRANSACTION"}'],
    ["a fraction", JSON.stringify(GOOD).replace('"amount":1', '"amount":1.0')],
    ["a deeply nested array", `{"a":${"[".repeat(5000)}`],
  ] as const;

  test.each(BROKEN)("broken JSON with %s keeps the elements before it", async (_, broken) => {
    const ledger = await freshLedger();
    const { status, body, results } = await stream(ledger, toStream([GOOD, GOOD]) + broken);
    expect(status).toBe(400);
    expect(results).toEqual([1, 2]);
    expect(body.errorCode).toBe("VALIDATION");
    expect(body.errorMessage).toMatch(/^\[VALIDATION\] element 2/);
    expect(await logIdsOf(ledger)).toEqual([1, 2]);
  });

  test.each(BROKEN)("broken JSON with %s keeps nothing when it is atomic", async (_, broken) => {
    const ledger = await freshLedger();
    const answer = sendStream(ledger, toStream([GOOD, GOOD]) + broken, { query: "?atomic=true" });
    expect(await refusalOf(answer)).toMatchObject({ status: 400, code: "VALIDATION" });
    expect(await logIdsOf(ledger)).toEqual([]);
  });

  test("a broken stream reports the element that failed first, and how the stream broke off", async () => {
    const ledger = await freshLedger();
    const { status, body, results } = await stream(ledger, `${toStream([SHORT, GOOD])}oops`);
    expect(status).toBe(400);
    expect(results).toEqual(["INSUFFICIENT_FUND", SKIPPED]);
    expect(body.errorCode).toBe("INSUFFICIENT_FUND");
    expect(body.details).toContain("the stream broke off: element 2: ");
  });

  test("a broken stream that ends inside an element keeps the elements before it, and nothing of that one", async () => {
    const ledger = await freshLedger();
    const { writer, readable } = openBody();
    const answer = stream(ledger, readable);
    await writer.write(bytesOf(toStream([GOOD, GOOD])));
    await expect.poll(() => logIdsOf(ledger)).toEqual([1, 2]);
    await writer.write(bytesOf(JSON.stringify(GOOD).slice(0, -1)));
    await writer.close();
    expect(await answer).toMatchObject({
      status: 400,
      results: [1, 2],
      body: { errorCode: "VALIDATION" },
    });
    expect(await logIdsOf(ledger)).toEqual([1, 2]);
  });
});

describe("a stream", () => {
  test("a stream of elements for a bulk is executed while it arrives", async () => {
    const ledger = await freshLedger();
    const { writer, readable } = openBody();
    const answer = stream(ledger, readable);
    for (const count of [1, 2, 3]) {
      await writer.write(bytesOf(JSON.stringify(GOOD)));
      await expect.poll(() => logIdsOf(ledger)).toHaveLength(count);
    }
    await writer.close();
    expect((await answer).results).toEqual([1, 2, 3]);
  });

  test("a stream of elements for a bulk is limited in the size of an element", async () => {
    const ledger = await freshLedger();
    const large = create("world -> a", 1, { metadata: { k: "x".repeat(5 * 1024 * 1024) } });
    const { status, body, results } = await stream(ledger, toStream([GOOD, large, GOOD]));
    expect([status, body.errorCode, results]).toEqual([413, "BULK_SIZE_EXCEEDED", [1]]);
    const query = "?atomic=true";
    const atomic = await refusalOf(sendStream(ledger, toStream([GOOD, large]), { query }));
    expect(atomic).toMatchObject({ status: 413, code: "BULK_SIZE_EXCEEDED" });
    expect(await logIdsOf(ledger)).toEqual([1]);
  });

  test("a stream of elements for a bulk is limited in its whole size if it is atomic", async () => {
    const ledger = await freshLedger();
    const query = "?atomic=true";
    const elements = Array.from({ length: 10_001 }, () => GOOD);
    const refusal = await refusalOf(sendStream(ledger, toStream(elements), { query }));
    expect(refusal).toMatchObject({ status: 413, code: "BULK_SIZE_EXCEEDED" });
    expect(await logIdsOf(ledger)).toEqual([]);
  });

  test.each([JSON_STREAM, SCRIPT_STREAM])(
    "a stream of elements for a bulk is refused before it is read: %s",
    async (type) => {
      const ledger = await freshLedger();
      const query = "?atomic=true&parallel=true";
      expect(await refusalOf(sendStream(ledger, "oops", { query, type }))).toMatchObject({
        status: 412,
        code: "VALIDATION",
      });
      for (const unknown of [freshName("unknown"), "no ledger's name"]) {
        expect(await refusalOf(sendStream(unknown, "oops", { type }))).toMatchObject({
          status: 404,
          code: "LEDGER_NOT_FOUND",
        });
      }
    },
  );

  test("a stream of elements for a bulk needs its content type, which may have parameters", async () => {
    const ledger = await freshLedger();
    const type = `${JSON_STREAM}; charset=utf-8`;
    expect((await stream(ledger, toStream([GOOD]), { type })).results).toEqual([1]);
    for (const other of [JSON_STREAM.toUpperCase(), "application/x-ndjson", "constructor"]) {
      const refusal = await refusalOf(sendStream(ledger, toStream([GOOD]), { type: other }));
      expect(refusal).toMatchObject({ status: 400, code: "VALIDATION" });
      expect(refusal.message).toContain(`unsupported content type: ${other}`);
    }
  });

  test("a stream of elements for a bulk is in the API document next to the array", async () => {
    const document = await (
      await api("/openapi.json", { token: null })
    ).json<{
      paths: Record<string, { post: { requestBody: { content: object } } }>;
    }>();
    const { content } = document.paths["/api/ledger/v2/{ledger}/_bulk"]?.post.requestBody ?? {};
    expect(Object.keys(content ?? {})).toEqual(["application/json", JSON_STREAM, SCRIPT_STREAM]);
  });
});

const DATE = /"(timestamp|insertedAt|updatedAt)":"20[^"]*"/g;

/** The body of an answer without the dates of writes, which differ between two ledgers. */
const withoutDates = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(DATE, '"$1":""'));
