import { describe, expect, test } from "vitest";
import type {
  LinkRequest,
  Movement,
  UserOfProvider,
} from "#modules/payments/connectors/contract.ts";
import { dummypayKind } from "#modules/payments/connectors/dummypay/index.ts";
import {
  accountProblem,
  balanceProblem,
  paymentProblem,
} from "#modules/payments/connectors/provider-objects.ts";
import { fetchAll, NOW, openPlugin } from "#test/support/payments/plugins.ts";

const seeded = (directory = "demo") => openPlugin(dummypayKind, { directory });

const now = NOW;
const balancesOf = async (plugin: ReturnType<typeof seeded>, reference: string) => {
  const parent = { reference, createdAt: now, metadata: {}, raw: "{}" };
  const page = await plugin.fetchBalances?.({ parent, state: undefined, pageSize: 25 });
  return Object.fromEntries(page?.items.map(({ asset, amount }) => [asset, amount]) ?? []);
};

const movement: Movement = {
  type: "PAYOUT",
  reference: "po-1",
  createdAt: now,
  description: "",
  source: { reference: "main-eur", metadata: {} },
  destination: { reference: "landlord", metadata: {} },
  amount: 1000n,
  asset: "EUR/2",
  metadata: {},
};

describe("a dummy provider with a name", () => {
  test("a dummy provider with a name has the same valid accounts and payments each time, and others under another name", async () => {
    const [accounts, external, payments] = await Promise.all([
      fetchAll(seeded().fetchAccounts),
      fetchAll(seeded().fetchExternalAccounts),
      fetchAll(seeded().fetchPayments),
    ]);
    expect(accounts.items).toHaveLength(6);
    expect(external.items).toHaveLength(4);
    expect(payments.items).toHaveLength(72);
    expect([...accounts.items, ...external.items].map(accountProblem)).not.toContainEqual(
      expect.any(String),
    );
    expect(payments.items.map(paymentProblem)).not.toContainEqual(expect.any(String));
    expect((await fetchAll(seeded().fetchPayments)).items).toEqual(payments.items);
    expect((await fetchAll(seeded("other").fetchPayments)).items).not.toEqual(payments.items);
    expect((await fetchAll(seeded().fetchPayments, payments)).items).toEqual([]);
  });

  test("a dummy provider with a name has the sum of its payments on each account, which is never negative", async () => {
    const plugin = seeded();
    const { items: payments } = await fetchAll(plugin.fetchPayments);
    const { items: accounts } = await fetchAll(plugin.fetchAccounts);
    for (const { reference, defaultAsset = "" } of accounts) {
      let sum = 0n;
      for (const { status, amount, sourceReference, destinationReference } of payments) {
        if (status === "SUCCEEDED" && destinationReference === reference) sum += amount;
        if (status === "SUCCEEDED" && sourceReference === reference) sum -= amount;
        expect(sum).toBeGreaterThanOrEqual(0n);
      }
      expect(await balancesOf(plugin, reference)).toEqual({ [defaultAsset]: sum });
    }
  });

  test("a dummy provider with a name moves money once for each reference", async () => {
    const plugin = seeded();
    const { "EUR/2": before = 0n } = await balancesOf(plugin, "main-eur");
    const made = await plugin.createPayout?.(movement);
    expect(made).toMatchObject({
      payment: { reference: "po-1", status: "SUCCEEDED", type: "PAYOUT" },
    });
    expect(await plugin.createPayout?.(movement)).toEqual(made);
    expect(await balancesOf(plugin, "main-eur")).toEqual({ "EUR/2": before - 1000n });
    expect(await balancesOf(plugin, "landlord")).toEqual({ "EUR/2": 1000n });
  });

  test("a dummy provider with a name moves back at most what was moved", async () => {
    const plugin = seeded();
    const reversal = { ...movement, movement, amount: 600n };
    const reverse = (reference: string) => plugin.reversePayout?.({ ...reversal, reference });
    await expect(reverse("r-1")).rejects.toThrow("no balance data found");
    await plugin.createPayout?.(movement);
    const made = await reverse("r-1");
    expect(made).toMatchObject({ parentReference: "po-1", status: "REFUNDED", amount: 600n });
    expect(await reverse("r-1")).toEqual(made);
    expect(await balancesOf(plugin, "landlord")).toEqual({ "EUR/2": 400n });
    await expect(reverse("r-2")).rejects.toThrow("balance will be negative if 600 is subtracted");
  });

  test("a dummy provider with a name makes an account of a bank account", async () => {
    const account = { id: "b-1", createdAt: now, name: "x", metadata: {} };
    expect(await seeded().createBankAccount?.(account)).toMatchObject({
      reference: "dummypay-b-1",
      name: "dummypay-account",
      createdAt: now,
    });
  });
});

