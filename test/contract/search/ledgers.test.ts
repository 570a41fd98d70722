import { describe, expect, test } from "vitest";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { newLedger } from "#test/support/reconciliation/books.ts";
import { allKinds, page, refusal } from "#test/support/search/searches.ts";

interface Posted {
  readonly reference?: string;
  readonly source?: string;
  readonly destination?: string;
  readonly amount?: number | bigint;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Commits a transaction; returns its number. */
async function commit(
  ledger: string,
  { source = "world", destination = "users:42:main", amount = 100, ...rest }: Posted = {},
): Promise<number> {
  const body = { postings: [{ source, destination, amount, asset: "EUR/2" }], ...rest };
  const response = await api(`/api/ledger/v2/${ledger}/transactions?force=true`, { body });
  expect(response.status).toBe(200);
  return ((await bodyOf(response)) as { data: { id: number } }).data.id;
}

/** The numbers of the transactions of a ledger that a search finds. */
async function idsOf(ledger: string, ...terms: readonly string[]): Promise<unknown[]> {
  const { data } = await page({ target: "TRANSACTION", ledgers: [ledger], terms, pageSize: 100 });
  return data.map(({ id }) => id);
}

const BIG = 12_345_678_901_234_567_890n;

describe("transactions", () => {
  test("a transaction is found by reference, amount, address, segment, asset and metadata, and by nothing like them", async () => {
    const ledger = await newLedger();
    const reference = freshName("order");
    const id = await commit(ledger, {
      reference,
      destination: "users:4711:main",
      amount: BIG,
      metadata: { invoice: "INV-2026/17 ACME Ltd" },
    });
    await commit(ledger, { destination: "users:47:main", amount: 1 });
    const found = [
      reference,
      `reference=${reference}`,
      `id=${id}`,
      `${BIG}`,
      `amount=${BIG}`,
      "4711",
      "users:4711:main",
      "address=users:4711:main",
      "destination=users:4711:main",
      "acme",
      "inv-2026",
      "metadata.invoice=INV-2026/17 ACME Ltd",
    ];
    await eventually(async () => expect(await idsOf(ledger, reference)).toEqual([id]));
    for (const term of found) expect([term, await idsOf(ledger, term)]).toEqual([term, [id]]);
    const unlike = [
      reference.slice(0, -1),
      `reference=${reference.toUpperCase()}`,
      "123456789012345678",
      "471",
      "source=users:4711:main",
      "cme",
      "metadata.invoice=ACME",
      "metadata.other=INV-2026/17 ACME Ltd",
      "status=SUCCEEDED",
    ];
    for (const term of unlike) expect([term, await idsOf(ledger, term)]).toEqual([term, []]);
    expect(await idsOf(ledger, "asset=EUR/2")).toHaveLength(2);
    expect(await idsOf(ledger, "source=world")).toHaveLength(2);
  });

  test("all terms must match, or one of them where the policy is OR", async () => {
    const ledger = await newLedger();
    const first = await commit(ledger, { amount: 7001, metadata: { note: "alpha" } });
    const second = await commit(ledger, { amount: 7002, metadata: { note: "beta" } });
    const search = { target: "TRANSACTION", ledgers: [ledger], terms: ["7001", "beta"] };
    const either = { ...search, policy: "OR" };
    await eventually(async () => expect((await page(either)).data).toHaveLength(2));
    expect((await page(either)).data.map(({ id }) => id)).toEqual([second, first]);
    expect((await page(search)).data).toEqual([]);
    expect(await idsOf(ledger, "7002", "beta")).toEqual([second]);
    expect(await idsOf(ledger)).toEqual([second, first]);
  });

  test("a hit is the transaction as the ledger shows it, with its kind and ledger", async () => {
    const ledger = await newLedger();
    const id = await commit(ledger, { amount: BIG });
    await eventually(async () => expect(await idsOf(ledger)).toEqual([id]));
    const { data } = await page({ target: "TRANSACTION", ledgers: [ledger] });
    const shown = await bodyOf(await api(`/api/ledger/v2/${ledger}/transactions`));
    const [transaction] = (shown as { cursor: { data: object[] } }).cursor.data;
    expect(data).toEqual([{ ...transaction, kind: "TRANSACTION", ledger }]);
  });

  test("changed metadata are found, and what was there before is not", async () => {
    const ledger = await newLedger();
    const id = await commit(ledger, { metadata: { colour: "vermilion" } });
    await eventually(async () => expect(await idsOf(ledger, "vermilion")).toEqual([id]));
    const path = `/api/ledger/v2/${ledger}/transactions/${id}/metadata`;
    expect((await api(path, { body: { colour: "turquoise" } })).status).toBe(204);
    await eventually(async () => expect(await idsOf(ledger, "turq")).toEqual([id]));
    expect(await idsOf(ledger, "vermilion")).toEqual([]);
    expect((await api(`${path}/colour`, { method: "DELETE" })).status).toBe(204);
    expect(await idsOf(ledger, "turq")).toEqual([]);
  });

  test("a revert is a transaction of its own", async () => {
    const ledger = await newLedger();
    const id = await commit(ledger, { amount: 31_415 });
    const path = `/api/ledger/v2/${ledger}/transactions/${id}/revert`;
    expect((await api(path, { method: "POST" })).status).toBe(201);
    await eventually(async () => expect(await idsOf(ledger, "amount=31415")).toHaveLength(2));
  });

  test("many transactions are paged in both directions, each once, and the total says what is known", async () => {
    const ledger = await newLedger();
    const count = 150;
    const elements = Array.from({ length: count }, (_, at) => ({
      action: "CREATE_TRANSACTION",
      data: {
        postings: [{ source: "world", destination: `shop:${at}`, amount: at + 1, asset: "EUR/2" }],
        metadata: { batch: "spring" },
      },
    }));
    expect((await api(`/api/ledger/v2/${ledger}/_bulk`, { body: elements })).status).toBe(200);
    await eventually(async () => expect(await idsOf(ledger, "spring")).toHaveLength(100));
    const search = { target: "TRANSACTION", ledgers: [ledger], terms: ["spring"], pageSize: 40 };
    await eventually(async () => {
      const ids = new Set<unknown>();
      let shown = await page(search);
      expect(shown.total).toEqual({ value: 41, relation: "gte" });
      for (;;) {
        for (const { id } of shown.data) ids.add(id);
        if (!shown.hasMore) break;
        shown = await page({ cursor: shown.next });
      }
      expect(shown.next).toBe("");
      expect(shown.total).toEqual({ value: count, relation: "eq" });
      expect(ids.size).toBe(count);
      const before = await page({ cursor: shown.previous });
      expect(before.data).toHaveLength(40);
      const first = await page({ cursor: (await page({ cursor: before.previous })).previous });
      expect(first).toEqual(await page(search));
    });
    const { data } = await page({ ...search, pageSize: 3 });
    const [, second, third] = data;
    const after = await page({ ...search, pageSize: 1, after: [String(second?.id)] });
    expect(after.data).toEqual([third]);
  });
});

describe("accounts, assets and wallets", () => {
  test("accounts are found by address, segment and metadata, and assets by code", async () => {
    const ledger = await newLedger();
    await commit(ledger, { destination: "merchants:m-77:payable" });
    const path = `/api/ledger/v2/${ledger}/accounts/merchants:m-77:payable/metadata`;
    expect((await api(path, { body: { name: "Ängström & Sons" } })).status).toBe(204);
    const search = { target: "ACCOUNT", ledgers: [ledger] };
    await eventually(async () =>
      expect((await page({ ...search, terms: ["ängst"] })).data).toHaveLength(1),
    );
    for (const term of ["m-77", "payable", "address=merchants:m-77:payable", "sons"]) {
      const { data } = await page({ ...search, terms: [term] });
      expect(data).toMatchObject([{ address: "merchants:m-77:payable", kind: "ACCOUNT", ledger }]);
    }
    expect((await page({ ...search, terms: ["m-7"] })).data).toEqual([]);
    expect((await page({ ...search, terms: [] })).data).toHaveLength(2);
    const assets = await page({ target: "ASSET", ledgers: [ledger], terms: ["eur"] });
    expect(assets.data).toEqual([{ asset: "EUR/2", kind: "ASSET", ledger }]);
  });

  test("a wallet is found by its name and its id", async () => {
    const name = freshName("purse");
    const response = await api("/api/wallets/wallets", {
      body: { name, metadata: { tier: "gold" } },
    });
    expect(response.status).toBe(201);
    const { id } = ((await bodyOf(response)) as { data: { id: string } }).data;
    await eventually(async () => {
      for (const term of [name, `id=${id}`, id]) {
        const { data } = await page({ target: "WALLET", terms: [term] });
        expect(data).toMatchObject([{ id, name, kind: "WALLET" }]);
      }
    });
  });
});

describe("who may see what", () => {
  test("a token finds only in the ledgers and modules that it reaches", async () => {
    const reference = freshName("secret");
    const [one, other] = [await newLedger(), await newLedger()];
    await commit(one, { metadata: { reference } });
    await commit(other, { metadata: { reference } });
    const search = { target: "TRANSACTION", terms: [reference] };
    await eventually(async () => expect((await page(search)).data).toHaveLength(2));
    const client = await api("/api/auth/clients", {
      body: {
        name: "bound",
        scopes: ["search:read", "ledger:read"],
        metadata: { ledgers: [one] },
      },
    });
    const { id } = ((await bodyOf(client)) as { data: { id: string } }).data;
    const secret = await api(`/api/auth/clients/${id}/secrets`, { body: { name: "s" } });
    const { clear } = ((await bodyOf(secret)) as { data: { clear: string } }).data;
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: clear,
      scope: "search:read ledger:read",
    });
    const issued = await api("/api/auth/oauth/token", {
      body: form.toString(),
      headers: { "content-type": "application/x-www-form-urlencoded" },
      token: null,
    });
    const bound = ((await bodyOf(issued)) as { access_token: string }).access_token;
    const { data } = await page(search, bound);
    expect(data.map(({ ledger }) => ledger)).toEqual([one]);
    expect((await page({ ...search, ledgers: [other] }, bound)).data).toEqual([]);
    const unscoped = await token("search:read", "payments:read");
    expect(await page(search, unscoped)).toMatchObject({ data: [], hasMore: false, next: "" });
    expect(Object.keys(await allKinds({ terms: [reference] }, unscoped))).toEqual([]);
    expect(
      (await api("/api/search/", { body: search, token: await token("ledger:read") })).status,
    ).toBe(401);
  });

