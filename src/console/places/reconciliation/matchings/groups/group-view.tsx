import { useQuery } from "@tanstack/react-query";
import { Decisions } from "./decisions.tsx";
import { Evidence } from "./evidence.tsx";
import { GroupActions } from "./group-actions.tsx";
import { GroupStatus } from "./group-state.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { LineCard } from "#console/places/reconciliation/lines/line-card.tsx";
import { SourceName } from "#console/places/reconciliation/lines/source-link.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type GroupDetail,
  groupQuery,
  type LineField,
} from "#console/places/reconciliation/queries/groups.ts";
import {
  matchingQuery,
  type MatchingSide,
} from "#console/places/reconciliation/queries/matchings.ts";

interface GroupProps {
  readonly matchingID: string;
  readonly groupID: number;
  /** Opens the next or the one before, of the list beside. */
  readonly onMove: (step: 1 | -1) => void;
  /** What follows a decision, such as opening the next proposal. */
  readonly onDecided: () => void;
}

/** A match or a proposal: the lines of both sides beside each other, why they belong together, and what was decided. */
export function GroupView({ matchingID, groupID, onMove, onDecided }: GroupProps) {
  const words = matchingWords();
  const { data, error, refetch } = useQuery(groupQuery(matchingID, groupID));
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  return (
    <article aria-label={words.group(String(data.id))} className="p-6 max-sm:p-4">
      <header className="mb-4 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 className="text-section font-semibold">{words.group(String(data.id))}</h2>
        <GroupStatus state={data.state} />
      </header>
      <Evidence group={data} />
      <Columns matchingID={matchingID} group={data} />
      <GroupActions matchingID={matchingID} group={data} onMove={onMove} onDecided={onDecided} />
      {data.decisions.length > 0 && (
        <Section title={words.decisions}>
          <Decisions decisions={data.decisions} />
        </Section>
      )}
    </article>
  );
}

function Columns({
  matchingID,
  group,
}: {
  readonly matchingID: string;
  readonly group: GroupDetail;
}) {
  const { data } = useQuery(matchingQuery(matchingID));
  const sources = { left: data?.leftSourceID, right: data?.rightSourceID };
  return (
    <div className="mt-5 grid gap-4 md:grid-cols-2">
      {(["left", "right"] as const).map((side) => (
        <SideColumn key={side} side={side} group={group} source={sources[side]} />
      ))}
    </div>
  );
}

function SideColumn({
  side,
  group,
  source,
}: {
  readonly side: MatchingSide;
  readonly group: GroupDetail;
  readonly source: string | undefined;
}) {
  const words = matchingWords();
  const { count, lines } = group[side];
  const equal = new Set<LineField>(group.evidence.keys.map((key) => key[side]));
  return (
    <section aria-label={words.side[side]} className="min-w-0 space-y-3">
      <h3 className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-muted">{words.side[side]}</span>
        {source !== undefined && <SourceName id={source} />}
        <span className="text-note text-muted">{words.lines(formatCount(count))}</span>
      </h3>
      {lines.map((line) => (
        <LineCard key={line.id} line={line} equal={equal} />
      ))}
      {lines.length < count && (
        <p className="text-muted">{words.moreLines(formatCount(count - lines.length))}</p>
      )}
    </section>
  );
}
