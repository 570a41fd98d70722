import { beforeAll, describe, expect, test } from "vitest";
import { present } from "#platform/assert.ts";
import {
  balanceOf,
  freshLedger,
  logIdsOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  traceOf,
} from "#test/support/ledger/api.ts";
import {
  codeOf,
  countOf,
  INVALID_NAME,
  inV1,
  posting,
  v1,
  writtenLedger,
} from "#test/support/ledger/v1.ts";
import { bodyOf, token } from "#test/support/platform/api.ts";

let ledger: string;
beforeAll(async () => {
  ledger = await writtenLedger();
});

async function idsOf(request: Omit<Parameters<typeof v1.listTransactions>[0], "ledger">) {
  const { transactionsCursorResponse } = await v1.listTransactions({ ledger, ...request });
  return present(transactionsCursorResponse, "a success has a body").cursor.data.map(({ txid }) =>
    Number(txid),
  );
}

describe("transactions of version 1", () => {
  test("transactions of version 1 are created from postings, and have their id twice", async () => {
    const own = await freshLedger();
    const { statusCode, transactionsResponse } = await v1.createTransaction({
      ledger: own,
      postTransaction: { postings: [posting("world -> a", 7n)], metadata: { k: "v" } },
    });
    expect(statusCode).toBe(200);
    expect(transactionsResponse?.data).toMatchObject([
      {
        txid: 1n,
        metadata: { k: "v" },
        postings: [posting("world -> a", 7n)],
        postCommitVolumes: { a: { USD: { input: 7n, output: 0n, balance: 7n } } },
      },
    ]);
    const [raw] = (
      await okBodyOf<{ data: { id: number; txid: number }[] }>(
        inV1(own, "/transactions", { body: pay("world -> a", 1) }),
      )
    ).data;
    expect(raw).toMatchObject({ id: 2, txid: 2 });
  });

  test("transactions of version 1 are created from scripts, with amounts of any size", async () => {
    const own = await freshLedger();
    const amount = 10n ** 51n + 1n;
    const plain =
      "vars {\n  monetary $amount\n  account $to\n}\nsend $amount (\n  source = @world\n  destination = $to\n)";
    const vars = { amount: { asset: "USD", amount }, to: "a" };
    const { data } = await okBodyOf<{ data: { postings: unknown[] }[] }>(
      inV1(own, "/transactions", { body: { script: { plain, vars } } }),
    );
    expect(data[0]?.postings).toEqual([posting("world -> a", amount)]);
    const account = await okBodyOf<{ data: { balances: unknown } }>(inV1(own, "/accounts/a"));
    expect(account.data.balances).toEqual({ USD: amount });
    expect(await okBodyOf(inV1(own, "/aggregate/balances?address=a"))).toEqual({
      data: { USD: amount },
    });
  });

  test("transactions of version 1 are not kept in a preview", async () => {
    const own = await freshLedger();
    const postTransaction = { postings: [posting("world -> a", 7n)] };
    const before = await traceOf(own);
    const shown = await v1.createTransaction({ ledger: own, preview: true, postTransaction });
    expect(shown.transactionsResponse?.data).toMatchObject([{ txid: 1n }]);
    for (const preview of ["yes", "TRUE", "1"]) {
      const path = `/transactions?preview=${preview}`;
      expect((await inV1(own, path, { body: pay("world -> a", 1) })).status).toBe(200);
    }
    expect(await traceOf(own)).toEqual(before);
  });

  test("transactions of version 1 are made once for a key, by whichever version it comes", async () => {
    const own = await freshLedger();
    const init = { body: pay("world -> a", 1), headers: { "idempotency-key": "k" } };
    const first = await inV1(own, "/transactions", init);
    const second = await inV1(own, "/transactions", init);
    expect(first.headers.get("idempotency-hit")).toBeNull();
    expect(second.headers.get("idempotency-hit")).toBe("true");
    expect(await second.text()).toBe(await first.text());
    const other = { ...init, body: pay("world -> a", 2) };
    expect(await refusalOf(inV1(own, "/transactions", other))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
    expect(await logIdsOf(own)).toEqual([1]);
    const hit = await post(own, init.body, { headers: init.headers });
    expect([hit.status, hit.headers.get("idempotency-hit")]).toEqual([200, "true"]);
    expect(await bodyOf(hit)).toMatchObject({ data: { id: 1 } });
    expect(await logIdsOf(own)).toEqual([1]);
  });

  test.each([
    ["without movements", {}, "VALIDATION"],
    [
      "with postings and a script",
      { ...pay("world -> a", 1), script: { plain: "x" } },
      "VALIDATION",
    ],
    ["with an invalid script", { script: { plain: "garbage" } }, "VALIDATION"],
    [
      "with a script that moves nothing",
      { script: { plain: 'set_tx_meta("a", "b")' } },
      "VALIDATION",
    ],
    [
      "with metadata that its script sets, too",
      {
        script: {
          plain: 'send [USD 1] (\n  source = @world\n  destination = @a\n)\nset_tx_meta("k", "v")',
        },
        metadata: { k: "w" },
      },
      "VALIDATION",
    ],
    ["of an impossible address", pay("world -> a:", 1), "VALIDATION"],
    [
      "of an amount that is a text",
      { postings: [{ ...posting("world -> a", 1n), amount: "1" }] },
      "VALIDATION",
    ],
    ["without the funds", pay("empty -> a", 1), "INSUFFICIENT_FUND"],
    ["with a reference that is taken", pay("world -> a", 1, { reference: "first" }), "CONFLICT"],
  ])("transactions of version 1 %s are refused and change nothing", async (_, body, code) => {
    const before = await traceOf(ledger);
    const refusal = await refusalOf(inV1(ledger, "/transactions", { body }));
    expect(refusal).toMatchObject({ status: code === "CONFLICT" ? 409 : 400, code });
    expect(await traceOf(ledger)).toEqual(before);
  });

  test("transactions of version 1 are read by id, and listed with their volumes", async () => {
    const { transactionResponse } = await v1.getTransaction({ ledger, txid: 1n });
    expect(transactionResponse?.data).toMatchObject({ txid: 1n, reference: "first" });
    expect(transactionResponse?.data.postCommitVolumes).toBeUndefined();
    const { transactionsCursorResponse } = await v1.listTransactions({ ledger, pageSize: 2 });
    const cursor = present(transactionsCursorResponse, "a success has a body").cursor;
    expect(cursor).toMatchObject({ pageSize: 2, hasMore: true });
    expect(cursor.data).toMatchObject([{ txid: 3n }, { txid: 2n }]);
    expect(cursor.data[0]?.postCommitVolumes?.["bank"]).toMatchObject({ USD: { balance: 0n } });
    expect(await idsOf({ cursor: present(cursor.next, "there are more") })).toEqual([1]);
  });

  test.each([
    [{ reference: "first" }, [1]],
    [{ account: "users:" }, [3, 2, 1]],
    [{ source: "bank" }, [3]],
    [{ destination: "bank" }, [2]],
    [{ metadata: { kind: "deposit" } }, [1]],
    [{ metadata: { kind: "deposit", other: "x" } }, []],
    [
      { startTime: new Date("2025-01-02T00:00:00Z"), endTime: new Date("2025-02-01T00:00:00Z") },
      [2],
    ],
    [{ endTime: new Date("2025-01-02T00:00:00Z") }, [1]],
    [{ after: "3" }, [2, 1]],
    [{ after: "3", account: "world", destination: "users:1" }, [1]],
  ])("transactions of version 1 are listed by %j", async (request, ids) => {
    expect(await idsOf(request)).toEqual(ids);
  });

  test("transactions of version 1 are counted", async () => {
    const { statusCode, headers } = await v1.countTransactions({
      ledger,
      account: "users:1",
      endTime: new Date("2025-01-02T00:00:00Z"),
    });
    expect([statusCode, headers["count"]]).toEqual([200, ["1"]]);
    expect(await countOf(ledger, "/transactions")).toEqual([200, "3"]);
    expect(await countOf(ledger, "/transactions?metadata[kind]=deposit")).toEqual([200, "1"]);
    expect(await countOf(ledger, "/transactions?after=3")).toEqual([200, "2"]);
    expect(await countOf(ledger, "/transactions?after=x")).toEqual([400, null]);
    expect(await countOf(INVALID_NAME, "/transactions")).toEqual([400, null]);
  });

  test("transactions of version 1 are listed by the older names of the dates, too", async () => {
    const { cursor } = await okBodyOf<{ cursor: { data: { txid: number }[] } }>(
      inV1(ledger, "/transactions?start_time=2025-01-01T00:00:00Z&end_time=2025-01-02T00:00:00Z"),
    );
    expect(cursor.data.map(({ txid }) => txid)).toEqual([1]);
  });

  test("transactions of version 1 are reverted, against the funds only with disableChecks", async () => {
    const own = await freshLedger();
    await okBodyOf(inV1(own, "/transactions", { body: pay("world -> a", 10) }));
    await okBodyOf(inV1(own, "/transactions", { body: pay("a -> b", 10) }));
    expect(await codeOf(v1.revertTransaction({ ledger: own, txid: 1n }))).toBe("INSUFFICIENT_FUND");
    const { statusCode, transactionResponse } = await v1.revertTransaction({
      ledger: own,
      txid: 1n,
      disableChecks: true,
    });
    expect(statusCode).toBe(201);
    expect(transactionResponse?.data).toMatchObject({
      postings: [posting("a -> world", 10n)],
      metadata: { "com.formance.spec/state/reverts": "1" },
    });
    expect(await balanceOf(own, "a")).toBe(-10);
    const again = inV1(own, "/transactions/1/revert", { method: "POST" });
    expect(await refusalOf(again)).toMatchObject({ status: 400, code: "ALREADY_REVERT" });
    expect(await codeOf(v1.revertTransaction({ ledger: own, txid: 99n }))).toBe("NOT_FOUND");
  });

  test("transactions of version 1 get metadata, and lose it", async () => {
    const own = await freshLedger();
    await okBodyOf(inV1(own, "/transactions", { body: pay("world -> a", 10) }));
    const added = await v1.addMetadataOnTransaction({
      ledger: own,
      txid: 1n,
      requestBody: { k: "v" },
    });
    expect(added.statusCode).toBe(204);
    const metadataOf = async () =>
      (await v1.getTransaction({ ledger: own, txid: 1n })).transactionResponse?.data.metadata;
    expect(await metadataOf()).toEqual({ k: "v" });
    const remove = () => inV1(own, "/transactions/1/metadata/k", { method: "DELETE" });
    expect((await remove()).status).toBe(204);
    expect(await metadataOf()).toEqual({});
    expect(await refusalOf(remove())).toMatchObject({ status: 404, code: "NOT_FOUND" });
    const add = (txid: bigint, requestBody: Record<string, unknown>) =>
      codeOf(v1.addMetadataOnTransaction({ ledger: own, txid, requestBody }));
    expect(await add(99n, { k: "v" })).toBe("NOT_FOUND");
    expect(await add(1n, { k: 1 })).toBe("VALIDATION");
    expect(
      await refusalOf(inV1(own, "/transactions/x/metadata", { body: { k: "v" } })),
    ).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  test("transactions of version 1 end in the declared errors", async () => {
    expect(await codeOf(v1.createTransaction({ ledger, postTransaction: {} }))).toBe("VALIDATION");
    expect(await codeOf(v1.getTransaction({ ledger, txid: 99n }))).toBe("NOT_FOUND");
    expect(await codeOf(v1.listTransactions({ ledger, cursor: "!" }))).toBe("VALIDATION");
    expect(await codeOf(v1.listTransactions({ ledger, after: "x" }))).toBe("VALIDATION");
    expect(await refusalOf(inV1(ledger, "/transactions/x"))).toMatchObject({
      status: 400,
      code: "VALIDATION",
    });
  });
});

describe("a batch of version 1", () => {
  const create = (own: string, transactions: { postings: ReturnType<typeof posting>[] }[]) =>
    v1.createTransactions({ ledger: own, transactions: { transactions } });

  test("a batch of version 1 is committed in order", async () => {
    const own = await freshLedger();
    const { statusCode, transactionsResponse } = await create(own, [
      { postings: [posting("world -> a", 5n)] },
      { postings: [posting("a -> b", 5n)] },
    ]);
    expect(statusCode).toBe(200);
    expect(transactionsResponse?.data).toMatchObject([
      { txid: 1n, postings: [posting("world -> a", 5n)] },
      { txid: 2n, postings: [posting("a -> b", 5n)] },
    ]);
    expect(await logIdsOf(own)).toEqual([1, 2]);
    expect(
      await okBodyOf(inV1(own, "/transactions/batch", { body: { transactions: [] } })),
    ).toEqual({ data: [] });
  });

  test("a batch of version 1 of which one transaction is refused leaves nothing, and names it", async () => {
    const own = await freshLedger();
    const good = { postings: [posting("world -> a", 5n)] };
    expect(await codeOf(create(own, [good, { postings: [posting("b -> c", 5n)] }]))).toBe(
      "INSUFFICIENT_FUND",
    );
    expect(await codeOf(create(own, [good, { postings: [] }]))).toBe("VALIDATION");
    const { message } = await refusalOf(
      inV1(own, "/transactions/batch", { body: { transactions: [good, pay("world -> :", 1)] } }),
    );
    expect(message).toContain("transaction 1: ");
    expect(await logIdsOf(own)).toEqual([]);
  });

  test("a batch of version 1 takes no key and no preview, and has a limit", async () => {
    const own = await freshLedger();
    const body = { transactions: [pay("world -> a", 1)] };
    const refused = [
      inV1(own, "/transactions/batch", { body, headers: { "idempotency-key": "k" } }),
      inV1(own, "/transactions/batch?preview=true", { body }),
      inV1(own, "/transactions/batch", { body: {} }),
    ];
    for (const answer of refused) {
      expect(await refusalOf(answer)).toMatchObject({ status: 400, code: "VALIDATION" });
    }
    const many = { transactions: Array.from({ length: 1001 }, () => pay("world -> a", 1)) };
    expect(await refusalOf(inV1(own, "/transactions/batch", { body: many }))).toMatchObject({
      status: 413,
      code: "VALIDATION",
      message: "[VALIDATION] bulk size exceeded, max size is 1000",
    });
    expect(await logIdsOf(own)).toEqual([]);
  });
});

describe("a script of version 1", () => {
  const plain = "send [USD 5] (\n  source = @world\n  destination = @a\n)";

  test("a script of version 1 is committed", async () => {
    const own = await freshLedger();
    const script = { plain, reference: "r", metadata: { k: "v" } };
    const preview = await v1.runScript({ ledger: own, preview: true, script });
    expect(preview.scriptResponse?.transaction).toMatchObject({ reference: "r" });
    expect(await logIdsOf(own)).toEqual([]);
    const { statusCode, scriptResponse } = await v1.runScript({ ledger: own, script });
    expect([statusCode, scriptResponse?.errorCode]).toEqual([200, undefined]);
    expect(scriptResponse?.transaction).toMatchObject({
      reference: "r",
      metadata: { k: "v" },
      postings: [posting("world -> a", 5n)],
    });
    expect(await balanceOf(own, "a")).toBe(5);
  });

  test("a script of version 1 that is refused says why in a body of its own, and changes nothing", async () => {
    const own = await freshLedger();
    const codeOfScript = async (script: { plain: string; reference?: string }) => {
      const { scriptResponse } = await v1.runScript({ ledger: own, script });
      expect(scriptResponse?.transaction).toBeUndefined();
      expect(scriptResponse?.errorMessage).toContain(`[${scriptResponse?.errorCode}] `);
      return scriptResponse?.errorCode;
    };
    expect(await codeOfScript({ plain: plain.replace("world", "b") })).toBe("INSUFFICIENT_FUND");
    expect(await codeOfScript({ plain: "garbage" })).toBe("VALIDATION");
    expect(await codeOfScript({ plain: "" })).toBe("VALIDATION");
    const absent = 'vars {\n  account $to = meta(@nobody, "to")\n}\n';
    expect(await codeOfScript({ plain: absent + plain.replace("@a", "$to") })).toBe("NOT_FOUND");
    expect(await logIdsOf(own)).toEqual([]);
    await v1.runScript({ ledger: own, script: { plain, reference: "r" } });
    expect(await codeOfScript({ plain, reference: "r" })).toBe("CONFLICT");
    expect(await logIdsOf(own)).toHaveLength(1);
  });

  test("a script of version 1 needs a token that may write", async () => {
    const own = await freshLedger();
    for (const bearer of [null, await token("ledger:read")]) {
      const answer = inV1(own, "/script", { body: { plain }, token: bearer });
      expect(await refusalOf(answer)).toMatchObject({ status: 401, code: "VALIDATION" });
    }
    expect(await logIdsOf(own)).toEqual([]);
  });
});
