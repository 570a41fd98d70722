import { useQuery } from "@tanstack/react-query";
import { Foreign } from "#console/parts/base/address.tsx";
import { shortId } from "#console/places/reconciliation/common/names.tsx";
import { matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

/** Time for which the name of a matching counts as current, in milliseconds. */
const NAME_CURRENT_MS = 60_000;

/** The name of a matching; the beginning of its id until the name is known. */
export function MatchingName({ id }: { readonly id: string }) {
  const { data } = useQuery({
    ...matchingQuery(id),
    refetchInterval: false,
    staleTime: NAME_CURRENT_MS,
  });
  return <Foreign>{data?.name ?? shortId(id)}</Foreign>;
}
