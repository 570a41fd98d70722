import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { refreshConnector, wakeMovements } from "#modules/payments/movements/wake.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import {
  arm,
  armForTheNextFile,
  armingState,
  asOperator,
  disarm,
} from "#test/support/deployment/arming.ts";
import { installPaying, payoutOf } from "#test/support/payments/payouts.ts";
import { payment } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

const context = systemContext(env, "test");
const REVIEWS = "/api/florin/v1/payments/reviews";

/** What the provider answers about a reference, and the references of the payouts that it was asked for. */
const known = new Map<string, "paid" | "none" | "unknown">();
const sent: string[] = [];

afterAll(armForTheNextFile);
beforeEach(async () => {
  await env.DB.exec("DELETE FROM disarmament; DELETE FROM armed_connectors");
  const kind = present(kindOf("dummypay"), "it is a kind");
  const { create } = kind;
  vi.spyOn(kind, "create").mockImplementation((config, ports) => {
    const plugin = create(config, ports);
    const createPayout = present(plugin.createPayout, "it makes payouts");
    return {
      ...plugin,
      findMovement: async ({ reference, type, amount, asset, createdAt }) => {
        const answer = known.get(reference) ?? "none";
        if (answer !== "paid") return answer;
        const made = { type, amount, asset, createdAt, status: "SUCCEEDED" } as const;
        return { payment: payment(reference, made) };
      },
      createPayout: (movement) => {
        sent.push(movement.reference);
        return createPayout(movement);
      },
    };
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A connector with two accounts, and one payout on its way for each answer of the provider. */
async function openCopy() {
  const { connectorID, id: connector } = await installPaying();
  const order = async (answer: "paid" | "none" | "unknown"): Promise<OwnedId> => {
    const reference = freshName(answer);
    known.set(reference, answer);
    const created = await createInitiation(context, {
      ...payoutOf(connector, reference),
      isSent: true,
    });
    return created.id;
  };
  const orders = {
    paid: await order("paid"),
    unpaid: await order("none"),
    unsaid: await order("unknown"),
  };
  return { connectorID, ...orders };
}

const statusOf = async (id: OwnedId): Promise<string> =>
  (await getInitiation(context, id)).state.status;

interface Review {
  readonly id: string;
  readonly status: string;
  readonly paymentInitiationID: string;
}

async function reviewOf(id: OwnedId): Promise<Review> {
  const response = await api(REVIEWS, { token: await token("florin:operate payments:read") });
  const { cursor } = await response.json<{ cursor: { data: Review[] } }>();
  const found = cursor.data.find(
    ({ paymentInitiationID }) => paymentInitiationID === encodeOwnedId(id),
  );
  return present(found, "the order is under review");
}

describe("payments of a restored copy", () => {
  test("payments of a restored copy are made once: what the original has paid is found, the rest is sent, and a person decides about what nobody knows", async () => {
    const { connectorID, paid, unpaid, unsaid } = await openCopy();
    await disarm({ reason: "restored" });
    const stopped = { originalIsStopped: true };
    expect((await asOperator("/arm", stopped)).status).toBe(409);
    const { connectors } = await arm({ ...stopped, connectorID });
    expect(connectors).toMatchObject([
      { id: connectorID, phase: expect.stringMatching(/looking|armed/) as string },
    ]);
    // The minute after the arming has passed, in which no provider is asked.
    await env.DB.exec("UPDATE payment_lookups SET began_at = '2026-01-01T00:00:00.000000Z'");
    await eventually(async () => {
      await refreshConnector(context, paid.connector.reference);
      expect(await armingState()).toMatchObject({ connectors: [{ phase: "armed" }] });
      expect([await statusOf(paid), await statusOf(unpaid)]).toEqual(["PROCESSED", "PROCESSED"]);
    });
    const ours = (reference: string) =>
      [paid, unpaid, unsaid].some((id) => id.reference === reference);
    expect(sent.filter((reference) => ours(reference))).toEqual([unpaid.reference]);
    const review = await reviewOf(unsaid);
    expect(review).toMatchObject({ status: "open" });
    const stuck = await bodyOf(await asOperator("/stuck"));
    expect(stuck).toMatchObject({
      data: {
        items: expect.arrayContaining([
          expect.objectContaining({ work: "payment-reviews", path: `${REVIEWS}/${review.id}` }),
        ]) as unknown,
      },
    });
    // Everything else goes on; the payment still waits for its decision.
    expect(await arm(stopped)).toMatchObject({ armed: true });
    const path = `${REVIEWS}/${review.id}`;
    const both = await token("florin:operate payments:write");
    const decided = await api(path, { token: both, body: { decision: "not-paid" } });
    expect([decided.status, await bodyOf(decided)]).toMatchObject([
      200,
      { data: { status: "decided", decision: "not-paid", paymentInitiationStatus: "PROCESSING" } },
    ]);
    expect((await api(path, { token: both, body: { decision: "not-paid" } })).status).toBe(200);
    expect((await api(path, { token: both, body: { decision: "given-up" } })).status).toBe(409);
    await eventually(async () => expect(await statusOf(unsaid)).toBe("PROCESSED"));
    expect(sent.filter((reference) => ours(reference))).toEqual([
      unpaid.reference,
      unsaid.reference,
    ]);
  });

  test("payments of a restored copy under review are shown and decided only with the scopes of both", async () => {
    const [operator, payer] = [
      await token("florin:operate"),
      await token("payments:write payments:read"),
    ];
    const reader = await token("florin:operate payments:read");
    const path = `${REVIEWS}/00000000-0000-4000-8000-000000000001`;
    for (const bearer of [operator, payer]) {
      expect((await api(REVIEWS, { token: bearer })).status).toBe(401);
      expect((await api(path, { token: bearer })).status).toBe(401);
    }
    const body = { decision: "not-paid" };
    for (const bearer of [operator, payer, reader]) {
      expect((await api(path, { token: bearer, body })).status).toBe(401);
    }
    const both = await token("florin:operate payments:write");
    expect((await api(path, { token: both, body })).status).toBe(404);
    expect((await api(path, { token: both, body: { decision: "maybe" } })).status).toBe(400);
    expect((await api(path, { token: both, body: {} })).status).toBe(400);
    expect((await api(`${REVIEWS}/nonsense`, { token: reader })).status).toBe(400);
  });

  test("payments of a restored copy under review are no work for a person once they do not exist any more", async () => {
    // An earlier version, which knows no reviews, has removed the connector.
    await env.DB.prepare(
      `INSERT INTO payment_reviews (id, connector_key, initiation_key, created_at, reason, status, version)
      VALUES ('gone', 1000000, 1000000, '2026-03-01T09:30:00.000000Z', 'of nothing', 'open', 0)`,
    ).run();
    const stuck = await bodyOf(await asOperator("/stuck"));
    expect(JSON.stringify(stuck)).not.toContain("of nothing");
    await env.DB.prepare("DELETE FROM payment_reviews WHERE id = 'gone'").run();
  });

  test("payments of a deployment that was only disarmed are looked up by nobody", async () => {
    const { connectorID, paid } = await openCopy();
    await disarm();
    const { connectors } = await arm({ connectorID });
    expect(connectors).toMatchObject([{ id: connectorID, phase: "armed" }]);
    await arm();
    await eventually(async () => {
      await wakeMovements(context, paid.connector);
      expect(await statusOf(paid)).toBe("PROCESSED");
    });
    expect(sent.filter((reference) => reference === paid.reference)).toHaveLength(1);
  });
});
