import { z } from "zod";
import { ANY, Id, Named, pageOf, waitFor, WORLD } from "./facts.ts";
import type { Api } from "#scripts/lib/api.ts";

const SCHEMA = {
  chart: {
    world: {},
    payments: { $connector: { ".pattern": "^.+$", $account: { ".pattern": "^.+$" } } },
  },
  transactions: {
    mirror: {
      description: "What an adjustment of a payment moves",
      script:
        "vars {\n  monetary $amount\n  account $from\n  account $to\n}\nsend $amount (\n  source = $from allowing unbounded overdraft\n  destination = $to\n)",
    },
  },
};

/** The payments in the state of a release. */
export class PaymentsWorld {
  readonly #api: Api;
  #connectorID = "";
  #source = "";

  constructor(api: Api) {
    this.#api = api;
  }

  #post<S extends z.ZodType>(path: string, body: unknown, answer: S): Promise<z.output<S>> {
    return this.#api.call({ method: "POST", path, body, answer });
  }

  #get<S extends z.ZodType>(path: string, answer: S): Promise<z.output<S>> {
    return this.#api.call({ method: "GET", path, answer });
  }

  /**
   * Creates a connector whose accounts and payments are fetched, booked and summed up in a pool, a finished payout, and a payout that waits
   * for approval.
   */
  async write() {
    this.#connectorID = await this.#install();
    const { internal, external } = await this.#accounts();
    this.#source = internal[0] ?? "";
    const { data: poolID } = await this.#post(
      "/api/payments/v3/pools",
      { name: "treasury", accountIDs: internal },
      Id,
    );
    const [destination = ""] = external;
    await approve(this.#api, await this.#initiate("made", destination));
    const initiationID = await this.#initiate("waiting", destination);
    await this.#post(
      "/api/payments/v3/bank-accounts",
      { name: "Ada", iban: "DE89370400440532013000", country: "DE" },
      ANY,
    );
    return { connectorID: this.#connectorID, initiationID, poolID, bookingID: await this.#book() };
  }

  async #install(): Promise<string> {
    const { data } = await this.#post(
      "/api/payments/v3/connectors/install/dummypay",
      { provider: "Dummypay", name: "bank", directory: "release", pollingPeriod: "30m" },
      Id,
    );
    const health = `/api/florin/v1/payments/connectors/${data}/health`;
    const Health = z.object({
      data: z.object({ schedules: z.array(z.object({ lastSuccessAt: z.string().optional() })) }),
    });
    await waitFor("the first run of the connector", async () => {
      const { schedules } = (await this.#get(health, Health)).data;
      const isDone = schedules.every(({ lastSuccessAt }) => lastSuccessAt !== undefined);
      return isDone && schedules.length > 0 ? true : undefined;
    });
    return data;
  }

  async #accounts(): Promise<{ internal: string[]; external: string[] }> {
    const Account = z.object({
      id: z.string(),
      type: z.string(),
      defaultAsset: z.string().nullish(),
    });
    const page = await this.#get("/api/payments/v3/accounts?pageSize=100", pageOf(Account));
    const idsOf = (wanted: string) =>
      page.cursor.data.flatMap(({ id, type, defaultAsset }) =>
        type === wanted && (defaultAsset ?? WORLD.asset) === WORLD.asset ? [id] : [],
      );
    return { internal: idsOf("INTERNAL"), external: idsOf("EXTERNAL") };
  }

  async #initiate(reference: string, destinationAccountID: string): Promise<string> {
    const { data } = await this.#post(
      "/api/payments/v3/payment-initiations",
      {
        reference,
        connectorID: this.#connectorID,
        description: "Rent",
        type: "PAYOUT",
        amount: 1234,
        asset: WORLD.asset,
        sourceAccountID: this.#source,
        destinationAccountID,
      },
      z.object({ data: z.object({ paymentInitiationID: z.string() }) }),
    );
    return data.paymentInitiationID;
  }

  async #book(): Promise<string> {
    const path = `/api/ledger/v2/${WORLD.mirror}`;
    await this.#post(path, {}, ANY);
    await this.#post(`${path}/schemas/v1`, SCHEMA, ANY);
    const bookings = "/api/florin/v1/payments/bookings";
    const request = {
      connectorID: this.#connectorID,
      ledger: WORLD.mirror,
      schemaVersion: "v1",
      template: "mirror",
    };
    const { data } = await this.#post(bookings, request, Named);
    const Booking = z.object({ data: z.object({ pending: z.int() }) });
    await waitFor("the booking", async () =>
      (await this.#get(`${bookings}/${data.id}`, Booking)).data.pending === 0 ? true : undefined,
    );
    return data.id;
  }
}

/** Approves an initiation, and waits until its money has moved. Throws if the payout fails. */
export async function approve(api: Api, initiation: string): Promise<void> {
  const path = `/api/payments/v3/payment-initiations/${initiation}`;
  await api.call({ method: "POST", path: `${path}/approve`, answer: ANY });
  const Initiation = z.object({ data: z.object({ status: z.string() }) });
  await waitFor("the payout", async () => {
    const { status } = (await api.call({ method: "GET", path, answer: Initiation })).data;
    if (status === "FAILED") throw new Error("the payout has failed");
    return status === "PROCESSED" ? true : undefined;
  });
}
