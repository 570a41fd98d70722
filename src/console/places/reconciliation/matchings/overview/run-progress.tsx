import { CircleAlert, LoaderCircle } from "lucide-react";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { isWorking, type MatchingRun } from "#console/places/reconciliation/queries/matchings.ts";

/** How far a run that works has come, or why the last one has failed. */
export function RunProgress({ run }: { readonly run: MatchingRun | undefined }) {
  const words = matchingWords();
  if (run?.state === "failed" && run.error !== undefined) {
    return (
      <div role="alert" className="mb-6 flex gap-3 rounded-md border border-line bg-bad-soft p-4">
        <CircleAlert aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
        <div>
          <p className="font-medium">{words.lastFailed}</p>
          <Foreign>{run.error}</Foreign>
          <p className="text-muted">{words.goesOn}</p>
        </div>
      </div>
    );
  }
  if (run === undefined || !isWorking(run)) return null;
  return (
    <div role="status" className="mb-6 flex gap-3 rounded-md border border-line p-4">
      <LoaderCircle aria-hidden size={16} className="mt-0.5 shrink-0 animate-spin text-accent" />
      <div className="min-w-0">
        <p className="font-medium">{phaseText(run.phase)}</p>
        <p className="text-muted">
          {words.progress(
            formatCount(run.collected.left + run.collected.right),
            formatCount(run.matched),
            formatCount(run.proposed),
          )}
        </p>
        <p className="text-note text-muted">{words.mayLeave}</p>
      </div>
    </div>
  );
}

/** What a run is about, in words: a phase, and the pass that it works on. */
function phaseText(phase: string): string {
  const { phases } = matchingWords();
  const [verb = "", ...rest] = phase.split(" ");
  const about = rest.join(" ");
  if (phase === "collect left") return phases.collectLeft;
  if (phase === "collect right") return phases.collectRight;
  if (verb === "index" || verb === "match") return phases.pass(about);
  return phases.other;
}
