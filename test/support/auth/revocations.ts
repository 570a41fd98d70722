import { RevocationList } from "#modules/auth/revocations/revocation-list.ts";
import type { Clock } from "#platform/time.ts";

/** A list that never has anything. */
export const noRevocations = (clock: Clock): RevocationList =>
  new RevocationList({ load: async () => [], clock });
