import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { SourceName } from "#console/places/reconciliation/lines/source-link.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { type SideTotals, totalsOf } from "#console/places/reconciliation/matchings/totals.ts";
import {
  closeQuery,
  isWorking,
  type Matching,
  type OpenClass,
  type MatchingSide,
  stateAfter,
} from "#console/places/reconciliation/queries/matchings.ts";

const COLORS: Readonly<Record<OpenClass, string>> = {
  missing_left: "bg-bad",
  missing_right: "bg-bad/70",
  amount: "bg-warn",
  duplicate: "bg-warn/70",
  currency: "bg-coin",
  fee: "bg-coin/60",
  unknown: "bg-accent",
  timing: "bg-accent/50",
  unclassified: "bg-line-strong",
};

/** The lines of both sides as bars: what is matched, and what is open for which reason. Each reason leads to its breaks. */
export function SideBars({ matching }: { readonly matching: Matching }) {
  const { id, leftSourceID, rightSourceID, lastRun } = matching;
  const { data, error, refetch } = useQuery({
    ...closeQuery(id, {}, stateAfter(matching)),
    enabled: !isWorking(lastRun),
    placeholderData: keepPreviousData,
  });
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined)
    return isWorking(lastRun) ? (
      <p className="text-muted">{matchingWords().pictureWaits}</p>
    ) : (
      <LoadingRows rows={3} />
    );
  const { left, right } = totalsOf(data);
  return (
    <div className="space-y-6">
      <Bar id={id} side="left" source={leftSourceID} totals={left} />
      <Bar id={id} side="right" source={rightSourceID} totals={right} />
    </div>
  );
}

function Bar({
  id,
  side,
  source,
  totals: { lines, matched, open },
}: {
  readonly id: string;
  readonly side: MatchingSide;
  readonly source: string;
  readonly totals: SideTotals;
}) {
  const words = matchingWords();
  return (
    <div>
      <p className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
        <span>
          <span className="text-muted">{words.side[side]}</span> <SourceName id={source} />
        </span>
        <span className="figures text-muted">{words.lines(formatCount(lines))}</span>
      </p>
      <div aria-hidden className="flex h-5 overflow-hidden rounded-md bg-hover">
        <Part className="bg-good" count={matched} />
        {open.map((of) => (
          <Part key={of.class} className={COLORS[of.class]} count={of.lines} />
        ))}
      </div>
      <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-1">
        <li className="flex items-center gap-1.5">
          <Swatch className="bg-good" />
          {words.matchedLines} <span className="figures text-muted">{formatCount(matched)}</span>
        </li>
        {open.map((of) => (
          <li key={of.class} className="flex items-center gap-1.5">
            <Swatch className={COLORS[of.class]} />
            {of.class === "unclassified" ? (
              words.class[of.class]
            ) : (
              <Link
                to="/reconciliation/matchings/$id/breaks"
                params={{ id }}
                search={{ class: of.class, side }}
                className="rounded-sm hover:underline"
              >
                {words.class[of.class]}
              </Link>
            )}
            <span className="figures text-muted">{formatCount(of.lines)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A part of a bar. The smallest one can still be seen. */
const Part = ({ className, count }: { readonly className: string; readonly count: number }) =>
  count === 0 ? null : (
    <div className={`min-w-0.5 ${className}`} style={{ flexGrow: count, flexBasis: 0 }} />
  );

const Swatch = ({ className }: { readonly className: string }) => (
  <span aria-hidden className={`size-2.5 shrink-0 rounded-sm ${className}`} />
);
