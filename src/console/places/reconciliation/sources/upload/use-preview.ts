import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ChosenFile } from "./file-content.ts";
import { florin } from "#console/api/florin.ts";
import {
  SOURCES_KEY,
  type StatementSource,
} from "#console/places/reconciliation/queries/sources.ts";
import {
  asDocumented,
  type WireMapping,
} from "#console/places/reconciliation/sources/mapping/mapping-draft.ts";
import { stringifyJson } from "#platform/json.ts";

/** How long nothing is typed before a mapping is tried, in milliseconds. */
const TYPING_MS = 250;

/** How a chosen file would be read, as the mapping changes. What was there stays while the next answer comes. */
export function usePreview(
  { id, content, isPartial }: ChosenFile,
  { format, encoding, decimals }: StatementSource,
  mapping: WireMapping | undefined,
) {
  const settled = useSettled(mapping === undefined ? "" : stringifyJson(mapping));
  return useQuery({
    queryKey: [...SOURCES_KEY, "preview", id, format, encoding, settled],
    placeholderData: keepPreviousData,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const body = {
        content,
        isPartial,
        ...(encoding === undefined ? {} : { encoding }),
        ...(decimals === undefined ? {} : { decimals }),
        ...(mapping === undefined ? {} : { mapping: asDocumented(mapping) }),
        ...(mapping === undefined && format === undefined ? {} : { format: format ?? "csv" }),
      };
      const { data } = await florin.ask(
        "/api/florin/v1/reconciliation/sources/preview",
        { body },
        { signal },
      );
      return data;
    },
  });
}

/** A value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