describe("a dummy provider with a URL", () => {
  const FILES: Readonly<Record<string, unknown>> = {
    "/files/accounts.json": [
      { id: "acc-1", name: "One", opening_date: "2026-01-01T00:00:00Z", currency: "EUR" },
    ],
    "/files/balances.json": [{ account_id: "acc-1", amount_in_minors: 120, currency: "EUR" }],
  };
  const withFiles = (files = FILES) =>
    openPlugin(dummypayKind, { directory: "https://psp.example/files" }, (request) => {
      const file = files[new URL(request.url).pathname];
      return file === undefined ? new Response(null, { status: 404 }) : Response.json(file);
    });

  test("a dummy provider with a URL reads accounts and balances from files, with unchanged assets", async () => {
    const plugin = withFiles();
    const { items, state } = await fetchAll(plugin.fetchAccounts);
    expect(items).toMatchObject([{ reference: "acc-1", name: "One", defaultAsset: "EUR" }]);
    expect((await fetchAll(plugin.fetchAccounts, { state })).items).toEqual([]);
    expect(await balancesOf(plugin, "acc-1")).toEqual({ EUR: 120n });
    const [balance] =
      (await plugin.fetchBalances?.({ state: undefined, pageSize: 1 }))?.items ?? [];
    expect(balance && balanceProblem(balance)).toBeUndefined();
  });

  test("a dummy provider with a URL has nothing where files are missing, and finds accounts that are added later", async () => {
    const files: Record<string, unknown> = {};
    const plugin = withFiles(files);
    const { items, state } = await fetchAll(plugin.fetchAccounts);
    expect(items).toEqual([]);
    Object.assign(files, FILES);
    expect((await fetchAll(plugin.fetchAccounts, { state })).items).toHaveLength(1);
  });
});

describe("users of a dummy provider", () => {
  const user: UserOfProvider = {
    user: { id: "psu-1", name: "Jo" },
    forwarded: { providerUserId: "psu-1", metadata: {} },
  };
  const request: LinkRequest = {
    ...user,
    clientRedirectUrl: "https://app.example/done",
    redirectUrl: "https://florin.example/redirect",
    state: "state-1",
    attemptId: "attempt-1",
    webhookUrl: "https://florin.example/webhooks",
  };
  const complete = (link: string, plugin = seeded()) => {
    const parameters = new URL(link).searchParams;
    const query = Object.fromEntries(
      [...parameters.keys()].map((name) => [name, parameters.getAll(name)]),
    );
    return plugin.users?.completeLink({ ...user, query, headers: {}, body: "" });
  };

  test("users of a dummy provider follow a link that leads straight back", async () => {
    expect(await seeded().users?.createUser(user.user)).toMatchObject({ providerUserId: "psu-1" });
    const link = await seeded().users?.createLink(request);
    expect(link?.url).toBe(
      "https://florin.example/redirect?noRedirect=true&state=state-1&status=success&user_id=psu-1",
    );
    expect(await complete(link?.url ?? "")).toMatchObject({
      connections: [{ createdAt: now }],
    });
  });

  test("users of a dummy provider are not linked where the configuration asks for an error", async () => {
    const plugin = openPlugin(dummypayKind, { directory: "demo", linkFlowError: true });
    const link = await plugin.users?.createLink(request);
    expect(await complete(link?.url ?? "")).toEqual({ error: "error" });
  });

  test.each(["?status=success", "?status=odd&user_id=psu-1", "?status=success&user_id=other"])(
    "users of a dummy provider are refused with %s",
    async (query) => {
      await expect(complete(`https://florin.example/${query}`)).rejects.toMatchObject({
        kind: "invalid",
      });
    },
  );
});
