import { RevocationList } from "#modules/auth/revocations/revocation-list.ts";

/** A list that never has anything. */
export const noRevocations = (nowMs: () => number): RevocationList =>
  new RevocationList({ load: async () => [], nowMs });
