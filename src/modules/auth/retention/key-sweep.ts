import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Deletes keys whose tokens have all expired. Returns when to run next, in milliseconds since the epoch. */
export async function sweepSigningKeys({ env }: ServiceContext): Promise<number | undefined> {
  const keys = SigningKeys.from(env);
  const nowMs = Date.now();
  const nextMs: number[] = [];
  for (const { kid, endsMs } of await keys.states()) {
    if (endsMs === undefined) continue;
    if (endsMs <= nowMs) await keys.delete(kid);
    else nextMs.push(endsMs);
  }
  return nextMs.length === 0 ? undefined : Math.min(...nextMs);
}
