import type { BreakClass } from "./classify.ts";
import type { MatchSide } from "#modules/reconciliation/core/matching/line.ts";

/** An open line, as far as a correction needs it. */
export interface BreakLine {
  readonly id: number;
  readonly side: MatchSide;
  readonly amount: bigint;
  readonly asset: string;
  /** The accounts of the posting that the line stands for; undefined for a line that is no posting. */
  readonly account: string | undefined;
  readonly otherAccount: string | undefined;
}

/** The accounts of a ledger that are a side of the matching. */
export interface BookSide {
  readonly ledger: string;
  /** The address of the only account, or a pattern. */
  readonly account: string;
  /** Whether lines have the other sign than the postings: the accounts owe what the other side holds. */
  readonly negate: boolean;
}

export interface CorrectionInput {
  readonly class: BreakClass;
  readonly line: BreakLine;
  /** The line that the class speaks of. */
  readonly related: BreakLine | undefined;
  /** The sides that are accounts of a ledger. */
  readonly books: Readonly<Partial<Record<MatchSide, BookSide | undefined>>>;
  /** Where differences are booked: unexplained ones and fees. */
  readonly accounts: { readonly suspense: string; readonly fees: string };
}

/** A booking that closes a break, together with the lines that then belong together. */
export interface Correction {
  readonly ledger: string;
  /** The side of the matching that gets the line of the booking. */
  readonly side: MatchSide;
  /** What the booking adds to that side, as lines have signs. */
  readonly amount: bigint;
  readonly asset: string;
  /** The account of the matching's side that the booking changes; undefined where the caller has to say which. */
  readonly account: string | undefined;
  /** The account at the other end. */
  readonly counter: string;
  /** The ids of the lines that are closed, besides the line of the booking. */
  readonly closes: readonly number[];
}

/** A correction, or a sentence that says why there is none. */
export type Suggestion =
  | { readonly kind: "correction"; readonly correction: Correction; readonly why: string }
  | { readonly kind: "none"; readonly why: string };

/**
 * The booking that would close a break:
 *
 * | Break | What is booked | What it closes |
 * | --- | --- | --- |
 * | amount, fee | the difference, against the account of suspense or of fees | the line, the related line and the booking |
 * | missing in the books | the amount, against the account of suspense | the line and the booking |
 * | missing outside, doubled in the books | the posting, turned round | the line and the booking |
 *
 * Nothing tells how to correct another currency, a line that several combinations fit, or a line whose partner may still come.
 */
export function suggestCorrection(input: CorrectionInput): Suggestion {
  const { line, related } = input;
  switch (input.class) {
    case "amount":
    case "fee":
      return related === undefined ? none("the related line is gone") : difference(input, related);
    case "missing_left":
    case "missing_right":
      return missing(input);
    case "duplicate":
      return input.books[line.side] === undefined
        ? none("the line is doubled outside of the books, where nothing can be booked")
        : turnedRound(input, "the books have it twice");
    case "currency":
      return none("the lines are in different currencies: book the exchange first");
    case "timing":
      return none("the partner may still come");
    case "unknown":
      return none("several combinations of lines fit: match by hand what belongs together");
  }
}

const none = (why: string): Suggestion => ({ kind: "none", why });

const NO_BOOKS = "neither side of the matching is accounts of a ledger";

const otherSide = (side: MatchSide): MatchSide => (side === "left" ? "right" : "left");

function difference(input: CorrectionInput, related: BreakLine): Suggestion {
  const { books, line, accounts } = input;
  const side = books[related.side] === undefined ? line.side : related.side;
  const of = books[side];
  if (of === undefined) return none(NO_BOOKS);
  const [booked, outside] = side === line.side ? [line, related] : [related, line];
  const isFee = input.class === "fee";
  const correction: Correction = {
    ledger: of.ledger,
    side,
    amount: outside.amount - booked.amount,
    asset: line.asset,
    account: booked.account ?? onlyAccount(of),
    counter: isFee ? accounts.fees : accounts.suspense,
    closes: [line.id, related.id],
  };
  return {
    kind: "correction",
    correction,
    why: isFee ? "the fee is not booked" : "the books have another amount",
  };
}

function missing(input: CorrectionInput): Suggestion {
  const { books, line } = input;
  return books[otherSide(line.side)] === undefined
    ? turnedRound(input, "nothing outside of the books says that it happened")
    : absent(input, "the books do not have it");
}

/** Books what only the other side has. */
function absent({ books, line, accounts }: CorrectionInput, why: string): Suggestion {
  const side = otherSide(line.side);
  const of = books[side];
  if (of === undefined) return none(NO_BOOKS);
  const { amount, asset, id } = line;
  const account = onlyAccount(of);
  const counter = accounts.suspense;
  const correction = { ledger: of.ledger, side, amount, asset, account, counter, closes: [id] };
  return { kind: "correction", correction, why };
}

/** Books the opposite of a posting. */
function turnedRound({ books, line, accounts }: CorrectionInput, why: string): Suggestion {
  const of = books[line.side];
  if (of === undefined) return none(NO_BOOKS);
  const { id, side, asset } = line;
  const correction: Correction = {
    ledger: of.ledger,
    side,
    amount: -line.amount,
    asset,
    account: line.account ?? onlyAccount(of),
    counter: line.otherAccount ?? accounts.suspense,
    closes: [id],
  };
  return { kind: "correction", correction, why };
}

/**
 * The booking that closes a break whatever its class is, against an account that a person names. Gives a sentence where nothing can be booked.
 */
export function writeOff(input: CorrectionInput, counter: string): Suggestion {
  const { books, line, related } = input;
  const isDifference = related !== undefined && (input.class === "amount" || input.class === "fee");
  const made = isDifference
    ? difference(input, related)
    : books[otherSide(line.side)] === undefined
      ? turnedRound(input, "written off")
      : absent(input, "written off");
  return made.kind === "none"
    ? made
    : { ...made, correction: { ...made.correction, counter }, why: "written off" };
}

const onlyAccount = ({ account }: BookSide): string | undefined =>
  account.split(":").some((segment) => segment === "" || segment === "...") ? undefined : account;

/** The account that may always go below zero, of which Numscript does not take that it is said. */
const WORLD = "world";

/**
 * The Numscript of a correction. The account at the other end may go below zero, the account of the matching's side may not: where its money is
 * gone, the dry run says so. Throws `RangeError` for a correction without an account or an amount.
 */
export function correctionScript(
  { amount, asset, account, counter }: Correction,
  negate: boolean,
): string {
  if (account === undefined || amount === 0n)
    throw new RangeError("a correction needs an account and an amount");
  const received = negate ? -amount : amount;
  const magnitude = received < 0n ? -received : received;
  const [source, destination] =
    received > 0n
      ? [
          counter === WORLD ? `@${WORLD}` : `@${counter} allowing unbounded overdraft`,
          `@${account}`,
        ]
      : [`@${account}`, `@${counter}`];
  return [
    `send [${asset} ${magnitude}] (`,
    `  source = ${source}`,
    `  destination = ${destination}`,
    ")",
    "",
  ].join("\n");
}
