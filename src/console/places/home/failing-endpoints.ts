import type { AlertedRow } from "./alert-source.ts";
import type { components } from "#openapi";

type Delivery = components["schemas"]["WebhookDelivery"];

/** Attempts after which a delivery that still waits says that its endpoint fails. */
const FAILING_ATTEMPTS = 2;

/** The endpoints of deliveries that are tried again and again, newest deliveries first, each with its oldest such delivery. */
export function failingEndpoints(
  deliveries: readonly Pick<Delivery, "configID" | "createdAt" | "attemptCount" | "lastError">[],
): readonly AlertedRow[] {
  const oldest = deliveries
    .filter(({ attemptCount }) => attemptCount >= FAILING_ATTEMPTS)
    .map(
      ({ configID, createdAt, lastError }) =>
        [configID, { id: configID, since: createdAt, note: lastError }] as const,
    );
  return [...new Map(oldest).values()];
}
