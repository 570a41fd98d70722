import type { LedgerReads, ReadName } from "#ledger-engine";
import { ledgerObject, READ_OF_LEDGER } from "#modules/ledger/object-calls.ts";
import { systemClock } from "#platform/clock.ts";
import type { ServiceContext } from "#platform/context.ts";
import { callObject } from "#platform/objects/call.ts";
import type { Timestamp } from "#platform/time.ts";

/** A read, and the ledger. */
export interface ReadOfLedger<N extends ReadName> {
  readonly ledger: string;
  readonly name: N;
  readonly args: Parameters<LedgerReads[N]>;
}

/** Calls a read of a ledger's object. */
export async function readLedger<N extends ReadName>(
  { env }: Pick<ServiceContext, "env">,
  { ledger, name, args }: ReadOfLedger<N>,
): Promise<ReturnType<LedgerReads[N]>> {
  const answer = await callObject(ledgerObject(env, ledger).read({ name, args }), READ_OF_LEDGER);
  return answer as ReturnType<LedgerReads[N]>; // the object has called the read of this name
}

/** A query whose period ends now unless it says when. */
export type UpTo<Q> = Omit<Q, "endTime" | "endsNow"> & { readonly endTime?: Timestamp | undefined };

/** The query with the end of its period. */
export function upToNow<Q extends { readonly endTime?: Timestamp | undefined }>(
  query: Q,
): Q & { endTime: Timestamp; endsNow: boolean } {
  const { endTime } = query;
  return { ...query, endTime: endTime ?? systemClock(), endsNow: endTime === undefined };
}
