import type { SearchHit } from "./search-query.ts";
import { mayReadLedger, readLedgerObjects } from "#modules/search/api/ledger-objects.ts";
import { readObject } from "#modules/search/api/lists.ts";
import type { Kind } from "#modules/search/core/kinds.ts";
import type { IndexCandidate } from "#modules/search/engine/search-index.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A candidate with the object as it is now; no hit if it is gone, or if the principal may not read it. */
export interface ReadCandidate {
  readonly candidate: IndexCandidate;
  readonly hit: SearchHit | undefined;
}

/** Reads the objects of candidates in the name of the context's principal. */
export async function readHits(
  context: ServiceContext,
  kind: Kind,
  candidates: readonly IndexCandidate[],
): Promise<ReadCandidate[]> {
  switch (kind) {
    case "TRANSACTION":
    case "ACCOUNT":
    case "ASSET": {
      const byLedger = [...Map.groupBy(candidates, ({ ledger }) => ledger)];
      const groups = await Promise.all(
        byLedger.map(([ledger, group]) => readOfLedger(context, { kind, ledger }, group)),
      );
      const hits = new Map(groups.flat().map(({ candidate, hit }) => [candidate, hit]));
      return candidates.map((candidate) => ({ candidate, hit: hits.get(candidate) }));
    }
    default:
      return Promise.all(
        candidates.map(async (candidate) => {
          const object = await readObject(context, kind, candidate.key);
          return { candidate, hit: object === undefined ? undefined : { ...object, kind } };
        }),
      );
  }
}

/** Reads objects of one ledger. */
async function readOfLedger(
  context: ServiceContext,
  { kind, ledger }: { readonly kind: "TRANSACTION" | "ACCOUNT" | "ASSET"; readonly ledger: string },
  candidates: readonly IndexCandidate[],
): Promise<ReadCandidate[]> {
  if (kind === "ASSET") {
    const isReadable = await mayReadLedger(context, ledger);
    return candidates.map((candidate) => ({
      candidate,
      hit: isReadable ? { asset: candidate.key, kind, ledger } : undefined,
    }));
  }
  const keys = candidates.map(({ key }) => key);
  const objects = await readLedgerObjects(context, { kind, ledger }, keys);
  return candidates.map((candidate) => {
    const object = objects.get(candidate.key);
    return { candidate, hit: object === undefined ? undefined : { ...object, kind, ledger } };
  });
}
