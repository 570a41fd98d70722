import { Foreign } from "#console/parts/base/address.tsx";
import type { Tone } from "#console/parts/base/status.tsx";
import { Timeline } from "#console/parts/layout/timeline.tsx";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { MatchingDecision } from "#console/places/reconciliation/queries/groups.ts";

const TONES: Readonly<Record<MatchingDecision["what"], Tone>> = {
  run: "good",
  confirm: "good",
  decline: "neutral",
  break: "warn",
  match: "good",
  reopen: "warn",
  write_off: "good",
  correct: "good",
};

/** What people and runs have decided about a group, with their notes. */
export function Decisions({ decisions }: { readonly decisions: readonly MatchingDecision[] }) {
  const words = matchingWords();
  return (
    <Timeline
      entries={decisions.map(({ what, at, note, by, run }, place) => ({
        id: String(place),
        at,
        tone: TONES[what],
        title: words.decision[what],
        note: (
          <>
            <By author={by} />
            {run !== undefined && ` ${words.ofRun(String(run))}`}
            {note !== "" && (
              <p className="text-text">
                <Foreign>{note}</Foreign>
              </p>
            )}
          </>
        ),
      }))}
    />
  );
}
