import { Random } from "../../lib/random.ts";
import type { Posting } from "../plan.ts";
import type { BankEntry, BankStatement } from "./camt053.ts";
import type { StripeMovement } from "./stripe-report.ts";

/** The accounts of the chapter's ledger. */
export const ACCOUNTS = {
  bank: "bank:main",
  /** What Stripe owes: it goes to zero with the payouts of a day. */
  clearing: "clearing:stripe",
  fees: "fees:stripe",
  suspense: "suspense",
  customers: "world",
} as const;

export const ASSET = "EUR/2";
/** The account of the marketplace at its bank. */
export const IBAN = "FR7630006000011234567890189";

/** Metadata of transactions that tell what they book. */
export const KEYS = {
  /** The id of the charge, refund or payout at Stripe. */
  stripeId: "stripe_id",
  paymentIntent: "payment_intent",
  endToEndId: "end_to_end_id",
} as const;

/** Which of the two matchings finds an error: Stripe's report beside the clearing account, or the bank's file beside the bank account. */
export type Desk = "stripe" | "bank";

/** An open line that an error leaves. */
export interface ExpectedBreak {
  readonly class: string;
  readonly side: "left" | "right";
  /** The reference of the line: its end-to-end id, or else its id at the provider. */
  readonly reference: string;
  readonly amount: bigint;
}

export interface PlantedError {
  readonly title: string;
  readonly desk: Desk;
  /** The lines that are open because of the error; the first one is what people act on. */
  readonly breaks: readonly [ExpectedBreak, ...ExpectedBreak[]];
  /** Whether a booking corrects the error; otherwise waiting does. */
  readonly isCorrected: boolean;
}

