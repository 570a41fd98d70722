import { useQuery } from "@tanstack/react-query";
import { Status } from "#console/parts/base/status.tsx";
import { OutcomeStrip } from "#console/places/reconciliation/checks/outcome-strip.tsx";
import { ResultStatus } from "#console/places/reconciliation/common/states.tsx";
import type { Rule } from "#console/places/reconciliation/queries/common.ts";
import { outcomesQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

interface LiveProps {
  /** Time between two reads, in milliseconds: a schedule runs the rule without anybody's doing. */
  readonly everyMs: number;
}

/** How the last run of a rule went; that the rule is paused, where it is. */
export function LastResult({
  rule: { id, enabled },
  everyMs,
}: LiveProps & { readonly rule: Rule }) {
  const words = reconciliationWords();
  const { data } = useQuery({ ...outcomesQuery(id), refetchInterval: everyMs });
  if (!enabled) return <Status tone="neutral">{words.paused}</Status>;
  if (data === undefined) return null;
  const [last] = data;
  return last === undefined ? (
    <span className="text-muted">{words.never}</span>
  ) : (
    <ResultStatus result={last.result} />
  );
}

/** Runs that the picture of a rule shows. */
const SHOWN_MAX = 12;

/** How the last runs of a rule went, as a picture. */
export function LastRuns({ id, everyMs }: LiveProps & { readonly id: string }) {
  const { data = [] } = useQuery({ ...outcomesQuery(id), refetchInterval: everyMs });
  return data.length === 0 ? null : <OutcomeStrip runs={data.slice(0, SHOWN_MAX)} />;
}
