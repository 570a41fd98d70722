import { Random } from "../lib/random.ts";
import { Books } from "./books.ts";
import {
  amountIn,
  bankOf,
  CUSTOMER_NAMES,
  FEES,
  type Merchant,
  MERCHANTS,
  POINTS,
  REWARDS,
  salesOf,
  splitPrice,
  TAX_OFFICE,
  TAXES,
  tipsOf,
  TREASURY,
  walletOf,
  WORLD,
} from "./market.ts";
import type { Commit, Hour, Plan, PlannedTransaction, Posting, Request, Step } from "./plan.ts";

/**
 * Plans a day on a marketplace: customers top up, order, tip and get refunds, and in the end merchants, platform and tax office are paid.
 */
export const planDay = (seed: number): Plan => ({ hours: new DayPlanner(seed).plan() });

const FIRST_HOUR = 8;
const LAST_HOUR = 19;
const ORDERS_PER_HOUR = 88;
const OVERDRAFTS_PER_HOUR = 3;
const REFUNDS_PER_HOUR = 5;
const SHIPMENTS_PER_HOUR = 6;
/** The share of sales that a shop's terminal sends in a bulk, with the times at which they were made. */
const TERMINAL_SHARE = 0.4;
const TIP_SHARE = 0.12;
const REWARD_SHARE = 0.1;
/** The share of commits that are sent twice with one idempotency key. */
const REPEAT_SHARE = 0.06;
/** Largest top-up, as a multiple of the amount that the customer lacks. */
const TOP_UP_FACTOR_MAX = 4;

interface Order {
  readonly reference: string;
  readonly customer: string;
  readonly merchant: Merchant;
  readonly price: bigint;
  /** The tip; 0 for none. */
  readonly tip: bigint;
}

/**
 * Writes the plan hour by hour and keeps books of its own. Within an hour, money comes in before it is spent, and earnings stay until the
 * closing. Only intended requests are therefore overdrafts, whatever the order of a phase's requests.
 */
class DayPlanner {
  readonly #random: Random;
  readonly #books = new Books();
  readonly #refundable: Order[] = [];
  #references = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  plan(): Hour[] {
    const hours = Array.from({ length: LAST_HOUR - FIRST_HOUR + 1 }, (_, index) =>
      this.#businessHour(FIRST_HOUR + index),
    );
    return [this.#opening(), ...hours, this.#closing()];
  }

