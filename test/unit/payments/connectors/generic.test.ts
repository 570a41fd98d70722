import { beforeEach, describe, expect, test } from "vitest";
import { genericKind } from "#modules/payments/connectors/generic/index.ts";
import {
  STATUSES,
  toPayment,
  TYPES,
} from "#modules/payments/connectors/generic/provider-objects.ts";
import { parseTimestamp } from "#platform/time.ts";
import { fetchAll, openPlugin } from "#test/support/payments/plugins.ts";

interface Item {
  readonly id: string;
  readonly updatedAt: string;
  readonly createdAt: string;
  readonly [name: string]: unknown;
}

/** The transactions of the provider, which sends them in this order. */
let items: Item[];
let requests: URL[];
/** Changes the items of a page before it is sent. */
let disturb: (page: Item[], url: URL) => unknown;

beforeEach(() => {
  items = [];
  requests = [];
  disturb = (page) => page;
});

const plugin = openPlugin(
  genericKind,
  { apiKey: "key", endpoint: "https://psp.example/v1/" },
  (request) => {
    const url = new URL(request.url);
    requests.push(url);
    if (request.headers.get("authorization") !== "Bearer key")
      return new Response(null, { status: 401 });
    const from = url.searchParams.get("updatedAtFrom") ?? "";
    const [page, size] = ["page", "pageSize"].map((name) => Number(url.searchParams.get(name)));
    const since = items.filter(({ updatedAt }) => updatedAt.slice(0, 19) >= from.slice(0, 19));
    const start = ((page ?? 1) - 1) * (size ?? 1);
    return Response.json(disturb(since.slice(start, start + (size ?? 1)), url));
  },
);

const time = (second: number): string => new Date(1_770_000_000_000 + second * 1000).toISOString();

const transaction = (id: string, second: number, more: object = {}): Item => ({
  id,
  createdAt: time(0),
  updatedAt: time(second),
  currency: "USD/2",
  type: "PAYIN",
  status: "SUCCEEDED",
  amount: "5000",
  ...more,
});

const idsOf = (found: readonly { reference: string }[]): string[] => [
  ...new Set(found.map(({ reference }) => reference)),
];

