import { RevocationList } from "#modules/auth/revocations/revocation-list.ts";

/** A list of revocations that is always empty. */
export const noRevocations = (nowMs: () => number): RevocationList =>
  new RevocationList({ load: async () => [], nowMs });