  /** Issues points and introduces merchants. */
  #opening(): Hour {
    const issue = this.#commit("issue", [
      { source: WORLD, destination: REWARDS, amount: POINTS.issued, asset: POINTS.asset },
    ]);
    const introductions = MERCHANTS.map((merchant): Step => ({
      kind: "tagAccount",
      address: salesOf(merchant),
      metadata: { merchant: merchant.name, currency: merchant.asset },
    }));
    return { title: "opening", phases: [[issue, ...introductions].map(single)] };
  }

  #businessHour(hour: number): Hour {
    const orders = Array.from({ length: ORDERS_PER_HOUR }, () => this.#order());
    const topUps = this.#topUps(orders);
    const overdrafts = orders.slice(0, OVERDRAFTS_PER_HOUR).map((order) => this.#overdraft(order));
    const sales = this.#sales(orders, hour);
    const extras = [...this.#tips(orders), ...this.#rewards(orders)].map(single);
    const [refund, ...refunds] = this.#refunds();
    const shipments = [...(refund === undefined ? [] : [refund]), ...this.#shipments(orders)];
    this.#refundable.push(...orders);
    return {
      title: `${String(hour).padStart(2, "0")}:00`,
      phases: [
        [topUps],
        [...sales, ...extras, ...overdrafts.map(single)],
        [...refunds.map(single), { via: "bulk", steps: shipments, atomic: false }],
      ],
    };
  }

  /** Pays merchants their earnings; fees and taxes move on together or not at all. */
  #closing(): Hour {
    const assets = [...new Set(MERCHANTS.map(({ asset }) => asset))];
    const failing = this.#failingSweep(assets);
    const payouts = MERCHANTS.map((merchant) =>
      this.#commit("payout", [
        this.#emptying(salesOf(merchant), bankOf(merchant), merchant.asset),
        this.#emptying(tipsOf(merchant), bankOf(merchant), merchant.asset),
      ]),
    );
    const sweeps = assets.map((asset) =>
      this.#commit("sweep", [
        this.#emptying(FEES, TREASURY, asset),
        this.#emptying(TAXES, TAX_OFFICE, asset),
      ]),
    );
    return {
      title: "closing",
      phases: [
        [failing],
        [
          { via: "bulk", steps: payouts, atomic: false },
          { via: "bulk", steps: sweeps, atomic: true },
        ],
      ],
    };
  }

  #order(): Order {
    const merchant = this.#random.pick(MERCHANTS);
    const price = amountIn(this.#random, merchant.prices);
    return {
      reference: this.#reference("order"),
      customer: this.#random.pick(CUSTOMER_NAMES),
      merchant,
      price,
      tip: this.#random.chance(TIP_SHARE) ? price / 10n + 1n : 0n,
    };
  }

  /** Top-ups of the amounts that wallets lack for the orders of the hour, and often more. */
  #topUps(orders: readonly Order[]): Request {
    const needs = new Books();
    for (const { customer, merchant, price, tip } of orders) {
      const wallet = walletOf(customer);
      const { asset } = merchant;
      needs.post([{ source: WORLD, destination: wallet, amount: price + tip, asset }]);
    }
    const steps: Step[] = [];
    for (const wallet of needs.accounts().filter((account) => account !== WORLD)) {
      for (const [asset, { input: needed }] of needs.volumes(wallet)) {
        const shortfall = needed - this.#books.balance(wallet, asset);
        if (shortfall <= 0n) continue;
        const amount = shortfall * BigInt(this.#random.integer(1, TOP_UP_FACTOR_MAX));
        const accountMetadata = { [wallet]: { [`uses ${asset}`]: "yes" } };
        const postings = [{ source: WORLD, destination: wallet, amount, asset }];
        steps.push(this.#commit("top-up", postings, { accountMetadata }));
      }
    }
    return { via: "bulk", steps, atomic: false };
  }

  /** Web orders are single requests, terminal sales one bulk for each merchant. The first bulk begins with an overdraft. */
  #sales(orders: readonly Order[], hour: number): Request[] {
    const [web, terminal] = this.#divide(orders, TERMINAL_SHARE);
    const overdraft = orders.slice(-1).map((order) => this.#overdraft(order));
    const bulks = [...Map.groupBy(terminal, ({ merchant }) => merchant).values()].map(
      (sales, index): Request => ({
        via: "bulk",
        steps: [
          ...(index === 0 ? overdraft : []),
          ...sales.map((order) => this.#sale(order, { timestamp: this.#timeIn(hour) })),
        ],
        atomic: false,
      }),
    );
    return [...web.map((order) => single(this.#sale(order))), ...bulks];
  }

  #sale(order: Order, extras: Pick<PlannedTransaction, "timestamp"> = {}): Commit {
    const { customer, merchant, price, reference } = order;
    const { net, fee, tax } = splitPrice(price);
    const source = walletOf(customer);
    const { asset } = merchant;
    const channel = extras.timestamp === undefined ? "web" : "terminal";
    return this.#commit(
      "order",
      [
        { source, destination: salesOf(merchant), amount: net, asset },
        { source, destination: FEES, amount: fee, asset },
        { source, destination: TAXES, amount: tax, asset },
      ],
      { ...extras, reference, metadata: { channel, merchant: merchant.name } },
    );
  }

  #tips(orders: readonly Order[]): Commit[] {
    return orders
      .filter(({ tip }) => tip > 0n)
      .map(({ reference, customer, merchant, tip }) =>
        this.#commit(
          "tip",
          [
            {
              source: walletOf(customer),
              destination: tipsOf(merchant),
              amount: tip,
              asset: merchant.asset,
            },
          ],
          { metadata: { order: reference } },
        ),
      );
  }

  /** Rewards some orders with points. The units of a point are so many that fractions of a point can exceed 2^53. */
  #rewards(orders: readonly Order[]): Commit[] {
    const [, rewarded] = this.#divide(orders, REWARD_SHARE);
    return rewarded.map(({ reference, customer }) => {
      const amount = amountIn(this.#random, { least: 10n ** 17n, most: 10n ** 21n });
      const destination = walletOf(customer);
      return this.#commit(
        "reward",
        [{ source: REWARDS, destination, amount, asset: POINTS.asset }],
        { metadata: { order: reference } },
      );
    });
  }

  /** A payment to a nonexistent shop of more than the wallet can have before its next top-up. */
  #overdraft({ customer, merchant: { asset } }: Order): Commit {
    const source = walletOf(customer);
    const amount = this.#books.balance(source, asset) + 1n;
    const reference = this.#reference("overdraft");
    return {
      kind: "commit",
      fate: "refused",
      transaction: {
        reference,
        postings: [{ source, destination: `merchants:nobody:${reference}`, amount, asset }],
        metadata: {},
      },
    };
  }

  /** An atomic bulk whose last element is an overdraft, so that none of its transactions may be kept. */
  #failingSweep(assets: readonly string[]): Request {
    const sweeps = assets.map((asset, index): Commit => {
      const isLast = index === assets.length - 1;
      const balance = this.#books.balance(FEES, asset);
      const posting = { source: FEES, destination: TREASURY, asset };
      return {
        kind: "commit",
        fate: isLast ? "refused" : "undone",
        transaction: {
          reference: this.#reference("sweep"),
          postings: [{ ...posting, amount: isLast ? balance + 1n : balance }],
          metadata: {},
        },
      };
    });
    return { via: "bulk", steps: sweeps, atomic: true };
  }

  /** Reverts some orders of earlier hours, each at most once. */
  #refunds(): Step[] {
    const steps: Step[] = [];
    while (steps.length < REFUNDS_PER_HOUR && this.#refundable.length > 0) {
      const index = this.#random.integer(0, this.#refundable.length - 1);
      const [order] = this.#refundable.splice(index, 1);
      if (order === undefined) break;
      const { net, fee, tax } = splitPrice(order.price);
      const { asset } = order.merchant;
      const destination = walletOf(order.customer);
      this.#books.post([
        { source: TAXES, destination, amount: tax, asset },
        { source: FEES, destination, amount: fee, asset },
        { source: salesOf(order.merchant), destination, amount: net, asset },
      ]);
      steps.push({ kind: "revert", reference: order.reference });
    }
    return steps;
  }

  #shipments(orders: readonly Order[]): Step[] {
    return orders.slice(0, SHIPMENTS_PER_HOUR).map(({ reference }) => ({
      kind: "tagTransaction",
      reference,
      metadata: { parcel: `parcel-${this.#random.integer(10_000, 99_999)}` },
    }));
  }

  /** Plans a transaction that the ledger keeps. */
  #commit(kind: string, postings: Posting[], extras: Partial<PlannedTransaction> = {}): Commit {
    this.#books.post(postings);
    const transaction = { reference: this.#reference(kind), postings, metadata: {}, ...extras };
    return {
      kind: "commit",
      fate: "kept",
      transaction,
      ...(this.#random.chance(REPEAT_SHARE) ? { idempotencyKey: transaction.reference } : {}),
    };
  }

  /** A posting that moves the whole balance of an account. */
  #emptying(source: string, destination: string, asset: string): Posting {
    return { source, destination, amount: this.#books.balance(source, asset), asset };
  }

  /** Divides items at random: the second list gets about `share` of them. */
  #divide<T>(items: readonly T[], share: number): [T[], T[]] {
    const second = new Set(items.filter(() => this.#random.chance(share)));
    return [items.filter((item) => !second.has(item)), [...second]];
  }

  #reference(kind: string): string {
    this.#references++;
    return `${kind}-${String(this.#references).padStart(5, "0")}`;
  }

  /** A time within the hour, on an earlier day. */
  #timeIn(hour: number): Date {
    return new Date(Date.UTC(2026, 2, 2, hour, 0, this.#random.integer(0, 3599)));
  }
}

const single = (step: Step): Request => ({ via: "single", step });