/** A transaction of the books. */
export interface Booking {
  readonly timestamp: string;
  readonly postings: readonly Posting[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** A day of payouts: what Stripe and the bank say, what the books say, and where these are wrong. Amounts are in cents. */
export interface Settlement {
  readonly movements: readonly StripeMovement[];
  /** The bank's file of the day, and the next one, in which the late payout arrives. */
  readonly statements: readonly [BankStatement, BankStatement];
  readonly bookings: readonly Booking[];
  readonly errors: readonly PlantedError[];
}

/** The days of a settlement, `YYYY-MM-DD`. */
export interface SettlementDays {
  readonly before: string;
  readonly day: string;
  /** Two business days after the payouts. */
  readonly late: string;
}

/** The last settlement whose late payout may have arrived: its payouts are two business days before the last business day. */
export function settlementDays(now: Date): SettlementDays {
  const late = businessDayUpTo(now);
  const day = businessDayUpTo(daysBefore(businessDayUpTo(daysBefore(late, 1)), 1));
  return { before: textOf(daysBefore(day, 1)), day: textOf(day), late: textOf(late) };
}

const DAY_MS = 86_400_000;
const daysBefore = (date: Date, days: number): Date => new Date(date.getTime() - days * DAY_MS);
const isWeekend = (date: Date): boolean => date.getUTCDay() % 6 === 0;
const businessDayUpTo = (date: Date): Date =>
  isWeekend(date) ? businessDayUpTo(daysBefore(date, 1)) : date;
const textOf = (date: Date): string => date.toISOString().slice(0, "YYYY-MM-DD".length);

/** The seed of the amounts. Equal seeds give equal days. */
const SEED = 2026;
/** Each shop has a payout of its own. */
const SHOPS = ["paris", "lyon", "nantes"] as const;
const CHARGES_PER_SHOP = 8;
const LATE_SHOP = "nantes";
const OPENING = 2_500_000n;

/** The ids of what the books have wrong. */
const MISSING = "ch_012";
const FEE_MISSING = "ch_021";
const DOUBLED = "re_paris";
const WRONG = { reference: "INV-2026-117", amount: 125_000n, booked: 120_500n };

export function planSettlement(days: SettlementDays): Settlement {
  const movements = movementsOf(days);
  const payouts = movements.filter(({ category }) => category === "payout");
  const isLate = ({ source }: StripeMovement): boolean => source === payoutOf(LATE_SHOP);
  const statements = statementsOf(days, {
    onTime: payouts.filter((payout) => !isLate(payout)),
    late: payouts.filter(isLate),
  });
  const bookings = [
    ...openingOf(days),
    ...movements.flatMap(bookingsOfMovement),
    ...statements.flatMap(({ entries }) => entries.flatMap(bookingsOfEntry)),
  ];
  return { movements, statements, bookings, errors: errorsOf(movements) };
}

const payoutOf = (shop: string): string => `po_${shop}`;

/** The charges of each shop, a refund, and the payout of what is left. */
function movementsOf({ day }: SettlementDays): StripeMovement[] {
  const random = new Random(SEED);
  return SHOPS.flatMap((shop, place) => {
    const payout = payoutOf(shop);
    const of = (index: number) => ({ payout, createdAt: timeOf(day, place, index) });
    const charges = Array.from({ length: CHARGES_PER_SHOP }, (_, index): StripeMovement => {
      const number = String(place * CHARGES_PER_SHOP + index + 1).padStart(3, "0");
      const gross = BigInt(random.integer(900, 14_000));
      return {
        ...of(index),
        category: "charge",
        source: `ch_${number}`,
        paymentIntent: `pi_${number}`,
        gross,
        fee: feeOf(gross),
        description: `Order ${number}`,
      };
    });
    const refund: StripeMovement = {
      ...of(CHARGES_PER_SHOP),
      category: "refund",
      source: `re_${shop}`,
      gross: -BigInt(random.integer(500, 900)),
      fee: 0n,
      description: "REFUND",
    };
    const paid = [...charges, refund].reduce((sum, { gross, fee }) => sum + gross - fee, 0n);
    const last: StripeMovement = {
      ...of(CHARGES_PER_SHOP + 1),
      category: "payout",
      source: payout,
      gross: -paid,
      fee: 0n,
      description: "STRIPE PAYOUT",
    };
    return [...charges, refund, last];
  });
}

/** 1.5 per cent and 25 cents, rounded half up. */
const feeOf = (gross: bigint): bigint => (gross * 15n + 500n) / 1000n + 25n;

const timeOf = (day: string, hour: number, minute: number): string =>
  `${day} ${String(8 + hour * 4).padStart(2, "0")}:${String(minute * 6).padStart(2, "0")}:00`;

/** The bank's files: the payouts, and payments that have nothing to do with Stripe. */
function statementsOf(
  { day, late }: SettlementDays,
  payouts: Readonly<Record<"onTime" | "late", readonly StripeMovement[]>>,
): [BankStatement, BankStatement] {
  const entry = (reference: string, name: string, amount: bigint): Omit<BankEntry, "day"> => ({
    reference,
    name,
    amount,
    text: `${name} ${reference}`,
  });
  const arrival = ({ source, gross }: StripeMovement) => entry(source, "STRIPE", -gross);
  const first = [
    ...payouts.onTime.map(arrival),
    entry(WRONG.reference, "Atelier Martin", WRONG.amount),
    entry("INV-2026-118", "Boulangerie Petit", 38_040n),
    entry("RENT-11", "Loyers du Centre", -164_000n),
    entry("FRAIS-11", "Frais de tenue de compte", -1_290n),
  ].map((of) => ({ ...of, day }));
  const next = payouts.late.map((payout) => ({ ...arrival(payout), day: late }));
  const of = { account: IBAN, currency: "EUR" };
  return [
    { ...of, id: `R-${day}`, from: day, to: day, opening: OPENING, entries: first },
    {
      ...of,
      id: `R-${late}`,
      from: late,
      to: late,
      opening: first.reduce((sum, { amount }) => sum + amount, OPENING),
      entries: next,
    },
  ];
}

const openingOf = ({ before }: SettlementDays): Booking[] => [
  {
    timestamp: `${before}T18:00:00Z`,
    postings: [posting(ACCOUNTS.customers, ACCOUNTS.bank, OPENING)],
    metadata: {},
  },
];

const posting = (source: string, destination: string, amount: bigint): Posting => ({
  source,
  destination,
  amount,
  asset: ASSET,
});

/** What the books make of a movement at Stripe: the right booking, but where an error is planted. */
function bookingsOfMovement(movement: StripeMovement): Booking[] {
  const { category, source, gross, fee, paymentIntent } = movement;
  const { customers, clearing, fees, bank } = ACCOUNTS;
  const of = {
    timestamp: `${movement.createdAt.replace(" ", "T")}Z`,
    metadata: {
      [KEYS.stripeId]: source,
      ...(paymentIntent === undefined ? {} : { [KEYS.paymentIntent]: paymentIntent }),
    },
  };
  switch (category) {
    case "charge": {
      if (source === MISSING) return [];
      const whole = [posting(customers, clearing, gross)];
      const split = [posting(customers, clearing, gross - fee), posting(customers, fees, fee)];
      return [{ ...of, postings: source === FEE_MISSING ? whole : split }];
    }
    case "refund": {
      const booking = { ...of, postings: [posting(clearing, customers, -gross)] };
      return source === DOUBLED ? [booking, booking] : [booking];
    }
    case "payout": {
      const metadata = { ...of.metadata, [KEYS.endToEndId]: source };
      return [{ ...of, metadata, postings: [posting(clearing, bank, -gross)] }];
    }
  }
}

/** What the books make of an entry of the bank. Payouts are booked when Stripe sends them. */
function bookingsOfEntry({ reference, amount, day }: BankEntry): Booking[] {
  if (SHOPS.some((shop) => payoutOf(shop) === reference)) return [];
  const booked = reference === WRONG.reference ? WRONG.booked : amount;
  const { customers, bank } = ACCOUNTS;
  const moved = booked < 0n ? posting(bank, customers, -booked) : posting(customers, bank, booked);
  return [
    {
      timestamp: `${day}T00:00:00Z`,
      postings: [moved],
      metadata: { [KEYS.endToEndId]: reference },
    },
  ];
}

function errorsOf(movements: readonly StripeMovement[]): PlantedError[] {
  const movementOf = (id: string): StripeMovement => {
    const found = movements.find(({ source }) => source === id);
    if (found === undefined) throw new Error(`the settlement has no ${id}`);
    return found;
  };
  const missing = movementOf(MISSING);
  const doubled = movementOf(DOUBLED);
  const feeless = movementOf(FEE_MISSING);
  const late = movementOf(payoutOf(LATE_SHOP));
  const line = (
    name: string,
    side: "left" | "right",
    of: { readonly reference: string; readonly amount: bigint },
  ): ExpectedBreak => ({ class: name, side, ...of });
  const stripe = { desk: "stripe", isCorrected: true } as const;
  const invoice = WRONG.reference;
  return [
    {
      ...stripe,
      title: "a missing booking",
      breaks: [
        line("missing_right", "left", {
          reference: referenceOf(missing),
          amount: missing.gross - missing.fee,
        }),
      ],
    },
    {
      ...stripe,
      title: "a doubled one",
      breaks: [
        line("duplicate", "right", { reference: referenceOf(doubled), amount: doubled.gross }),
      ],
    },
    {
      ...stripe,
      title: "a fee not booked",
      breaks: [
        line("fee", "left", {
          reference: referenceOf(feeless),
          amount: feeless.gross - feeless.fee,
        }),
        line("fee", "right", { reference: referenceOf(feeless), amount: feeless.gross }),
      ],
    },
    {
      title: "a wrong amount",
      desk: "bank",
      isCorrected: true,
      breaks: [
        line("amount", "left", { reference: invoice, amount: WRONG.amount }),
        line("amount", "right", { reference: invoice, amount: WRONG.booked }),
      ],
    },
    {
      title: "a late payout",
      desk: "bank",
      isCorrected: false,
      breaks: [line("timing", "right", { reference: referenceOf(late), amount: -late.gross })],
    },
  ];
}

const referenceOf = ({ paymentIntent, source }: StripeMovement): string => paymentIntent ?? source;
