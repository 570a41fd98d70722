import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../lib/client.ts";
import type { Check } from "./checks.ts";
import {
  AccountAnswer,
  BookingAnswer,
  PaymentAccountPage,
  PaymentPage,
  PoolBalances,
} from "./wire.ts";

/** A schema with the single template that mirrors payments: Florin passes the paying and the paid account. */
const SCHEMA = {
  chart: {
    world: {},
    payments: {
      additionalProperties: {
        $connector: {
          dotPattern: "^.+$",
          additionalProperties: { $account: { dotPattern: "^.+$" } },
        },
      },
    },
  },
  transactions: {
    mirror: {
      description: "What an adjustment of a payment moves",
      script:
        "vars {\n  monetary $amount\n  account $from\n  account $to\n}\nsend $amount (\n  source = $from allowing unbounded overdraft\n  destination = $to\n)",
    },
  },
};

/** The payout: its amount in minor units, and its accounts. */
const PAYOUT = { amount: 12_345, asset: "EUR/2", source: "main-eur", destination: "landlord" };
/** Longest time for a cycle, or for a movement of money, in milliseconds. */
const PATIENCE_MS = 120_000;
const POLL_MS = 500;

/** Installs a provider, moves money through it, books all its payments, and compares ledger and provider. */
export async function playPayments(
  client: Client,
  { name, print }: { readonly name: string; readonly print: (line: string) => void },
): Promise<Check> {
  const chapter = new PaymentsChapter(client, name, print);
  await chapter.install();
  return chapter.play();
}

class PaymentsChapter {
  readonly #client: Client;
  readonly #name: string;
  readonly #print: (line: string) => void;
  #connectorId = "";

  constructor(client: Client, name: string, print: (line: string) => void) {
    this.#client = client;
    this.#name = name;
    this.#print = print;
  }

