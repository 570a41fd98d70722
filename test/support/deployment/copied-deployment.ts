import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import { decodeConnectorId, type OwnedId } from "#modules/payments/core/ids.ts";
import { createInitiation } from "#modules/payments/initiations/create.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { refreshConnector, wakeMovements } from "#modules/payments/movements/wake.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { fromMillis } from "#platform/time.ts";
import { arm, armingState } from "#test/support/deployment/arming.ts";
import { withAccounts } from "#test/support/payments/bankingcircle.ts";
import { polled } from "#test/support/payments/installs.ts";
import { api, freshName, token } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { BANKINGCIRCLE_CONFIG, FakeBankingCircle } from "#test/support/psp/bankingcircle.ts";
import { CURRENCYCLOUD_CONFIG, FakeCurrencycloud } from "#test/support/psp/currencycloud.ts";
import type { FakePsp } from "#test/support/psp/fake-psp.ts";
import { FakeMangopay, MANGOPAY_CONFIG } from "#test/support/psp/mangopay.ts";

export const REVIEWS = "/api/florin/v1/payments/reviews";
export const SCOPES = "florin:operate payments:read payments:write";
const context = systemContext(env, "test");

/** A provider with two accounts, between which money is transferred. */
export interface PayingProvider<P extends FakePsp = FakePsp> {
  readonly psp: P;
  readonly config: object;
  readonly accounts: readonly [string, string];
}

const nowMs = (): number => Date.now();

/** Is asked by the reference of an order. */
export function currencycloud(): PayingProvider<FakeCurrencycloud> {
  const psp = new FakeCurrencycloud();
  const accounts = [psp.addAccount(), psp.addAccount()] as const;
  const created_at = new Date(nowMs()).toISOString();
  psp.answered = { status: "completed", created_at };
  return { psp, accounts, config: CURRENCYCLOUD_CONFIG };
}

/** Lists all movements with their references. */
export function mangopay(): PayingProvider<FakeMangopay> {
  const psp = new FakeMangopay();
  const user = psp.addUser();
  const accounts = [psp.addWallet(user), psp.addWallet(user)] as const;
  psp.answered = { CreationDate: Math.floor(nowMs() / 1000) };
  return { psp, accounts, config: MANGOPAY_CONFIG };
}

/** Shows no reference anywhere. */
export function bankingcircle(): PayingProvider<FakeBankingCircle> {
  const psp = withAccounts(new FakeBankingCircle());
  const latestStatusChangedTimestamp = new Date(nowMs()).toISOString();
  psp.answered = { status: "Processed", classification: "Own", latestStatusChangedTimestamp };
  return { psp, accounts: ["account-1", "account-2"], config: BANKINGCIRCLE_CONFIG };
}

/** Installs a connector of a provider, whose accounts are then known. */
async function install(provider: string, { psp, config }: PayingProvider): Promise<string> {
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
    const request = new Request(input, init);
    return psp.fetch(request.url, init ?? {});
  });
  const response = await api(`/api/payments/v3/connectors/install/${provider}`, {
    body: { provider, name: freshName(provider), pollingPeriod: "24h", ...config },
  });
  expect(response.status).toBe(202);
  const { data } = await response.json<{ data: string }>();
  await polled(data);
  return data;
}

export const statusOf = async (id: OwnedId): Promise<string> =>
  (await getInitiation(context, id)).state.status;

const untilPaid = (id: OwnedId): Promise<void> =>
  eventually(async () => {
    await wakeMovements(context, id.connector);
    expect(await statusOf(id)).toBe("PROCESSED");
  });

/** Waits until the look-up of the only connector that is armed has ended. */
const untilArmed = (reference: string): Promise<void> =>
  eventually(async () => {
    await refreshConnector(context, reference);
    expect(await armingState()).toMatchObject({ connectors: [{ phase: "armed" }] });
  });

/** A deployment with transfers that were not final at the moment of its backup. */
export class CopiedDeployment {
  readonly connectorID: string;
  readonly #provider: PayingProvider;

  private constructor(connectorID: string, provider: PayingProvider) {
    this.connectorID = connectorID;
    this.#provider = provider;
  }

  static async open(name: string, provider: PayingProvider): Promise<CopiedDeployment> {
    return new CopiedDeployment(await install(name, provider), provider);
  }

  /** Orders a transfer of ten minutes ago: one that waits for its approval, or one that is on its way and due in half an hour. */
  async order(more: { readonly isSent: boolean }): Promise<OwnedId> {
    const connector = present(decodeConnectorId(this.connectorID), "it is installed");
    const [source, destination] = this.#provider.accounts;
    const { id } = await createInitiation(context, {
      connector,
      reference: crypto.randomUUID(),
      description: "rent",
      type: "TRANSFER",
      amount: 1050n,
      asset: "EUR/2",
      source: { connector, reference: source },
      destination: { connector, reference: destination },
      metadata: {},
      scheduledAt: fromMillis(nowMs() + 1_800_000),
      ...more,
    });
    await env.DB.prepare("UPDATE payment_initiations SET created_at = ? WHERE reference = ?")
      .bind(fromMillis(nowMs() - 600_000), id.reference)
      .run();
    return id;
  }

  /** Lets half an hour pass for each of the orders in turn, until it is paid: the providers know one login at a time. */
  async pay(...ids: readonly OwnedId[]): Promise<void> {
    for (const id of ids) {
      await env.DB.prepare(
        "UPDATE payment_movements SET due_at = ? WHERE initiation_key = (SELECT key FROM payment_initiations WHERE reference = ?)",
      )
        .bind(fromMillis(nowMs()), id.reference)
        .run();
      await untilPaid(id);
    }
  }

  /** Arms the connector of the copy, and waits for the end of its look-up. The minute after the arming has passed. */
  async arm(): Promise<void> {
    const { connectorID } = this;
    await arm({ originalIsStopped: true, connectorID });
    await env.DB.prepare("UPDATE payment_lookups SET began_at = ?")
      .bind(fromMillis(nowMs() - 61_000))
      .run();
    await untilArmed(present(decodeConnectorId(connectorID), "it is installed").reference);
  }

  /** How often the provider was told to make an order. */
  timesSent({ reference }: OwnedId): number {
    const told = this.#provider.psp.requests.filter(
      ({ method, text }) => method === "POST" && text.includes(reference),
    );
    return told.length;
  }
}

interface ShownReviewBody {
  readonly id: string;
  readonly status: string;
  readonly paymentInitiationID: string;
}

/** The open reviews by the ids of their initiations. */
export async function openReviews(): Promise<Map<string, string>> {
  const response = await api(`${REVIEWS}?pageSize=100`, { token: await token(SCOPES) });
  const { cursor } = await response.json<{ cursor: { data: ShownReviewBody[] } }>();
  const open = cursor.data.filter(({ status }) => status === "open");
  return new Map(open.map(({ id, paymentInitiationID }) => [paymentInitiationID, id]));
}

/** The provider's references of the payments that may be that of an order under review. */
export async function candidatesOf(review: string): Promise<string[]> {
  const response = await api(`${REVIEWS}/${review}`, { token: await token(SCOPES) });
  const { data } = await response.json<{ data: { candidates: { reference: string }[] } }>();
  return data.candidates.map(({ reference }) => reference);
}
