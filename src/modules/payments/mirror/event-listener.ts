import { hasRunning } from "#modules/payments/bookings/store.ts";
import { BOOKINGS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { EventListener } from "#platform/events/source.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** Makes bookings run soon after payments were stored. Bookings read the payments by themselves, and need no events. */
export const bookingListener: EventListener = {
  wants: async () => false,
  open: async (messages, { env, clock }) => {
    const mayBePayments = messages.some(({ source }) => source === "outbox");
    if (mayBePayments && (await hasRunning(databaseOf(env)))) {
      await armClock(env, BOOKINGS_SWEEP, toMillis(clock()));
    }
    return undefined;
  },
};
