import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../lib/client.ts";
import type { Check } from "./checks.ts";
import { AccountAnswer, InitiationPage, Timeline, WalletAnswer } from "./wire.ts";

/** The amount of the order, in minor units. */
const AMOUNT = 4200n;
const ASSET = "EUR/2";
const ORDER = "42";
/** Longest time for a step of the server, in milliseconds. */
const PATIENCE_MS = 120_000;
const POLL_MS = 500;

/**
 * Plays a workflow that a paid order starts by a trigger: the money goes to the seller's wallet and, after the shipment of the order, from
 * the wallet to the seller's bank. Prints the timeline of the instance.
 */
export async function playOrchestration(
  client: Client,
  { name, print }: { readonly name: string; readonly print: (line: string) => void },
): Promise<Check> {
  const chapter = new OrchestrationChapter(client, name, print);
  await chapter.prepare();
  return chapter.play();
}

class OrchestrationChapter {
  readonly #client: Client;
  readonly #name: string;
  readonly #print: (line: string) => void;
  #connectorID = "";
  #walletID = "";
  #triggerID = "";

  constructor(client: Client, name: string, print: (line: string) => void) {
    this.#client = client;
    this.#name = name;
    this.#print = print;
  }

  get #ledger(): string {
    return `${this.#name}-orders`;
  }

  get #v2() {
    return this.#client.sdk.orchestration.v2;
  }

  /** Makes a ledger, a provider with two accounts, a wallet with one of the accounts, a workflow and its trigger. */
  async prepare(): Promise<void> {
    const { ledger, payments, wallets } = this.#client.sdk;
    await ledger.v2.createLedger({ ledger: this.#ledger, v2CreateLedgerRequest: {} });
    const installation = `${this.#name}-flows`;
    const { v3InstallConnectorResponse: installed } = await payments.v3.installConnector({
      connector: "dummypay",
      v3ConnectorConfig: {
        provider: "Dummypay",
        name: installation,
        directory: installation,
        pollingPeriod: "30m",
      },
    });
    this.#connectorID = installed?.data ?? "";
    const sourceAccount = await this.#account("marketplace", "INTERNAL");
    const formanceAccountID = await this.#account("seller", "EXTERNAL");
    const { createWalletResponse: wallet } = await wallets.v1.createWallet({
      createWalletRequest: { name: `${this.#name}-seller`, metadata: { formanceAccountID } },
    });
    this.#walletID = wallet?.data.id ?? "";
    await this.#trigger(await this.#workflow(sourceAccount));
  }

  async #account(reference: string, type: "INTERNAL" | "EXTERNAL"): Promise<string> {
    const { v3CreateAccountResponse: created } = await this.#client.sdk.payments.v3.createAccount({
      reference,
      accountName: reference,
      connectorID: this.#connectorID,
      type,
      metadata: {},
      createdAt: new Date(Date.now() - 60_000),
    });
    return created?.data.id ?? "";
  }

  async #workflow(sourceAccount: string): Promise<string> {
    const amount = { amount: "${amount}", asset: ASSET };
    const wallet = { id: this.#walletID };
    const payment = {
      psp: "dummypay",
      type: "PAYOUT",
      connectorId: this.#connectorID,
      sourceAccount,
    };
    const { v2CreateWorkflowResponse: created } = await this.#v2.createWorkflow({
      name: "settle-order",
      stages: [
        {
          send: {
            source: { account: { id: "orders:${order}", ledger: this.#ledger } },
            destination: { wallet },
            amount,
          },
        },
        { wait_event: { event: "order.${order}.shipped" } },
        { send: { source: { wallet }, destination: { payment }, amount } },
      ],
    });
    return created?.data.id ?? "";
  }

  async #trigger(workflowID: string): Promise<void> {
    const { v2CreateTriggerResponse: created } = await this.#v2.createTrigger({
      name: "an order is paid",
      event: "COMMITTED_TRANSACTIONS",
      workflowID,
      filter: `event.ledger == "${this.#ledger}" && any(event.transactions, any(.postings, .destination startsWith "orders:"))`,
      vars: {
        order: "event.transactions[0].metadata.order",
        amount: "event.transactions[0].postings[0].amount",
      },
    });
    this.#triggerID = created?.data.id ?? "";
  }

  async play(): Promise<Check> {
    await this.#payOrder();
    const instanceID = await this.#started();
    await this.#until("the first stage", async () => (await this.#stages(instanceID)) === 2);
    await this.#v2.sendEvent({
      instanceID,
      requestBody: { name: `order.${ORDER}.shipped` },
    });
    await this.#until("the workflow", async () => {
      const { v2GetWorkflowInstanceResponse: found } = await this.#v2.getInstance({ instanceID });
      if (found?.data.error !== undefined) throw new Error(`it has failed: ${found.data.error}`);
      return found?.data.terminated === true;
    });
    await this.#printTimeline(instanceID);
    return this.#check(instanceID);
  }

  async #payOrder(): Promise<void> {
    const posting = {
      source: "world",
      destination: `orders:${ORDER}`,
      amount: AMOUNT,
      asset: ASSET,
    };
    const { status } = await this.#client.send(
      "POST",
      `/api/ledger/v2/${this.#ledger}/transactions`,
      { body: { postings: [posting], metadata: { order: ORDER } } },
    );
    if (status !== 200) throw new Error(`the order could not be paid: ${status}`);
  }

  /** The instance that the trigger has started. */
  async #started(): Promise<string> {
    let instance: string | undefined;
    await this.#until("the trigger", async () => {
      const { v2ListTriggersOccurrencesResponse: found } = await this.#v2.listTriggersOccurrences({
        triggerID: this.#triggerID,
      });
      instance = found?.cursor.data[0]?.workflowInstanceID;
      return instance !== undefined;
    });
    this.#print("  a paid order has started a workflow");
    return instance ?? "";
  }

  async #stages(instanceID: string): Promise<number> {
    const { v2GetWorkflowInstanceResponse: found } = await this.#v2.getInstance({ instanceID });
    return found?.data.status?.length ?? 0;
  }

  async #printTimeline(instanceID: string): Promise<void> {
    const path = `/api/florin/v1/instances/${instanceID}/timeline`;
    for (const { at, kind, stage, data } of (await this.#client.get(path, Timeline)).data) {
      const { name, ledger, transaction, wallet, paymentInitiation } = data;
      const where = stage === undefined ? "" : `stage ${stage}  `;
      const what = [
        name,
        transaction === undefined ? undefined : `transaction ${transaction} of ${ledger}`,
        wallet === undefined ? undefined : `wallet ${wallet}`,
        paymentInitiation === undefined ? undefined : "a payout",
      ].filter((part) => part !== undefined);
      this.#print(
        `    ${at.slice(11, 23).replace("Z", "").padEnd(12)}  ${where}${kind} ${what.join(", ")}`.trimEnd(),
      );
    }
  }

  /** Checks that the order and the wallet are empty again, and that the seller got the money once. */
  async #check(instanceID: string): Promise<Check> {
    const account = `/api/ledger/v2/${this.#ledger}/accounts/orders:${ORDER}?expand=volumes`;
    const { volumes = {} } = (await this.#client.get(account, AccountAnswer)).data;
    const wallet = await this.#client.get(`/api/wallets/wallets/${this.#walletID}`, WalletAnswer);
    const paid = await this.#paidOut(instanceID);
    const balances = {
      "the order": volumes[ASSET]?.balance ?? 0n,
      "the wallet": wallet.data.balances.main.assets[ASSET] ?? 0n,
      "the payouts, less the order": paid - AMOUNT,
    };
    const differences = Object.entries(balances).flatMap(([what, balance]) =>
      balance === 0n ? [] : [`${what}: ${balance}, and not 0`],
    );
    return { title: "a paid order has gone to the seller's bank by itself, once", differences };
  }

  /** The amount that the payouts of the instance have moved. */
  async #paidOut(instanceID: string): Promise<bigint> {
    let paid = 0n;
    await this.#until("the payout", async () => {
      const filter = JSON.stringify({ $match: { connector_id: this.#connectorID } });
      const path = `/api/payments/v3/payment-initiations?query=${encodeURIComponent(filter)}`;
      const { data } = (await this.#client.get(path, InitiationPage)).cursor;
      const own = data.filter(({ reference }) => reference.startsWith(instanceID));
      paid = own.reduce((sum, { amount }) => sum + amount, 0n);
      return own.length > 0 && own.every(({ status }) => status === "PROCESSED");
    });
    return paid;
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const startedMs = performance.now();
    while (!(await holds())) {
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`${what} takes too long`);
      await delay(POLL_MS);
    }
  }
}
