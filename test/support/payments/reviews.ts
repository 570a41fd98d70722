import { env } from "cloudflare:workers";
import { CANNOT_BE_ASKED } from "#modules/payments/lookups/askable.ts";

/** The id of the review that `storeReview` stores. */
const REVIEW = "5b0c2f5e-7d0e-4f0a-9a3f-2f6c1d0b7e22";

/** Stores the open review of an initiation with a reference, as if its deployment had been restored. */
export async function storeReview(reference: string): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO payment_reviews (id, connector_key, initiation_key, created_at, reason, status, version)
    SELECT ?, connector_key, key, '2026-03-01T09:30:00.000000Z', ?, 'open', 0
    FROM payment_initiations WHERE reference = ?`,
  )
    .bind(REVIEW, CANNOT_BE_ASKED, reference)
    .run();
}
