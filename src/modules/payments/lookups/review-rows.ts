import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { paymentReviews, type ReviewDecision } from "./tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";

/**
 * An order that the original of a restored deployment may have paid, and that could not be looked up:
 *
 *     needs review ── a person decides ─────────────► decided: paid, not paid and sent, or given up
 *         └────────── the provider shows the payment, or the order ends otherwise ──► settled
 */
export type ReviewRow = typeof paymentReviews.$inferSelect;

export interface NewReview {
  readonly connectorKey: number;
  /** The key, or an expression for that of an initiation that the same batch inserts. */
  readonly initiationKey: number | SQL;
  /** The key, or an expression for that of a reversal that the same batch inserts; null for a review of the initiation itself. */
  readonly reversalKey: number | SQL | null;
  readonly reason: string;
}

/** The statement that stores a review, under a condition. An initiation has one open review at most. */
export const insertReview = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  review: NewReview,
  condition: SQL = sql`TRUE`,
) =>
  databaseOf(env)
    .insert(paymentReviews)
    .select(
      sql`SELECT ${columnValues(paymentReviews, {
        ...review,
        key: null,
        id: crypto.randomUUID(),
        createdAt: clock(),
        status: "open",
        version: 0,
        decision: null,
        paymentReference: null,
        decidedAt: null,
        issuer: null,
        subject: null,
        clientId: null,
      })} WHERE ${condition}`,
    )
    .onConflictDoNothing();

/** The condition that a person has to decide about an initiation. */
export const isUnderReview = (initiationKey: SQLWrapper): SQL => sql`EXISTS (
  SELECT 1 FROM payment_reviews AS v WHERE v.initiation_key = ${initiationKey} AND v.status = 'open')`;

/** The statement that ends the open review of an initiation whose outcome has come by itself. */
export const settleReviews = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { initiationKey }: { readonly initiationKey: number },
): BatchItem<"sqlite"> =>
  databaseOf(env)
    .update(paymentReviews)
    .set({ status: "settled", version: sql`version + 1`, decidedAt: clock() })
    .where(
      and(eq(paymentReviews.initiationKey, initiationKey), sql`${paymentReviews.status} = 'open'`),
    );

export interface ReviewDecided {
  readonly decision: ReviewDecision;
  readonly paymentReference?: string;
  /** Whether the person says that the connector has not brought the payment, and that it exists all the same. */
  readonly isUnknown?: boolean;
}

/** The statement that stores the decision of a person. Its batch fails if the review has changed since it was read. */
export const decideRow = (
  { env, clock, principal }: ServiceContext,
  { key, version }: ReviewRow,
  { decision, paymentReference }: ReviewDecided,
): BatchItem<"sqlite"> =>
  databaseOf(env)
    .update(paymentReviews)
    .set({
      status: "decided",
      version: sql`CASE WHEN version = ${version} THEN ${version + 1} END`,
      decision,
      paymentReference: paymentReference ?? null,
      decidedAt: clock(),
      issuer: principal.issuer,
      subject: principal.subject,
      clientId: principal.clientId,
    })
    .where(eq(paymentReviews.key, key));

/** The review with an id; undefined for none. */
export async function findReview(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<ReviewRow | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentReviews)
    .where(eq(paymentReviews.id, id));
  return row;
}
