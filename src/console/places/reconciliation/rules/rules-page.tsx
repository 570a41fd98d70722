import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { LastResult, LastRuns } from "./last-runs.tsx";
import { NewRule } from "./rule-form.tsx";
import { NextRun, ScheduleName } from "./schedule.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { mayMakeRules } from "#console/places/reconciliation/common/reach.ts";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import { SeverityName } from "#console/places/reconciliation/common/states.tsx";
import { LIVE_MS, type Rule } from "#console/places/reconciliation/queries/common.ts";
import { rulesQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Time between two reads of what a row shows beside the rule, in milliseconds: each row reads for itself. */
const ROWS_MS = 30_000;

/** The rules, newest first: what they compare, how their last runs went, and when they run next. */
export function RulesPage() {
  const words = reconciliationWords();
  const search = useSearch({ from: "/reconciliation/rules" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.rules}
      query={{ ...rulesQuery(filter), refetchInterval: LIVE_MS }}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/reconciliation/rules/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/reconciliation/rules", search: next, replace: true }),
      }}
      code={[listRequest("/api/reconciliation/rules", filter)]}
      csv={{ name: "rules", columns: CSV, linesOf: oneLine }}
      create={mayMakeRules() ? <NewRule /> : null}
      none={words.rules.none}
    />
  );
}

const CONDITIONS = {
  name: (text: string) => ({ $like: { name: `%${text}%` } }),
  kind: equals("templateKind"),
  enabled: (text: string) => ({ $match: { enabled: text === "true" } }),
};

function fieldsOf(): readonly FilterField[] {
  const { fields, kind } = reconciliationWords();
  return [
    { id: "name", label: fields.name, example: "safeguarding" },
    {
      id: "kind",
      label: fields.kind,
      example: "source_parity",
      choices: Object.entries(kind).map(([value, label]) => ({ value, label })),
    },
    {
      id: "enabled",
      label: fields.enabled,
      example: "true",
      choices: [
        { value: "true", label: fields.yes },
        { value: "false", label: fields.no },
      ],
    },
  ];
}

const CSV: readonly CsvColumn<Rule>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["templateKind", ({ templateKind }) => templateKind],
  ["enabled", ({ enabled }) => enabled],
  ["severity", ({ severity }) => severity],
  ["cadence", ({ cadence }) => cadence],
  ["createdAt", ({ createdAt }) => createdAt],
  ["updatedAt", ({ updatedAt }) => updatedAt],
];

function columnsOf(): readonly Column<Rule>[] {
  const { fields, kind } = reconciliationWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 160,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "state",
      header: fields.enabled,
      width: 130,
      cell: (rule) => <LastResult rule={rule} everyMs={ROWS_MS} />,
      phone: "end",
    },
    {
      id: "last",
      header: fields.last,
      width: 104,
      cell: ({ id }) => <LastRuns id={id} everyMs={ROWS_MS} />,
      phone: "note",
    },
    {
      id: "kind",
      header: fields.kind,
      width: 170,
      grow: 0.4,
      rank: 2,
      cell: ({ templateKind }) => <span className="text-muted">{kind[templateKind]}</span>,
      phone: "note",
    },
    {
      id: "severity",
      header: fields.severity,
      width: 72,
      rank: 4,
      cell: ({ severity }) => <SeverityName severity={severity} />,
    },
    {
      id: "schedule",
      header: fields.schedule,
      width: 150,
      grow: 0.4,
      rank: 3,
      cell: (rule) => (
        <span className="text-muted">
          <ScheduleName rule={rule} everyMs={ROWS_MS} />
        </span>
      ),
    },
    {
      id: "next",
      header: fields.next,
      width: 130,
      rank: 1,
      isNumber: true,
      cell: (rule) => <NextRun rule={rule} everyMs={ROWS_MS} />,
    },
  ];
}
