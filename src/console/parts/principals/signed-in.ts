import { useQuery } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { session } from "#console/api/florin.ts";
import type { PersonClaims } from "#console/api/issuer.ts";

/** The person who has signed in. */
interface SignedIn {
  /** The id of the person. */
  readonly subject: string;
  /** Who that is, as far as the server knows; undefined until it has said so. */
  readonly claims: Partial<PersonClaims> | undefined;
}

/** Who has signed in; undefined where nobody has to. */
export function useSignedIn(): SignedIn | undefined {
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const subject = state.kind === "person" ? state.grant.subject : undefined;
  const { data, isPending } = useQuery({
    queryKey: ["signed-in", subject],
    queryFn: async () => (await session.readPerson()) ?? {},
    enabled: subject !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return subject === undefined ? undefined : { subject, claims: isPending ? undefined : data };
}
