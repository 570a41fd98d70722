import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { dataOf, newLedger, pageOf, pay } from "#test/support/reconciliation/books.ts";
import { newSource } from "#test/support/reconciliation/sources.ts";

export const MATCHINGS = "/api/florin/v1/reconciliation/matchings";

export interface RunView {
  readonly id: number;
  readonly state: string;
  readonly phase: string;
  readonly collected: { readonly left: number; readonly right: number };
  readonly matched: number;
  readonly proposed: number;
  readonly open: number;
  readonly error?: string;
}

export interface GroupView {
  readonly id: number;
  readonly state: string;
  readonly pass: string;
}

export interface LineView {
  readonly id: number;
  readonly side: string;
  readonly sourceLineID: string;
  readonly state: string;
  readonly amount: number | bigint;
  readonly breakClass?: string;
}

interface Booking {
  /** By default a day of 2026-02. */
  readonly timestamp?: string;
  readonly amount?: bigint | number;
  readonly asset?: string;
}

const SIDES = ["left", "right"] as const;
export type Side = (typeof SIDES)[number];

/** A matching of the accounts `bank` of two ledgers. */
export class TestMatching {
  readonly id: string;
  readonly ledgers: Readonly<Record<Side, string>>;

  constructor(id: string, ledgers: Readonly<Record<Side, string>>) {
    this.id = id;
    this.ledgers = ledgers;
  }

  get path(): string {
    return `${MATCHINGS}/${this.id}`;
  }

  /** Books what has a reference on each of some sides. */
  async book(sides: readonly Side[], reference: string, booking: Booking = {}): Promise<void> {
    const { timestamp = "2026-02-10T12:00:00Z", amount = 1000n, asset = "EUR/2" } = booking;
    const metadata = reference === "" ? undefined : { reference };
    for (const side of sides)
      await pay(this.ledgers[side], {
        to: "bank",
        amount,
        asset,
        timestamp,
        ...(metadata === undefined ? {} : { metadata }),
      });
  }

  async start(): Promise<RunView> {
    return dataOf<RunView>(await api(`${this.path}/runs`, { method: "POST" }), 202);
  }

  /** Runs, and waits for the end. */
  async run(): Promise<RunView> {
    const { id } = await this.start();
    return eventually(async () => {
      const run = await dataOf<RunView>(await api(`${this.path}/runs/${id}`));
      if (run.state === "done" || run.state === "failed") return run;
      throw new Error(`the run is ${run.state}: ${run.phase}`);
    });
  }

  async groups(filter = ""): Promise<readonly GroupView[]> {
    return (await pageOf<GroupView>(await api(`${this.path}/groups?${filter}`))).data;
  }

  async lines(filter = ""): Promise<readonly LineView[]> {
    return (await pageOf<LineView>(await api(`${this.path}/lines?${filter}`))).data;
  }

  decide(group: number, what: string, body: object = {}): Promise<Response> {
    return api(`${this.path}/groups/${group}/${what}`, { body });
  }
}

/** The source of the account `bank` of a ledger. Its lines have the metadata `reference` as their end-to-end id. */
export const bankOf = async (ledger: string): Promise<string> => {
  const fields = { kind: "accounts", ledger, account: "bank" };
  return (await newSource({ ...fields, references: { endToEndId: "reference" } })).id;
};

/** A new matching of two new ledgers, without lines. The right one may have a bucket of its own. */
export async function newMatching(fields: object = {}, bucket?: string): Promise<TestMatching> {
  const ledgers = { left: await newLedger(), right: freshName("books") };
  const body = bucket === undefined ? {} : { bucket };
  await api(`/api/ledger/v2/${ledgers.right}`, { body });
  const request = {
    name: freshName("matching"),
    leftSourceID: await bankOf(ledgers.left),
    rightSourceID: await bankOf(ledgers.right),
    period: { from: "2026-01-01" },
    ...fields,
  };
  const { id } = await dataOf<{ id: string }>(await api(MATCHINGS, { body: request }), 201);
  return new TestMatching(id, ledgers);
}
