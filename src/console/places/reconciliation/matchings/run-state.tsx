import { useQuery } from "@tanstack/react-query";
import { totalsOf } from "./totals.ts";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { locale } from "#console/parts/language/words.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  closeQuery,
  isWorking,
  type Matching,
  type MatchingRun,
  stateAfter,
} from "#console/places/reconciliation/queries/matchings.ts";

const TONES: Readonly<Record<MatchingRun["state"], Tone>> = {
  collecting: "waits",
  matching: "waits",
  done: "good",
  failed: "bad",
};

/** How a run went, or that there was none. */
export function RunState({ run }: { readonly run: MatchingRun | undefined }) {
  const words = matchingWords();
  if (run === undefined) return <span className="text-muted">{words.neverRun}</span>;
  return <Status tone={TONES[run.state]}>{words.runState[run.state]}</Status>;
}

const PERCENT = new Intl.NumberFormat(locale, {
  style: "percent",
  maximumFractionDigits: 1,
  roundingMode: "floor", // What is not wholly matched is never shown as 100 %.
});

/** The share of the lines of both sides that are matched. */
export function MatchedShare({ matching }: { readonly matching: Matching }) {
  const { id, lastRun } = matching;
  const { data } = useQuery({
    ...closeQuery(id, {}, stateAfter(matching)),
    enabled: lastRun !== undefined && !isWorking(lastRun),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (data === undefined) return null;
  const { left, right } = totalsOf(data);
  const lines = left.lines + right.lines;
  return lines === 0 ? null : <>{PERCENT.format((left.matched + right.matched) / lines)}</>;
}
