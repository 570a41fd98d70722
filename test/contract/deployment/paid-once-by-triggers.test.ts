import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { sweepOccurrences } from "#modules/orchestration/triggers/firing/sweep.ts";
import { decodeConnectorId, encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { refreshConnector } from "#modules/payments/movements/wake.ts";
import { present } from "#platform/assert.ts";
import { arm, armForTheNextFile, disarm } from "#test/support/deployment/arming.ts";
import {
  bankingcircle,
  CopiedDeployment,
  openReviews,
  type PayingProvider,
} from "#test/support/deployment/copied-deployment.ts";
import { readCopiedRows, restoreRows } from "#test/support/deployment/copied-rows.ts";
import { EUR, flows, freshLedger, funded } from "#test/support/orchestration/sends.ts";
import { later, newTrigger, newWorkflow } from "#test/support/orchestration/triggers.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { FakeGeneric, GENERIC_ENDPOINT, GENERIC_KEY } from "#test/support/psp/generic.ts";

afterAll(armForTheNextFile);
beforeEach(armForTheNextFile);
afterEach(() => {
  vi.restoreAllMocks();
});

/** A workflow that answers a pay-in with a transfer between the accounts of a connector, and the trigger that starts it. */
async function answerPayIns(connectorID: string, { accounts }: PayingProvider): Promise<void> {
  const connector = present(decodeConnectorId(connectorID), "it is installed");
  const [source, destination] = accounts.map((reference) =>
    encodeOwnedId({ connector, reference }),
  );
  const ledger = await freshLedger("answers");
  const id = await funded(ledger, 10_000n);
  const target = { targetType: "ACCOUNT", targetId: id } as const;
  await new LedgerClient(flows.context, ledger).saveMetadata(
    target,
    { formanceAccountID: destination ?? "" },
    { idempotencyKey: undefined },
  );
  const payment = {
    psp: connector.provider,
    type: "TRANSFER",
    connectorId: connectorID,
    sourceAccount: source,
    waitingValidation: false,
  };
  const workflowID = await newWorkflow([
    {
      send: {
        source: { account: { id, ledger } },
        destination: { payment },
        amount: { amount: "1050", asset: EUR },
      },
    },
  ]);
  await newTrigger({ event: "SAVED_PAYMENT", workflowID, filter: 'event.type == "PAY-IN"' });
}

/** The transfer that the trigger has ordered, as soon as it has a status. */
const ordered = (connectorID: string, status: string): Promise<OwnedId> =>
  eventually(async () => {
    // An occurrence that came while the deployment was disarmed is looked at again some seconds later.
    await sweepOccurrences(later(60_000));
    const connector = present(decodeConnectorId(connectorID), "it is installed");
    const { results } = await env.DB.prepare(
      `SELECT reference, status FROM payment_initiations
      WHERE connector_key = (SELECT key FROM payment_connectors WHERE reference = ?)`,
    )
      .bind(connector.reference)
      .all<{ reference: string; status: string }>();
    expect(results).toMatchObject([{ status }]);
    return { connector, reference: results[0]?.reference ?? "" };
  });

/** Lets a connector fetch now. */
async function poll(connectorID: string): Promise<void> {
  const { reference } = present(decodeConnectorId(connectorID), "it is installed");
  await env.DB.prepare(
    "UPDATE payment_schedules SET next_at = created_at, version = version + 1 WHERE instance_key IS NULL",
  ).run();
  await refreshConnector(flows.context, reference);
}

/** A provider that gets a pay-in two minutes before the original is stopped, and after the moment of the backup. */
interface Receiver {
  readonly provider: PayingProvider;
  readonly receive: () => void;
  /** Lists the transfer of a reference, which the provider has made; absent for a provider that does so by itself. */
  readonly list?: (reference: string) => void;
}

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

function atGeneric(): Receiver {
  const psp = new FakeGeneric();
  const accounts = ["main", "savings"] as const;
  for (const id of accounts) psp.accounts.push({ id, createdAt: psp.tick() });
  const money = { currency: EUR, amount: "1050" };
  const receive = () =>
    psp.addTransaction("pay-in", { ...money, createdAt: secondsAgo(120).toISOString() });
  const list = (relatedTransactionID: string) => {
    const createdAt = secondsAgo(86_400).toISOString();
    psp.addTransaction("out", { ...money, type: "TRANSFER", relatedTransactionID, createdAt });
  };
  const config = { apiKey: GENERIC_KEY, endpoint: GENERIC_ENDPOINT };
  return { provider: { psp, accounts, config }, receive, list };
}

function atBankingCircle(): Receiver {
  const provider = bankingcircle();
  const receive = () =>
    void provider.psp.addPayment({
      classification: "Incoming",
      latestStatusChangedTimestamp: secondsAgo(120).toISOString(),
    });
  return { provider, receive };
}

describe("what a trigger of a deployment pays after its backup", () => {
  test.each([
    ["generic", "is found in its list", { open: atGeneric, status: "PROCESSED", reviews: 0 }],
    [
      "bankingcircle",
      "waits for a person",
      { open: atBankingCircle, status: "PROCESSING", reviews: 1 },
    ],
  ])(
    "what a trigger of a deployment pays after its backup for a pay-in is paid once, although the copy polls the pay-in again: at %s, it %s",
    async (name, _what, { open, status, reviews }) => {
      const { provider, receive, list } = open();
      const deployment = await CopiedDeployment.open(name, provider);
      const { connectorID } = deployment;
      await answerPayIns(connectorID, provider);
      const backup = await readCopiedRows();
      receive();
      await poll(connectorID);
      const paid = await ordered(connectorID, "PROCESSED");
      expect(deployment.timesSent(paid)).toBe(1);
      list?.(paid.reference);
      await disarm({ reason: "restored" });
      await restoreRows(backup);

      await deployment.arm();
      await arm({ originalIsStopped: true });
      expect(await ordered(connectorID, status)).toEqual(paid);
      await eventually(async () => expect((await openReviews()).size).toBe(reviews));
      expect(deployment.timesSent(paid)).toBe(1);
    },
  );
});