  get #v3() {
    return this.#client.sdk.payments.v3;
  }

  async install(): Promise<void> {
    const { v3InstallConnectorResponse: installed } = await this.#v3.installConnector({
      connector: "dummypay",
      v3ConnectorConfig: {
        provider: "Dummypay",
        name: this.#name,
        directory: this.#name,
        pollingPeriod: "30m",
      },
    });
    this.#connectorId = installed?.data ?? "";
  }

  async play(): Promise<Check> {
    await this.#firstCycle();
    const { internal, external } = await this.#accounts();
    const pool = await this.#pool(internal.map(({ id }) => id));
    const idOf = (reference: string): string =>
      [...internal, ...external].find((account) => account.reference === reference)?.id ?? "";
    const initiation = await this.#payOut(idOf(PAYOUT.source), idOf(PAYOUT.destination));
    await this.#reverse(initiation);
    const booked = await this.#book();
    const provider = await this.#balancesOf(pool);
    const ledger = await this.#bookedBalances(internal.map(({ reference }) => reference));
    const differences = [...new Set([...provider.keys(), ...ledger.keys()])].flatMap((asset) => {
      const [there, here] = [provider.get(asset) ?? 0n, ledger.get(asset) ?? 0n];
      return there === here ? [] : [`${asset}: ${there} at the provider, ${here} in the ledger`];
    });
    return {
      title: `${booked} states of payments are booked, and the ledger has what the provider has, to the cent`,
      differences,
    };
  }

  /** Waits until the accounts and payments of the provider are imported. */
  async #firstCycle(): Promise<void> {
    let counts = "";
    await this.#until("the first cycle", async () => {
      const accounts = (await this.#accountPage()).length;
      const payments = (await this.#paymentPage()).length;
      const now = `${accounts} accounts, ${payments} payments`;
      const isSame = now === counts;
      if (!isSame) this.#print(`  the provider has ${now} so far`);
      counts = now;
      return isSame && accounts > 0 && payments > 0;
    });
  }

  async #accounts() {
    const accounts = await this.#accountPage();
    const internal = accounts.filter(({ type }) => type === "INTERNAL");
    return { internal, external: accounts.filter(({ type }) => type === "EXTERNAL") };
  }

  async #accountPage() {
    const path = `/api/payments/v3/accounts?${this.#ofConnector()}`;
    return (await this.#client.get(path, PaymentAccountPage)).cursor.data;
  }

  async #paymentPage() {
    const path = `/api/payments/v3/payments?${this.#ofConnector()}`;
    return (await this.#client.get(path, PaymentPage)).cursor.data;
  }

  #ofConnector(): string {
    const filter = JSON.stringify({ $match: { connector_id: this.#connectorId } });
    return `pageSize=1000&query=${encodeURIComponent(filter)}`;
  }

  async #pool(accountIDs: string[]): Promise<string> {
    const { v3CreatePoolResponse: pool } = await this.#v3.createPool({
      name: this.#name,
      accountIDs,
    });
    this.#print(`  a pool has ${accountIDs.length} accounts`);
    return pool?.data ?? "";
  }

  /** Makes a payout in two steps, an initiation and its approval. Returns the id of the initiation. */
  async #payOut(sourceAccountID: string, destinationAccountID: string): Promise<string> {
    const { amount, asset } = PAYOUT;
    const { v3InitiatePaymentResponse: asked } = await this.#v3.initiatePayment({
      v3InitiatePaymentRequest: {
        reference: `${this.#name}-payout`,
        connectorID: this.#connectorId,
        description: "Rent",
        type: "PAYOUT",
        amount: BigInt(amount),
        asset,
        sourceAccountID,
        destinationAccountID,
        scheduledAt: new Date(),
      },
    });
    const paymentInitiationID = asked?.data.paymentInitiationID ?? "";
    const { v3ApprovePaymentInitiationResponse: approved } =
      await this.#v3.approvePaymentInitiation({ paymentInitiationID });
    await this.#finished("the payout", approved?.data.taskID ?? "");
    return paymentInitiationID;
  }

  async #reverse(paymentInitiationID: string): Promise<void> {
    const { amount, asset } = PAYOUT;
    const { v3ReversePaymentInitiationResponse: reversed } =
      await this.#v3.reversePaymentInitiation({
        paymentInitiationID,
        v3ReversePaymentInitiationRequest: {
          reference: `${this.#name}-reversal`,
          description: "Sent back",
          amount: BigInt(amount),
          asset,
          metadata: {},
        },
      });
    await this.#finished("its reversal", reversed?.data.taskID ?? "");
  }

  async #finished(what: string, taskID: string): Promise<void> {
    await this.#until(what, async () => {
      const { v3GetTaskResponse: task } = await this.#v3.getTask({ taskID });
      if (task?.data.status === "FAILED") throw new Error(`${what} failed: ${task.data.error}`);
      return task?.data.status === "SUCCEEDED";
    });
    this.#print(`  ${what} has succeeded`);
  }

  /** Books all payments in a ledger of their own. Returns the number of booked adjustments. */
  async #book(): Promise<number> {
    const { v2 } = this.#client.sdk.ledger;
    const ledger = this.#ledger;
    await v2.createLedger({ ledger, v2CreateLedgerRequest: {} });
    await v2.insertSchema({ ledger, version: "v1", v2SchemaData: SCHEMA });
    const path = "/api/florin/v1/payments/bookings";
    const body = {
      connectorID: this.#connectorId,
      ledger,
      schemaVersion: "v1",
      template: "mirror",
    };
    const created = BookingAnswer.parse((await this.#client.send("POST", path, { body })).body);
    let booking = created.data;
    await this.#until("the booking", async () => {
      booking = (await this.#client.get(`${path}/${booking.id}`, BookingAnswer)).data;
      if (booking.failed > 0) throw new Error(`${booking.failed} payments could not be booked`);
      return booking.pending === 0;
    });
    return booking.booked;
  }

  get #ledger(): string {
    return `${this.#name}-payments`;
  }

  async #balancesOf(pool: string): Promise<ReadonlyMap<string, bigint>> {
    const path = `/api/payments/v3/pools/${pool}/balances/latest`;
    const { data } = await this.#client.get(path, PoolBalances);
    return new Map(data.map(({ asset, amount }) => [asset, amount]));
  }

  /** The sums of the accounts' balances in the ledger, by asset. */
  async #bookedBalances(references: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const sums = new Map<string, bigint>();
    const [, uuid = ""] = /"Reference":"([^"]+)"/.exec(decoded(this.#connectorId)) ?? [];
    for (const reference of references) {
      const address = `payments:dummypay-${uuid.slice(0, 8)}:${reference}`;
      const path = `/api/ledger/v2/${this.#ledger}/accounts/${address}?expand=volumes`;
      const { volumes = {} } = (await this.#client.get(path, AccountAnswer)).data;
      for (const [asset, { balance }] of Object.entries(volumes)) {
        sums.set(asset, (sums.get(asset) ?? 0n) + balance);
      }
    }
    return sums;
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const startedMs = performance.now();
    while (!(await holds())) {
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error(`${what} takes too long`);
      await delay(POLL_MS);
    }
  }
}

const decoded = (id: string): string => Buffer.from(id, "base64url").toString();
