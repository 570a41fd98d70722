import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { fireOccurrences } from "#modules/orchestration/triggers/firing/fire.ts";
import { LinkError, readLink } from "#modules/orchestration/triggers/link-reader.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { ArmingWatch, HELD_MS, HeldError } from "#platform/arming/arming-watch.ts";
import type { Principal } from "#platform/context.ts";
import { readOwnApiOf } from "#src/app.ts";
import {
  containing,
  deliver,
  eventOf,
  later,
  loseMessages,
  newTrigger,
  occurrencesOf,
  storedOf,
  triggerContext,
  untilFired,
  variablesOf,
} from "#test/support/orchestration/triggers.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { v3 } from "#test/support/payments/installs.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const PUBLIC_URL = "https://florin.example";
const publicEnv = { ...env, FLORIN_PUBLIC_URL: PUBLIC_URL };
/** The context of work that reads links of the own API. */
const insideOf = (environment: Env) => ({
  env: environment,
  readOwnApi: readOwnApiOf(environment),
});

afterEach(() => {
  vi.restoreAllMocks();
});

const answer = (status: number, body: unknown) =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => new Response(JSON.stringify(body), { status }));

describe("a link", () => {
  const links = [{ name: "owner", uri: "http://127.0.0.1:9/owner" }];

  test("a trigger's link gives its resource to filters and variables, without a token", async () => {
    const call = answer(200, { data: { role: "admin", big: 5 } });
    const { id, event } = await newTrigger({
      filter: 'link(event, "owner").role == "admin"',
      vars: { role: 'link(event, "owner").role', twice: 'link(event, "owner").big * 2' },
    });
    await deliver([eventOf(event, { links })]);
    const [occurrence] = await untilFired(id);

    expect(await variablesOf(occurrence?.workflowInstanceID)).toEqual({
      role: "admin",
      twice: "10",
    });
    const [, init] = call.mock.calls[0] ?? [];
    expect(new Headers(init?.headers).has("authorization")).toBe(false);
    expect(call).toHaveBeenCalledTimes(1);
  });

  test("a trigger's link whose filter passes leaves no trace, and the payment may fire later", async () => {
    answer(200, { data: { role: "user" } });
    const { id } = await newTrigger({
      event: "SAVED_ACCOUNT",
      filter: 'link(event, "owner").role == "admin"',
    });
    const account = freshName("account");
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await eventually(async () => expect(await storedOf(id)).toEqual([]));
    answer(200, { data: { role: "admin" } });
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await untilFired(id);
    await deliver([eventOf("SAVED_ACCOUNT", { id: account, links })]);
    await eventually(async () => expect(await storedOf(id)).toHaveLength(1));

    expect(await occurrencesOf(id)).toHaveLength(1);
  });

  test("a trigger's link that fails is read again, and in the end the occurrence has failed", async () => {
    loseMessages();
    answer(404, { errorCode: "NOT_FOUND" });
    const { id, event } = await newTrigger({ vars: { a: 'link(event, "owner").role' } });
    await deliver([eventOf(event, { links })]);
    const [occurrence] = await storedOf(id);
    for (let hours = 0; hours < 11; hours++) {
      await fireOccurrences(later(hours * 3_600_000), [occurrence?.id ?? ""]);
    }
    expect(await storedOf(id)).toMatchObject([{ state: "fire", attempts: 11 }]);
    expect(await occurrencesOf(id)).toEqual([]);
    await fireOccurrences(later(12 * 3_600_000), [occurrence?.id ?? ""]);

    expect(await occurrencesOf(id)).toMatchObject([
      { error: "unexpected status code when reading resource: 404" },
    ]);
  });

  test.each(["admin", "user"])(
    "a trigger's link that answers %s after the lease has expired does not touch what another attempt has completed",
    async (late) => {
      loseMessages();
      const { id, event } = await newTrigger({ filter: 'link(event, "owner").role == "admin"' });
      await deliver([eventOf(event, { links })]);
      await eventually(async () => expect(await storedOf(id)).toHaveLength(1));
      const ids = (await storedOf(id)).map((occurrence) => occurrence.id);
      const body = (role: string) => new Response(JSON.stringify({ data: { role } }));
      const call = vi.spyOn(globalThis, "fetch");
      call.mockImplementation(async () => body("admin"));
      call.mockImplementationOnce(async () => {
        await fireOccurrences(later(61_000), ids);
        return body(late);
      });
      await fireOccurrences(triggerContext, ids);
      expect(call).toHaveBeenCalledTimes(2);
      expect(await storedOf(id)).toMatchObject([{ state: "done", attempts: 2 }]);
      expect(await occurrencesOf(id)).toMatchObject([{ workflowInstanceID: containing("-") }]);
    },
  );

  test("a trigger's link that is not read because the deployment is disarmed is no attempt, however often", async () => {
    loseMessages();
    const call = answer(200, { data: { role: "admin" } });
    const { id, event } = await newTrigger({ vars: { a: 'link(event, "owner").role' } });
    await deliver([eventOf(event, { links })]);
    const [occurrence] = await storedOf(id);
    const fire = (ms: number) => fireOccurrences(later(ms), [occurrence?.id ?? ""]);
    const gate = vi.spyOn(ArmingWatch.prototype, "assertMayCall");
    gate.mockRejectedValue(new HeldError("DISARMED", "the deployment is disarmed"));
    for (let round = 1; round <= 13; round++) await fire(round * HELD_MS);
    expect(await storedOf(id)).toMatchObject([{ state: "fire", attempts: 0 }]);
    expect(call).not.toHaveBeenCalled();
    gate.mockRestore();
    await fire(14 * HELD_MS);
    expect(await occurrencesOf(id)).toMatchObject([{ workflowInstanceID: containing("-") }]);
  });

  test("a trigger's link that fails after the filter has let the event through is read again under the occurrence's new id", async () => {
    loseMessages();
    let status = 404;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (request) => {
      const url = request instanceof Request ? request.url : String(request);
      const isSecond = url.endsWith("/second");
      return new Response('{"data":{"role":"admin"}}', { status: isSecond ? status : 200 });
    });
    const { id } = await newTrigger({
      event: "SAVED_ACCOUNT",
      filter: 'link(event, "owner").role == "admin"',
      vars: { role: 'link(event, "second").role' },
    });
    const both = [...links, { name: "second", uri: "http://127.0.0.1:9/second" }];
    const accounts = [freshName("account"), freshName("account")];
    await deliver(
      accounts.map((account) => eventOf("SAVED_ACCOUNT", { id: account, links: both })),
    );
    await eventually(async () => expect(await storedOf(id)).toHaveLength(2));
    const idsOf = async () => (await storedOf(id)).map((occurrence) => occurrence.id);
    const filtered = await idsOf();
    await fireOccurrences(triggerContext, filtered);
    const failed = { state: "fire", attempts: 1 };
    expect(await storedOf(id)).toMatchObject([failed, failed]);
    const fired = await idsOf();
    expect(fired.filter((occurrence) => filtered.includes(occurrence))).toEqual([]);
    // The failed attempt holds no lease, so that the next one may come at once.
    status = 200;
    await fireOccurrences(triggerContext, fired);
    const started = { workflowInstanceID: containing("-") };
    expect(await occurrencesOf(id)).toMatchObject([started, started]);
  });

  test.each([
    [200, [], "no JSON object with the member data"],
    [302, { data: {} }, "unexpected status code when reading resource: 302"],
    [500, { data: {} }, "unexpected status code when reading resource: 500"],
  ])("a trigger's link that answers %i with %j cannot be read", async (status, body, message) => {
    answer(status, body);
    const reading = readLink({ env }, "http://127.0.0.1:9/x", triggerContext);

    await expect(reading).rejects.toThrow(message);
  });

  test("a trigger's link to a host that is not public is refused", async () => {
    const call = answer(200, { data: {} });
    const strict = { ...env, FLORIN_ALLOW_PRIVATE_HOSTS: "false" };
    for (const uri of ["http://127.0.0.1/x", "http://10.0.0.1/", "ftp://example.com", "no url"]) {
      const reading = readLink({ env: strict }, uri, triggerContext);
      await expect(reading).rejects.toThrow(LinkError);
    }
    expect(call).not.toHaveBeenCalled();
  });

  test("a trigger's link to the own API is read inside, with the creator's scopes and ledgers", async () => {
    const call = answer(200, { data: {} });
    const ledger = freshName("ledger");
    await api(`/api/ledger/v2/${ledger}`, { body: { metadata: { owner: "me" } } });
    const uri = `${PUBLIC_URL}/api/ledger/v2/${ledger}`;
    const read = (scopes: readonly string[], ledgers: readonly string[] = []) => {
      const principal: Principal = {
        ...triggerContext.principal,
        scopes: new Set(scopes),
        ledgers,
      };
      return readLink(insideOf(publicEnv), uri, { principal });
    };

    expect(await read(["ledger:read"])).toMatchObject({ name: ledger, metadata: { owner: "me" } });
    expect(await read(["ledger:write"], [ledger])).toMatchObject({ name: ledger });
    await expect(read(["payments:read"])).rejects.toThrow("status code when reading resource: 401");
    await expect(read(["ledger:read"], ["other"])).rejects.toThrow("bound to other ledgers");
    expect(call).not.toHaveBeenCalled();
  });

  test("a payment's link leads to its account where the deployment does not know its own URL", async () => {
    const call = answer(200, { data: {} });
    const { id: connector } = await storeConnector({ provider: "dummypay" });
    const createdAt = new Date("2026-03-01T09:30:00Z");
    const connectorID = encodeConnectorId(connector);
    const { v3CreateAccountResponse: account } = await v3.createAccount({
      reference: freshName("account"),
      connectorID,
      createdAt,
      accountName: "Main",
      type: "INTERNAL",
      metadata: { role: "merchant" },
    });
    const { id } = await newTrigger({
      event: "SAVED_PAYMENT",
      filter: 'event.type == "PAY-IN" and event.status == "SUCCEEDED"',
      vars: { payment: "event.id", role: 'link(event, "source_account").metadata.role' },
    });
    const reference = freshName("payment");
    const { v3CreatePaymentResponse: payment } = await v3.createPayment({
      reference,
      connectorID,
      createdAt,
      type: "PAY-IN",
      initialAmount: 100n,
      amount: 100n,
      asset: "EUR/2",
      scheme: "SEPA",
      sourceAccountID: account?.data.id ?? "",
      adjustments: [{ reference, createdAt, status: "SUCCEEDED", amount: 100n, asset: "EUR/2" }],
    });
    const [occurrence] = await untilFired(id);

    expect(await variablesOf(occurrence?.workflowInstanceID)).toEqual({
      payment: payment?.data.id,
      role: "merchant",
    });
    // Triggers of other tests may still ask for their own link.
    const [{ uri: ofOthers } = { uri: "" }] = links;
    expect(call.mock.calls.filter(([url]) => url !== ofOthers)).toEqual([]);
  });

  test.each(["/api/ledger/v2/none", "/api/orchestration/../ledger/v2/none"])(
    "a trigger's link that is %s is read inside, whether the deployment knows its own URL or not",
    async (uri) => {
      const call = answer(200, { data: {} });
      for (const environment of [env, publicEnv]) {
        const reading = readLink(insideOf(environment), uri, {
          principal: { ...triggerContext.principal, scopes: new Set(["ledger:read"]) },
        });
        await expect(reading).rejects.toThrow("unexpected status code when reading resource: 404");
      }
      expect(call).not.toHaveBeenCalled();
    },
  );

  test.each(["//127.0.0.1/api/x", "/other", "api/ledger", "/api/../docs"])(
    "a trigger's link that is %s is no path of the own API",
    async (uri) => {
      const call = answer(200, { data: {} });
      const reading = readLink({ env }, uri, triggerContext);
      await expect(reading).rejects.toThrow(LinkError);
      expect(call).not.toHaveBeenCalled();
    },
  );
});