describe("a list of a generic provider", () => {
  test("a list of a generic provider is read to its end, and then only its new items", async () => {
    items = ["a", "b", "c", "d", "e"].map((id, second) => transaction(id, second));
    const first = await fetchAll(plugin.fetchPayments);
    expect(idsOf(first.items)).toEqual(["a", "b", "c", "d", "e"]);
    requests = [];
    const idle = await fetchAll(plugin.fetchPayments, first);
    expect(idle.items).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(requests[0]?.searchParams.get("updatedAtFrom")).toBe(time(4).replace(".000", ""));
    items.push(transaction("f", 5));
    expect(idsOf((await fetchAll(plugin.fetchPayments, idle)).items)).toEqual(["f"]);
  });

  test("a list of a generic provider loses no item with the time of an earlier item", async () => {
    items = [transaction("a", 1), transaction("b", 1)];
    const { state } = await fetchAll(plugin.fetchPayments, { pageSize: 1 });
    items.push(transaction("c", 1), transaction("d", 1));
    const next = await fetchAll(plugin.fetchPayments, { state, pageSize: 1 });
    expect(idsOf(next.items)).toEqual(["c", "d"]);
  });

  test("a list of a generic provider gives a new state of a known item", async () => {
    items = [transaction("a", 1, { status: "PENDING" })];
    const { state } = await fetchAll(plugin.fetchPayments);
    items = [transaction("a", 1)];
    const next = await fetchAll(plugin.fetchPayments, { state });
    expect(next.items).toMatchObject([{ reference: "a", status: "SUCCEEDED" }]);
  });

  test("a list of a generic provider is read whole when its items are shuffled, and when pages come twice", async () => {
    const all = Array.from({ length: 20 }, (_, index) => `tx-${index}`);
    items = all
      .map((id, second) => transaction(id, second % 7))
      .toSorted((a, b) => (a.id.slice(-1) < b.id.slice(-1) ? 1 : -1));
    let last: Item[] = [];
    disturb = (page, url) => {
      const isRepeated = url.searchParams.get("page") === "3" && !url.href.includes("From");
      const given = isRepeated && requests.length < 6 ? last : page;
      last = page;
      return given;
    };
    const { items: found, state } = await fetchAll(plugin.fetchPayments);
    expect(idsOf(found).toSorted()).toEqual(all.toSorted());
    expect((await fetchAll(plugin.fetchPayments, { state })).items).toEqual([]);
  });

  test("a list of a generic provider misses no item that moves to another page when an item changes", async () => {
    items = ["a", "b", "c", "d"].map((id, second) => transaction(id, second));
    disturb = (page) => {
      const [first, ...others] = items;
      if (requests.length === 1 && first !== undefined) {
        items = [...others, { ...first, updatedAt: time(9) }];
      }
      return page;
    };
    const { items: found } = await fetchAll(plugin.fetchPayments, { pageSize: 2 });
    expect(idsOf(found).toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  test("a list of a generic provider is read once if all items are older than the pass, and otherwise twice", async () => {
    items = Array.from({ length: 7 }, (_, second) => transaction(`tx-${second}`, second));
    const now = parseTimestamp(time(3600));
    const first = await fetchAll(plugin.fetchPayments, { now });
    expect(idsOf(first.items)).toHaveLength(7);
    expect(requests.map(({ searchParams }) => searchParams.get("page"))).toEqual([
      "1",
      "2",
      "3",
      "4",
    ]);
    requests = [];
    items.push(...["a", "b", "c", "d"].map((id) => transaction(id, 3590)));
    const next = await fetchAll(plugin.fetchPayments, { now, state: first.state });
    expect(idsOf(next.items)).toEqual(["a", "b", "c", "d"]);
    expect(requests.filter(({ searchParams }) => searchParams.get("page") === "1")).toHaveLength(2);
  });

  test("a list of a generic provider that never ends is refused", async () => {
    items = ["a", "b", "c"].map((id, second) => transaction(id, second));
    disturb = () => items;
    await expect(fetchAll(plugin.fetchPayments)).rejects.toMatchObject({ kind: "invalid" });
  });

  test.each([
    ["an item without an id", {}, /^sha256:/],
    ["a date that is none", transaction("a", 1, { updatedAt: "yesterday" }), /^a$/],
    ["an amount with decimals", transaction("a", 1, { amount: "1.5" }), /^a$/],
  ])("a list of a generic provider with %s gives its other items", async (_, item, id) => {
    disturb = () => [item, transaction("good", 1)];
    const page = await plugin.fetchPayments?.({ state: undefined, pageSize: 3 });
    expect(page?.items).toMatchObject([{ reference: "good" }]);
    expect(page?.rejected).toMatchObject([{ id: expect.stringMatching(id) as string }]);
    expect(page?.read).toEqual(["good"]);
  });

  test("a list of a generic provider that is an object is refused", async () => {
    disturb = () => ({});
    await expect(fetchAll(plugin.fetchPayments)).rejects.toMatchObject({ kind: "unknown" });
  });

  test("a list of a generic provider becomes payments", async () => {
    items = [
      transaction("a", 1, {
        relatedTransactionID: "b",
        type: "PAYOUT",
        status: "REFUNDED",
        amount: "123456789012345678901234567890",
        sourceAccountID: "acc-1",
        destinationAccountID: null,
        metadata: { order: "42", count: 2 },
      }),
      transaction("c", 2, { type: "FEE", status: "ODD" }),
    ];
    const { items: found } = await fetchAll(plugin.fetchPayments);
    expect(found[0]).toMatchObject({
      reference: "a",
      parentReference: "b",
      type: "PAYOUT",
      status: "REFUNDED",
      scheme: "OTHER",
      asset: "USD/2",
      amount: 123456789012345678901234567890n,
      sourceReference: "acc-1",
      metadata: { order: "42", count: "2" },
      createdAt: parseTimestamp(time(0)),
    });
    expect(found[0]).not.toHaveProperty("destinationReference");
    expect(found[1]).toMatchObject({ type: "OTHER", status: "OTHER" });
  });
});

describe("a transaction of a generic provider", () => {
  test.each([
    ["PAYIN", "PAY-IN"],
    ["PAYOUT", "PAYOUT"],
    ["TRANSFER", "TRANSFER"],
    ["OTHER", "OTHER"],
    ["toString", "OTHER"],
    [null, "OTHER"],
  ])(
    "a transaction of a generic provider of the type %s is a payment of the type %s",
    (type, expected) => {
      expect(toPayment(transaction("a", 1, { type })).item.type).toBe(expected);
      expect(Object.keys(TYPES)).toHaveLength(3);
    },
  );

  test.each([
    ["PENDING", "PENDING"],
    ["SUCCEEDED", "SUCCEEDED"],
    ["FAILED", "FAILED"],
    ["CANCELLED", "CANCELLED"],
    ["EXPIRED", "EXPIRED"],
    ["REFUNDED", "REFUNDED"],
    ["REFUNDED_FAILURE", "REFUNDED_FAILURE"],
    ["REFUND_REVERSED", "REFUND_REVERSED"],
    ["DISPUTE", "DISPUTE"],
    ["DISPUTE_WON", "DISPUTE_WON"],
    ["DISPUTE_LOST", "DISPUTE_LOST"],
    ["AUTHORISATION", "AUTHORISATION"],
    ["CAPTURE", "CAPTURE"],
    ["CAPTURE_FAILED", "CAPTURE_FAILED"],
    ["OTHER", "OTHER"],
    ["UNKNOWN", "OTHER"],
    ["AMOUNT_ADJUSTEMENT", "OTHER"],
    ["constructor", "OTHER"],
    [undefined, "OTHER"],
  ])("a transaction of a generic provider that is %s has the status %s", (status, expected) => {
    expect(toPayment(transaction("a", 1, { status })).item.status).toBe(expected);
    expect(Object.keys(STATUSES)).toHaveLength(14);
  });
});

describe("a movement at a generic provider", () => {
  const movement = {
    type: "PAYOUT",
    reference: "po-1",
    createdAt: parseTimestamp(time(0)) ?? expect.unreachable(),
    description: "rent",
    source: { reference: "acc-1", metadata: {} },
    destination: { reference: "ben-1", metadata: {} },
    amount: 1000n,
    asset: "USD/2",
    metadata: {},
  } as const;

  const withAnswer = (answer: (body: unknown) => Response) =>
    openPlugin(genericKind, { apiKey: "key", endpoint: "https://psp.example" }, async (request) => {
      requests.push(new URL(request.url));
      return answer(await request.json());
    });

  test("a movement at a generic provider has its reference as idempotency key, and gives the payment that it made", async () => {
    let sent: unknown;
    const { createPayout } = withAnswer((body) => {
      sent = body;
      const { idempotencyKey, ...answer } = body as { idempotencyKey: string }; // the request has this shape
      return Response.json(
        { ...answer, idempotencyKey, id: "m-1", status: "PENDING", createdAt: time(3) },
        { status: 201 },
      );
    });
    const result = await createPayout?.(movement);
    expect(requests.map(({ pathname }) => pathname)).toEqual(["/payouts"]);
    expect(sent).toEqual({
      idempotencyKey: "po-1",
      amount: "1000",
      currency: "USD/2",
      sourceAccountId: "acc-1",
      destinationAccountId: "ben-1",
      description: "rent",
    });
    expect(result).toMatchObject({
      payment: {
        reference: "m-1",
        parentReference: "po-1",
        type: "PAYOUT",
        status: "PENDING",
        amount: 1000n,
        sourceReference: "acc-1",
        destinationReference: "ben-1",
      },
    });
  });

  test.each([
    [{ source: undefined }, "source account is required"],
    [{ destination: undefined }, "destination account is required"],
    [{ amount: 0n }, "amount must be positive"],
    [{ reference: "" }, "reference is required"],
    [{ asset: "usd" }, "the asset usd is not valid"],
  ])(
    "a movement at a generic provider with %o is refused without a call",
    async (change, message) => {
      const { createPayout } = withAnswer(() => new Response(null));
      const changed = { ...movement, ...change } as Parameters<NonNullable<typeof createPayout>>[0];
      await expect(createPayout?.(changed)).rejects.toThrow(message);
      expect(requests).toEqual([]);
    },
  );
});
