import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Hit } from "./hits.ts";
import type { ObjectKind } from "./source.ts";
import { sourcesFor } from "./sources.ts";

/** A pause in typing after which a search begins. */
const PAUSE_MS = 180;
/** Texts that are shorter would find everything. */
const LENGTH_MIN = 2;
const CURRENT_MS = 15_000;

export interface Found {
  readonly groups: readonly { readonly kind: ObjectKind; readonly hits: readonly Hit[] }[];
  /** Kinds that could not be searched. */
  readonly failed: readonly ObjectKind[];
  readonly isSearching: boolean;
}

/** What is found for a text among all kinds that the person may read. The next text aborts what is still asked for this one. */
export function useSearch(typed: string): Found {
  const text = usePaused(typed);
  const queries = useQueryClient();
  const { pathname: path } = useLocation();
  const sources = text.length < LENGTH_MIN ? [] : sourcesFor();
  const answers = useQueries({
    queries: sources.map(({ kind, find }) => ({
      queryKey: ["palette", kind, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => find({ text, path, queries, signal }),
      staleTime: CURRENT_MS,
      retry: false,
    })),
  });
  const kinds = sources.map(({ kind }, index) => ({ kind, answer: answers[index] }));
  return {
    groups: kinds.flatMap(({ kind, answer }) =>
      answer?.data === undefined || answer.data.length === 0 ? [] : [{ kind, hits: answer.data }],
    ),
    failed: kinds.filter(({ answer }) => answer?.isError === true).map(({ kind }) => kind),
    isSearching: typed !== text || answers.some(({ isPending }) => isPending),
  };
}

/** A text after a pause in typing. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
