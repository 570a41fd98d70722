import type { ReportedAdjustment, PaymentReport } from "./report.ts";
import type { paymentAdjustments, paymentPayments } from "./tables.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import {
  type AdjustmentFacts,
  canOpen,
  derivePayment,
  type PaymentState,
} from "#modules/payments/core/payment-amounts.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

export type PaymentRow = typeof paymentPayments.$inferSelect;
export type AdjustmentRow = typeof paymentAdjustments.$inferSelect;
/** The columns of a stored adjustment that decide about new ones. */
export type KnownAdjustment = Pick<
  AdjustmentRow,
  "paymentKey" | "ordinal" | "reference" | "createdAt" | "status" | "amount"
>;

/** The columns of a payment without its keys and without those that are derived from adjustments or other columns. */
export type PaymentDetails = Omit<PaymentRow, "key" | "connectorKey" | DerivedColumn>;
type DerivedColumn =
  | "status"
  | "initialAmount"
  | "amount"
  | "sourceHash"
  | "destinationHash"
  | "causationDepth";

/** A payment in memory that is to be added or changed, with its adjustments. It stores nothing. */
export class PaymentDraft {
  /** The stored row; undefined for a new payment. */
  readonly row: PaymentRow | undefined;
  details: PaymentDetails;
  /** The adjustments that `record` has added, in their order. */
  readonly added: ReportedAdjustment[] = [];
  readonly #facts: AdjustmentFacts[];
  readonly #known: Set<string>;
  /** Whether the details come from an adjustment that can open the payment. */
  #isOpened: boolean;

  private constructor(
    details: PaymentDetails,
    row: PaymentRow | undefined,
    known: readonly KnownAdjustment[],
  ) {
    this.row = row;
    this.details = details;
    this.#facts = known.map(({ createdAt, status, amount }) => ({
      createdAt,
      status,
      ...(amount === null ? {} : { amount: BigInt(amount) }),
    }));
    this.#known = new Set(known.map(identityOf));
    this.#isOpened = known.some(canOpen);
  }

  /** The draft of a stored payment. `known` are all its stored adjustments, in the order of their ordinals. */
  static ofRow(row: PaymentRow, known: readonly KnownAdjustment[]): PaymentDraft {
    return new PaymentDraft(row, row, known);
  }

  /** The draft of a new payment, with the details of its first report. The adjustments of the report are added by `record`. */
  static ofReport(report: PaymentReport): PaymentDraft {
    return new PaymentDraft(toDetails(report), undefined, []);
  }

  /** The ordinal of the next adjustment, counted from 0. */
  get nextOrdinal(): number {
    return this.#facts.length;
  }

  /** The status and amounts that follow from the stored and the added adjustments. */
  get state(): PaymentState {
    const { openingInitialAmount, openingAmount } = this.details;
    return derivePayment(
      this.#facts,
      openingInitialAmount === null || openingAmount === null
        ? undefined
        : { initialAmount: BigInt(openingInitialAmount), amount: BigInt(openingAmount) },
    );
  }

  /**
   * Adds the adjustments of a report that are not known by their time, status and reference, and returns them, in their order. The first
   * adjustment that can open a payment replaces the details of a payment that began with another one, such as a refund.
   */
  record(report: PaymentReport): ReportedAdjustment[] {
    const added = report.adjustments.filter((adjustment) => this.#add(adjustment));
    if (!this.#isOpened && added.some(canOpen)) {
      this.details = this.#reopened(report);
      this.#isOpened = true;
    }
    return added;
  }

  #add(adjustment: ReportedAdjustment): boolean {
    const identity = identityOf(adjustment);
    if (this.#known.has(identity)) return false;
    this.#known.add(identity);
    this.#facts.push(adjustment);
    this.added.push(adjustment);
    return true;
  }

  /**
   * The details after an opening adjustment has arrived for a payment that began with another one, such as a refund: they
   * are those of the opening report. Stored metadata stays.
   */
  #reopened(report: PaymentReport): PaymentDetails {
    const { openingInitialAmount, openingAmount, metadata } = this.details;
    const merged = { ...report.metadata, ...readMetadata(metadata) };
    return {
      ...toDetails({ ...report, metadata: merged }),
      openingInitialAmount,
      openingAmount,
    };
  }
}

/** The metadata of a row. The column holds JSON of an object with texts. */
export const readMetadata = (text: string): Readonly<Record<string, string>> =>
  parseJson(text) as Readonly<Record<string, string>>;

/** Identifies an adjustment of a payment. The reference comes last, because it may have line breaks. */
const identityOf = ({
  createdAt,
  status,
  reference,
}: Pick<ReportedAdjustment, "createdAt" | "status" | "reference">): string =>
  `${createdAt}\n${status}\n${reference}`;

function toDetails(report: PaymentReport): PaymentDetails {
  const { reference, type, createdAt, scheme, asset, source, destination, metadata } = report;
  return {
    reference,
    type,
    createdAt,
    scheme,
    asset,
    openingInitialAmount: report.setsAmounts ? report.initialAmount.toString() : null,
    openingAmount: report.setsAmounts ? report.amount.toString() : null,
    sourceAccount: source?.key ?? null,
    destinationAccount: destination?.key ?? null,
    psuId: report.psuId ?? null,
    connectionId: report.connectionId ?? null,
    metadata: stringifyJson(metadata),
    metadataBits: metadataBloom(metadata),
  };
}
