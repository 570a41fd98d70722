import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { shortId } from "#console/places/reconciliation/common/names.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";
import { sourceQuery } from "#console/places/reconciliation/queries/sources.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The way back to the list of sources. */
export const sourcesCrumb = () => ({
  text: reconciliationWords().tabs.sources,
  link: (text: ReactNode) => <Link to="/reconciliation/sources">{text}</Link>,
});

/** The way back to a source. Its name is that of the source once it is known. */
export function useSourceCrumb(id: string) {
  const { data } = useQuery(sourceQuery(id));
  return {
    text: data?.name ?? shortId(id),
    link: (text: ReactNode) => (
      <Link to="/reconciliation/sources/$id" params={{ id }}>
        {text}
      </Link>
    ),
  };
}

/** The way back to the list of matchings. */
export const matchingsCrumb = () => ({
  text: reconciliationWords().tabs.matchings,
  link: (text: ReactNode) => <Link to="/reconciliation/matchings">{text}</Link>,
});

/** The way back to a matching. Its name is that of the matching once it is known. */
export function useMatchingCrumb(id: string) {
  const { data } = useQuery(matchingQuery(id));
  return {
    text: data?.name ?? shortId(id),
    link: (text: ReactNode) => (
      <Link to="/reconciliation/matchings/$id" params={{ id }}>
        {text}
      </Link>
    ),
  };
}

/** The way back to the breaks of a matching. */
export const breaksCrumb = (id: string) => ({
  text: matchingWords().tabs.breaks,
  link: (text: ReactNode) => (
    <Link to="/reconciliation/matchings/$id/breaks" params={{ id }}>
      {text}
    </Link>
  ),
});
