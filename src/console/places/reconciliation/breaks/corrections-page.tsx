import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { CorrectionStatus } from "./break-parts.tsx";
import { mayDecide } from "./deciding.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { MatchingName } from "#console/places/reconciliation/lines/matching-name.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type BreakCorrection,
  correctionsQuery,
} from "#console/places/reconciliation/queries/breaks.ts";
import { LIVE_MS } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The corrections and write-offs of all matchings, newest first, with those that wait for the person who looks. */
export function CorrectionsPage() {
  const search = useSearch({ from: "/reconciliation/corrections" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={reconciliationWords().tabs.corrections}
      query={{ ...correctionsQuery(filter), refetchInterval: LIVE_MS }}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ matchingID, line }) =>
        void navigate({
          to: "/reconciliation/matchings/$id/breaks/$line",
          params: { id: matchingID, line: String(line) },
        })
      }
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/reconciliation/corrections", search: next, replace: true }),
      }}
      code={[listRequest("/api/florin/v1/reconciliation/corrections", filter)]}
      csv={{ name: "corrections", columns: CSV, linesOf: oneLine }}
      none={matchingWords().corrections.none}
    />
  );
}

const CONDITIONS = { state: equals("state"), kind: equals("kind") };

const STATES = ["waiting", "booked", "failed", "refused"] as const;

function fieldsOf(): readonly FilterField[] {
  const { fields, correctionState, corrections } = matchingWords();
  return [
    {
      id: "state",
      label: fields.state,
      example: "waiting",
      choices: STATES.map((value) => ({ value, label: correctionState[value] })),
    },
    {
      id: "kind",
      label: fields.kind,
      example: "write_off",
      choices: Object.entries(corrections.kind).map(([value, label]) => ({ value, label })),
    },
  ];
}

const CSV: readonly CsvColumn<BreakCorrection>[] = [
  ["id", ({ id }) => id],
  ["matchingID", ({ matchingID }) => matchingID],
  ["line", ({ line }) => line],
  ["kind", ({ kind }) => kind],
  ["state", ({ state }) => state],
  ["ledger", ({ ledger }) => ledger],
  ["transactionID", ({ transactionID }) => transactionID],
  ["note", ({ note }) => note],
  ["createdAt", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<BreakCorrection>[] {
  const { fields, corrections } = matchingWords();
  return [
    {
      id: "matching",
      header: fields.matching,
      width: 150,
      grow: 1,
      cell: ({ matchingID }) => <MatchingName id={matchingID} />,
      phone: "main",
    },
    {
      id: "kind",
      header: fields.kind,
      width: 110,
      cell: ({ kind }) => corrections.kind[kind],
      phone: "note",
    },
    {
      id: "state",
      header: fields.state,
      width: 190,
      cell: (correction) =>
        mayDecide(correction) ? (
          <Status tone="warn">{corrections.waitsForMe}</Status>
        ) : (
          <CorrectionStatus state={correction.state} />
        ),
      phone: "end",
    },
    {
      id: "ledger",
      header: fields.ledger,
      width: 100,
      rank: 3,
      cell: ({ ledger }) => <Foreign>{ledger}</Foreign>,
    },
    {
      id: "note",
      header: fields.note,
      width: 140,
      grow: 1,
      rank: 2,
      cell: ({ note }) => <Foreign>{note}</Foreign>,
    },
    {
      id: "by",
      header: fields.by,
      width: 120,
      rank: 1,
      cell: ({ requestedBy }) => <By author={requestedBy} />,
      phone: "note",
    },
    {
      id: "when",
      header: fields.when,
      width: 120,
      rank: 4,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
  ];
}
