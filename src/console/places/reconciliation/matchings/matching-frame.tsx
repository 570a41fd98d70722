import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { MatchingActions } from "./matching-actions.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { matchingsCrumb } from "#console/places/reconciliation/lines/crumbs.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

const TABS = [
  ["groups", "/reconciliation/matchings/$id/groups"],
  ["breaks", "/reconciliation/matchings/$id/breaks"],
  ["hand", "/reconciliation/matchings/$id/hand"],
  ["passes", "/reconciliation/matchings/$id/passes"],
  ["close", "/reconciliation/matchings/$id/close"],
] as const;

/** The frame of the pages of a matching: its name, what can be done with it, and a tab for each page. */
export function MatchingFrame() {
  const { id } = useParams({ from: "/reconciliation/matchings/$id" });
  const words = matchingWords();
  const { data, error, refetch } = useQuery(matchingQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[matchingsCrumb()]}
        title={data?.name ?? words.matching}
        actions={
          <span className="flex flex-wrap items-center gap-2 print:hidden">
            <AsCode
              requests={[
                readRequest("/api/florin/v1/reconciliation/matchings/{matchingID}", {
                  matchingID: id,
                }),
              ]}
            />
            {data !== undefined && mayWrite() && <MatchingActions matching={data} />}
          </span>
        }
      />
      <div className="print:hidden">
        <Tabs label={data?.name ?? words.matching}>
          <Link
            to="/reconciliation/matchings/$id"
            params={{ id }}
            activeOptions={{ exact: true }}
            className={TAB_CLASS}
          >
            {words.tabs.overview}
          </Link>
          {TABS.map(([name, to]) => (
            <Link key={name} to={to} params={{ id }} className={TAB_CLASS}>
              {words.tabs[name]}
            </Link>
          ))}
        </Tabs>
      </div>
      {error !== null && data === undefined ? (
        <Failure error={error} retry={() => void refetch()} />
      ) : (
        <Outlet />
      )}
    </>
  );
}
