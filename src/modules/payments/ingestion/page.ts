import type { BatchItem } from "drizzle-orm/batch";
import type { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * The statements and events that store objects of a provider. They go into one `Outbox.publish`, with everything else that
 * belongs to the page. The batch fails if the same objects were changed since the page was prepared, or if the connector is
 * being uninstalled; `isOutdated` recognises the error.
 */
export interface PreparedPage {
  readonly statements: BatchItem<"sqlite">[];
  readonly events: OutboxEvent[];
}

export const joinPrepared = (...pages: readonly PreparedPage[]): PreparedPage => ({
  statements: pages.flatMap(({ statements }) => statements),
  events: pages.flatMap(({ events }) => events),
});

/** How often a page is prepared before the caller gets the error. */
const ATTEMPTS_MAX = 5;

/**
 * Prepares a page and stores it with its events. If the objects were changed meanwhile, the page is prepared again. A page
 * without changes stores nothing.
 */
export async function storePage(
  context: ServiceContext,
  prepare: () => Promise<PreparedPage>,
  audit?: AuditedChange,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { statements, events } = await prepare();
    if (statements.length === 0 && events.length === 0) return;
    try {
      await Outbox.from(context).publish({
        change: statements,
        events,
        ...(audit === undefined ? {} : { audit }),
      });
      return;
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isOutdated(error)) throw error;
    }
  }
}

/** Tables in which providers' objects are stored. */
const OBJECT_TABLES = [
  "payment_accounts",
  "payment_balances",
  "payment_payments",
  "payment_adjustments",
  "payment_orders",
  "payment_order_adjustments",
  "payment_conversions",
];
const OUTDATED = new RegExp(
  String.raw`(?:UNIQUE|NOT NULL) constraint failed: (?:${OBJECT_TABLES.join("|")})\.`,
);

/** Whether a batch was refused because objects were changed since its page was prepared. Preparing the page again may help. */
export function isOutdated(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (OUTDATED.test(cause.message)) return true;
  }
  return false;
}