  test("a deleted ledger has no hits", async () => {
    const ledger = freshName("gone");
    const bucket = freshName("bucket");
    expect((await api(`/api/ledger/v2/${ledger}`, { body: { bucket } })).status).toBe(204);
    const id = await commit(ledger);
    await eventually(async () => expect(await idsOf(ledger)).toEqual([id]));
    expect((await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" })).status).toBe(
      204,
    );
    expect(await idsOf(ledger)).toEqual([]);
    expect((await page({ target: "ASSET", ledgers: [ledger] })).data).toEqual([]);
  });
});

describe("requests", () => {
  test("hits are sorted by a member of theirs, and pages go on there", async () => {
    const ledger = await newLedger();
    for (const amount of [1, 2, 3]) await commit(ledger, { reference: `${ledger}-${3 - amount}` });
    const search = { target: "TRANSACTION", ledgers: [ledger], sort: "reference:asc", pageSize: 2 };
    await eventually(async () => expect(await idsOf(ledger)).toHaveLength(3));
    const first = await page(search);
    expect(first.data.map(({ reference }) => reference)).toEqual([`${ledger}-0`, `${ledger}-1`]);
    const second = await page({ cursor: first.next });
    expect(second.data.map(({ reference }) => reference)).toEqual([`${ledger}-2`]);
    expect(await page({ cursor: second.previous })).toEqual(first);
    const after = await page({ ...search, after: [`${ledger}-1`] });
    expect(after.data).toEqual(second.data);
    const down = await page({ ...search, sort: "id:asc", after: ["1"] });
    expect(down.data.map(({ id }) => id)).toEqual([2, 3]);
  });

  test.for([
    [{ target: "PERSON" }, "target"],
    [{ target: "TRANSACTION", policy: "XOR" }, "policy"],
    [{ target: "TRANSACTION", pageSize: 101 }, "pageSize"],
    [{ target: "TRANSACTION", sort: "id" }, "sort"],
    [{ target: "TRANSACTION", raw: { query: {} } }, "raw"],
    [{ target: "TRANSACTION", after: ["1"] }, "after"],
    [{ target: "TRANSACTION", ledgers: ["no-such-ledger"], after: ["1"] }, "after"],
    [{ target: "WORKFLOW", after: ["nobody"] }, "after"],
    [{ cursor: "nonsense" }, "cursor"],
    [{ terms: Array.from({ length: 21 }, () => "x") }, "terms"],
    ["{", "JSON"],
  ] as const)("refuses %o", async ([body, named]) => {
    const { status, errorMessage } = await refusal(body);
    expect([status, errorMessage.slice(0, 12)]).toEqual([400, "[VALIDATION]"]);
    expect(errorMessage).toContain(named);
  });

  test("an empty body, empty members and an empty raw query ask for the newest objects of each kind", async () => {
    const ledger = await newLedger();
    await commit(ledger);
    await eventually(async () => expect(await idsOf(ledger)).toHaveLength(1));
    for (const body of [
      {},
      {
        target: "",
        ledgers: null,
        terms: null,
        policy: "",
        pageSize: 0,
        sort: "",
        after: [],
        raw: {},
      },
    ]) {
      const found = await allKinds({
        ...body,
        ...("ledgers" in body ? {} : { ledgers: [ledger] }),
      });
      expect(found.TRANSACTION?.length).toBeGreaterThan(0);
      expect(found.TRANSACTION?.length).toBeLessThanOrEqual(5);
    }
  });
});
