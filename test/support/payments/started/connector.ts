import { expect } from "vitest";
import type { StartedPayments } from "./server.ts";
import { decodeConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import { present } from "#platform/assert.ts";
import type { Sent } from "#test/support/payments/conformance/subject.ts";
import type { Health } from "#test/support/payments/installs.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { deliver } from "#test/support/psp/psp-server.ts";

type V3 = StartedPayments["sdk"]["payments"]["v3"];

/** A notification of a provider, with the URL to which it is sent. */
export interface Notification {
  readonly url: string;
  readonly sent: Sent;
}

/** A payout that a client asks for. */
export interface PayoutRequest {
  readonly reference: string;
  readonly amount: bigint;
  /** The references of the accounts at the provider. */
  readonly source: string;
  readonly destination: string;
}

/** A connector of a started server, whose payments are booked in a ledger of its own. */
export class StartedConnector {
  readonly started: StartedPayments;
  readonly id: string;
  readonly ledger: string;

  private constructor(started: StartedPayments, id: string, ledger: string) {
    this.started = started;
    this.id = id;
    this.ledger = ledger;
  }

  /** Installs the connector through the official client. */
  static async install(
    started: StartedPayments,
    request: Parameters<V3["installConnector"]>[0],
  ): Promise<StartedConnector> {
    const { v3InstallConnectorResponse: installed } =
      await started.sdk.payments.v3.installConnector(request);
    const { data: id } = present(installed, "it is installed");
    await started.bookInto(request.connector, id);
    return new StartedConnector(started, id, request.connector);
  }

  get v3(): V3 {
    return this.started.sdk.payments.v3;
  }

  async accounts() {
    return (await this.v3.listAccounts({})).v3AccountsCursorResponse?.cursor.data ?? [];
  }

  async payments() {
    return (await this.v3.listPayments({})).v3PaymentsCursorResponse?.cursor.data ?? [];
  }

  /** The account with a reference of the provider. */
  async account(reference: string) {
    const accounts = await this.accounts();
    const found = accounts.find((account) => account.reference === reference);
    return present(found, `the account ${reference} is known`);
  }

  /** The payment with a reference of the provider, with its adjustments. */
  async payment(reference: string) {
    const payments = await this.payments();
    const found = payments.find((payment) => payment.reference === reference);
    const { id: paymentID } = present(found, `the payment ${reference} is known`);
    const { v3GetPaymentResponse: payment } = await this.v3.getPayment({ paymentID });
    return present(payment, "it is there").data;
  }

  async statusOf(paymentInitiationID: string): Promise<string | undefined> {
    const { v3GetPaymentInitiationResponse: read } = await this.v3.getPaymentInitiation({
      paymentInitiationID,
    });
    return read?.data.status;
  }

  /** The health of the connector's schedules. */
  async schedules(): Promise<Health["schedules"]> {
    const path = `/api/florin/v1/payments/connectors/${this.id}/health`;
    const { data } = (await this.started.server.json(path)) as { data: Health }; // the schema of the answer has this shape
    return data.schedules;
  }
}

/** Waits until an account has a balance in an asset. */
export async function expectBalance(
  connector: StartedConnector,
  { reference, balance, asset }: { reference: string; balance: bigint; asset: string },
): Promise<void> {
  const { id: accountID } = await connector.account(reference);
  await eventually(async () => {
    const { v3BalancesCursorResponse: list } = await connector.v3.getAccountBalances({ accountID });
    expect(list?.cursor.data).toMatchObject([{ balance, asset }]);
  });
}

/**
 * Delivers a notification that changes a payment, after all forms of it that are not genuine were refused: forged, for an
 * unknown path, and for an unknown connector. A repeated delivery changes nothing.
 */
export async function expectChange(
  connector: StartedConnector,
  { url, sent }: Notification,
  { forged, changed }: { readonly forged: Sent; readonly changed: () => Promise<void> },
): Promise<void> {
  const { id, started } = connector;
  const before = await atRest(connector);
  expect(await deliver(url, forged)).toBe(401);
  expect(await deliver(`${url}/more`, sent)).toBe(404);
  expect(await deliver(url.replace(id, unknownLike(id)), sent)).toBe(404);
  expect(started.countRows()).toEqual(before);

  expect(await deliver(url, sent)).toBe(200);
  await eventually(changed);
  const after = await atRest(connector);
  expect(await deliver(url, sent)).toBe(200);
  expect(started.countRows()).toEqual(after);
}

/** The numbers of rows and events when no work is left: all schedules wait for their next time, and no job remains. */
const atRest = (connector: StartedConnector): Promise<Readonly<Record<string, unknown>>> =>
  eventually(async () => {
    for (const schedule of await connector.schedules()) {
      expect(schedule).toHaveProperty("lastSuccessAt");
      expect(schedule.status).toBe("waiting");
    }
    const rows = connector.started.countRows();
    expect(rows["payment_jobs"]).toBe(0);
    return rows;
  });

/** Creates a payout, approves it, and waits until the provider has made it; returns its payment. */
export async function payOut(
  connector: StartedConnector,
  { reference, amount, source, destination }: PayoutRequest,
): Promise<{ readonly paymentInitiationID: string; readonly reference: string }> {
  const { v3InitiatePaymentResponse: initiated } = await connector.v3.initiatePayment({
    v3InitiatePaymentRequest: {
      reference,
      connectorID: connector.id,
      description: "march",
      type: "PAYOUT",
      amount,
      asset: "EUR/2",
      sourceAccountID: (await connector.account(source)).id,
      destinationAccountID: (await connector.account(destination)).id,
      scheduledAt: new Date(),
    },
  });
  const { paymentInitiationID = "" } = initiated?.data ?? {};
  expect(await connector.statusOf(paymentInitiationID)).toBe("WAITING_FOR_VALIDATION");
  await connector.v3.approvePaymentInitiation({ paymentInitiationID });
  const related = await eventually(async () => {
    const { v3PaymentInitiationRelatedPaymentsCursorResponse: listed } =
      await connector.v3.listPaymentInitiationRelatedPayments({ paymentInitiationID });
    return present(listed?.cursor.data[0], "the payment is related");
  });
  expect(related).toMatchObject({ status: "PENDING", type: "PAYOUT", amount });
  expect(await connector.statusOf(paymentInitiationID)).toBe("PROCESSING");
  return { paymentInitiationID, reference: related.reference };
}

/** Waits until signed events of the given types were delivered. */
export async function expectEvents(
  { started, id }: StartedConnector,
  types: readonly string[],
): Promise<void> {
  await eventually(() => {
    for (const type of types) expect([...started.receivedTypes(id)]).toContain(`payments.${type}`);
  });
  expect(started.receiver.deliveries.every(({ isSigned }) => isSigned)).toBe(true);
}

/** Waits until the accounts of the ledger have the given balances, by their references at the provider. */
export async function expectBooked(
  { started, ledger }: StartedConnector,
  expected: Readonly<Record<string, Record<string, number>>>,
): Promise<void> {
  await eventually(async () => {
    const balances = Object.entries(await started.balancesOf(ledger));
    // The address of a booked account ends with its reference.
    const booked = balances.map(([address, amounts]) => [address.split(":").at(-1), amounts]);
    expect(Object.fromEntries(booked)).toEqual(expected);
  });
}

/** Uninstalls the connector. Signed notifications from before then change nothing any more. */
export async function expectRemoval(
  { v3, id, started }: StartedConnector,
  { url, sent }: Notification,
): Promise<void> {
  const { v3UninstallConnectorResponse: task } = await v3.uninstallConnector({ connectorID: id });
  expect(await deliver(url, sent)).toBe(404);
  await eventually(async () => {
    const { v3GetTaskResponse: read } = await v3.getTask({ taskID: task?.data.taskID ?? "" });
    expect(read?.data.status).toBe("SUCCEEDED");
  });
  const before = started.countRows();
  expect(await deliver(url, sent)).toBe(404);
  expect(started.countRows()).toEqual(before);
}

/** The id of a connector of this kind that was never installed. */
function unknownLike(id: string): string {
  const { provider } = present(decodeConnectorId(id), "it is the id of a connector");
  return encodeConnectorId({ provider, reference: crypto.randomUUID() });
}
