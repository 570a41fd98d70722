import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { BreakEvents } from "./break-events.tsx";
import { BreakWork } from "./break-work.tsx";
import { CorrectionList } from "./correction-view.tsx";
import { Remedies } from "./remedies.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import {
  breaksCrumb,
  matchingsCrumb,
  useMatchingCrumb,
} from "#console/places/reconciliation/lines/crumbs.tsx";
import { LineCard } from "#console/places/reconciliation/lines/line-card.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { type BreakHistory, breakQuery } from "#console/places/reconciliation/queries/breaks.ts";
import { lineQuery } from "#console/places/reconciliation/queries/groups.ts";

const PATH = "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}";

/** A break: its line and the one that it speaks of, who is at it, how it can be closed, and what was said and done. */
export function BreakPage() {
  const { id, line } = useParams({ from: "/reconciliation/matchings/$id/breaks/$line" });
  const crumb = useMatchingCrumb(id);
  const lineID = Number(line);
  const { data, error, refetch } = useQuery(breakQuery(id, lineID));
  const words = matchingWords();
  return (
    <>
      <PageTitle
        crumbs={[matchingsCrumb(), crumb, breaksCrumb(id)]}
        title={
          data === undefined || data.state === "matched"
            ? words.line.label(line)
            : words.class[data.breakClass ?? "unclassified"]
        }
        actions={<AsCode requests={[readRequest(PATH, { matchingID: id, lineID: line })]} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details matchingID={id} of={data} />}
      </div>
    </>
  );
}

function Details({ matchingID, of }: { readonly matchingID: string; readonly of: BreakHistory }) {
  const words = matchingWords();
  const isOpen = of.state !== "matched";
  const isHeld = of.corrections.some(({ state }) => HOLDING.has(state));
  return (
    <div className="grid max-w-6xl gap-8 p-6 max-sm:p-4 lg:grid-cols-[3fr_2fr]">
      <div className="min-w-0">
        {isOpen ? (
          <p className="mb-4 text-muted">{words.classMeaning[of.breakClass ?? "unclassified"]}</p>
        ) : (
          <Closed matchingID={matchingID} of={of} />
        )}
        <div className="mb-8 grid items-start gap-4 md:grid-cols-2">
          <div className="min-w-0">
            <h2 className="mb-2 text-muted">{words.side[of.side]}</h2>
            <LineCard line={of} />
          </div>
          {of.relatedLine !== undefined && (
            <RelatedLine matchingID={matchingID} line={of.relatedLine} />
          )}
        </div>
        {of.corrections.length > 0 && (
          <Section title={words.corrections.ofBreak}>
            <CorrectionList corrections={of.corrections} />
          </Section>
        )}
        {isOpen && !isHeld && mayWrite() && <Remedies matchingID={matchingID} of={of} />}
      </div>
      <div className="min-w-0">
        <Section title={words.work.title}>
          <BreakWork matchingID={matchingID} of={of} />
        </Section>
        <Section title={words.work.history}>
          <BreakEvents matchingID={matchingID} of={of} />
        </Section>
      </div>
    </div>
  );
}

/** States of corrections that hold the lines: nothing else may close them meanwhile. */
const HOLDING: ReadonlySet<string> = new Set(["begun", "waiting", "booking", "releasing"]);

const Closed = ({
  matchingID,
  of: { group },
}: {
  readonly matchingID: string;
  readonly of: BreakHistory;
}) => (
  <p className="mb-4 flex flex-wrap items-center gap-x-3">
    <Status tone="good">{matchingWords().breaks.closed}</Status>
    {group !== undefined && (
      <Link
        to="/reconciliation/matchings/$id/groups"
        params={{ id: matchingID }}
        search={{ state: "matched", open: String(group) }}
        className={LINK}
      >
        {matchingWords().group(String(group))}
      </Link>
    )}
  </p>
);

/** The line of which the class of a break speaks, such as the one with the same reference and another amount. */
function RelatedLine({ matchingID, line }: { readonly matchingID: string; readonly line: number }) {
  const words = matchingWords();
  const { data } = useQuery(lineQuery(matchingID, line));
  if (data === undefined) return null;
  return (
    <div className="min-w-0">
      <h2 className="mb-2 text-muted">
        {words.breaks.related} · {words.side[data.side]}
      </h2>
      <LineCard line={data} />
    </div>
  );
}
