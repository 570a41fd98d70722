import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewMatching } from "./new-matching.tsx";
import { MatchedShare, RunState } from "./run-state.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { filterOf } from "#console/parts/filters/api-filter.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import { SourceName } from "#console/places/reconciliation/lines/source-link.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { LIVE_MS } from "#console/places/reconciliation/queries/common.ts";
import { type Matching, matchingsQuery } from "#console/places/reconciliation/queries/matchings.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The matchings, newest first: their sides, how their last runs went, and what is open. */
export function MatchingsPage() {
  const search = useSearch({ from: "/reconciliation/matchings" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(
    () => [{ id: "name", label: matchingWords().fields.name, example: "bank" }],
    [],
  );
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={reconciliationWords().tabs.matchings}
      query={{ ...matchingsQuery(filter), refetchInterval: LIVE_MS }}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/reconciliation/matchings/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/reconciliation/matchings", search: next, replace: true }),
      }}
      code={[listRequest("/api/florin/v1/reconciliation/matchings", filter)]}
      csv={{ name: "matchings", columns: CSV, linesOf: oneLine }}
      create={mayWrite() ? <NewMatching /> : null}
      none={matchingWords().none}
    />
  );
}

const CONDITIONS = { name: (text: string) => ({ $like: { name: `%${text}%` } }) };

const CSV: readonly CsvColumn<Matching>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["leftSourceID", ({ leftSourceID }) => leftSourceID],
  ["rightSourceID", ({ rightSourceID }) => rightSourceID],
  ["from", ({ period }) => period.from],
  ["to", ({ period }) => period.to],
  ["lastRunState", ({ lastRun }) => lastRun?.state],
  ["lastRunEndedAt", ({ lastRun }) => lastRun?.endedAt],
  ["open", ({ lastRun }) => lastRun?.open],
];

function columnsOf(): readonly Column<Matching>[] {
  const { fields } = matchingWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 150,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "sides",
      header: fields.sides,
      width: 180,
      grow: 1,
      rank: 2,
      cell: ({ leftSourceID, rightSourceID }) => (
        <span className="text-muted">
          <SourceName id={leftSourceID} /> ↔ <SourceName id={rightSourceID} />
        </span>
      ),
    },
    {
      id: "state",
      header: fields.lastRun,
      width: 130,
      cell: ({ lastRun }) => <RunState run={lastRun} />,
      phone: "end",
    },
    {
      id: "when",
      header: fields.when,
      width: 120,
      rank: 3,
      isNumber: true,
      cell: ({ lastRun }) => (lastRun === undefined ? null : <Moment at={lastRun.startedAt} />),
    },
    {
      id: "share",
      header: fields.matched,
      width: 104,
      rank: 1,
      isNumber: true,
      cell: (matching) => <MatchedShare matching={matching} />,
    },
    {
      id: "open",
      header: fields.open,
      width: 80,
      isNumber: true,
      cell: ({ lastRun }) => (lastRun === undefined ? null : formatCount(lastRun.open)),
      phone: "note",
      isNamed: true,
    },
  ];
}
