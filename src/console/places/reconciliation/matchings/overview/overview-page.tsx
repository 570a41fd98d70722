import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { RunProgress } from "./run-progress.tsx";
import { Runs } from "./runs.tsx";
import { SideBars } from "./side-bars.tsx";
import { Address } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Figure, Figures } from "#console/parts/base/figure.tsx";
import { LoadingRows } from "#console/parts/base/states.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { IdFact, LINK } from "#console/places/reconciliation/common/names.tsx";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { Period } from "#console/places/reconciliation/lines/day.tsx";
import { SourceLink } from "#console/places/reconciliation/lines/source-link.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { MatchedShare, RunState } from "#console/places/reconciliation/matchings/run-state.tsx";
import { groupsQuery } from "#console/places/reconciliation/queries/groups.ts";
import { type Matching, matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

/** A matching at a glance: how much is matched, what waits for people, why the rest is open, and its runs. */
export function OverviewPage() {
  const { id } = useParams({ from: "/reconciliation/matchings/$id" });
  const { data } = useQuery(matchingQuery(id));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {data === undefined ? <LoadingRows /> : <Details matching={data} />}
    </div>
  );
}

function Details({ matching }: { readonly matching: Matching }) {
  const words = matchingWords();
  const { lastRun } = matching;
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <RunProgress run={lastRun} />
      {lastRun === undefined ? (
        <p className="mb-8 max-w-xl">{words.begin}</p>
      ) : (
        <MatchingFigures matching={matching} />
      )}
      <div className="mt-8 grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          {lastRun !== undefined && (
            <Section title={words.picture}>
              <SideBars matching={matching} />
            </Section>
          )}
          <Section title={words.runs}>
            <Runs matching={matching} />
          </Section>
        </div>
        <div className="min-w-0">
          <Section title={words.compares}>
            <MatchingFacts matching={matching} />
          </Section>
        </div>
      </div>
    </div>
  );
}

/** Each figure leads to its list. */
function MatchingFigures({ matching }: { readonly matching: Matching }) {
  const { fields } = matchingWords();
  const { id, lastRun } = matching;
  const { data } = useInfiniteQuery(groupsQuery(id, { state: "proposed" }));
  const [first] = data?.pages ?? [];
  return (
    <Figures>
      <Figure name={fields.matched}>
        <MatchedShare matching={matching} />
      </Figure>
      <Figure name={fields.proposals} link={proposalsLink(id)}>
        {first === undefined
          ? ""
          : `${formatCount(first.rows.length)}${first.next === undefined ? "" : "+"}`}
      </Figure>
      <Figure name={fields.open} link={breaksLink(id)}>
        {lastRun === undefined ? "" : formatCount(lastRun.open)}
      </Figure>
      <Figure name={fields.lastRun}>
        <span className="text-work font-normal">
          <RunState run={lastRun} />
        </span>
      </Figure>
    </Figures>
  );
}

const proposalsLink = (id: string) => (children: ReactNode) => (
  <Link
    to="/reconciliation/matchings/$id/groups"
    params={{ id }}
    search={{ state: "proposed" }}
    className={LINK}
  >
    {children}
  </Link>
);

const breaksLink = (id: string) => (children: ReactNode) => (
  <Link to="/reconciliation/matchings/$id/breaks" params={{ id }} className={LINK}>
    {children}
  </Link>
);

function MatchingFacts({ matching }: { readonly matching: Matching }) {
  const { fields, side, businessDays, fromConfidence } = matchingWords();
  const { id, leftSourceID, rightSourceID, period, threshold, timingDays, accounts } = matching;
  return (
    <Facts>
      <Fact name={side.left}>
        <SourceLink id={leftSourceID} />
      </Fact>
      <Fact name={side.right}>
        <SourceLink id={rightSourceID} />
      </Fact>
      <Fact name={fields.period}>
        <Period {...period} />
      </Fact>
      <Fact name={fields.threshold}>{fromConfidence(String(threshold))}</Fact>
      <Fact name={fields.timingDays}>{businessDays(String(timingDays))}</Fact>
      <Fact name={fields.suspense}>
        <Address address={accounts.suspense} />
      </Fact>
      <Fact name={fields.fees}>
        <Address address={accounts.fees} />
      </Fact>
      <Fact name={fields.created}>
        <Moment at={matching.createdAt} isWhole />
        <span className="text-muted"> · </span>
        <By author={matching.createdBy} />
      </Fact>
      <IdFact id={id} />
    </Facts>
  );
}
