import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { AlertView } from "./alert-view.tsx";
import { ALERT_CSV, alertColumns } from "./columns.tsx";
import { subjectText } from "./subject.tsx";
import { Choice } from "#console/parts/base/choice.tsx";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { visible } from "#console/parts/language/visible.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import { shortId } from "#console/places/reconciliation/common/names.tsx";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import { ACTIVE, alertQuery, alertsQuery } from "#console/places/reconciliation/queries/alerts.ts";
import { LIVE_MS } from "#console/places/reconciliation/queries/common.ts";
import { ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Which alerts the inbox shows: by default, those that somebody has to look at. */
type Shown = "active" | "RESOLVED" | "all";

/** The inbox of alerts, last seen first. An alert opens beside the list. */
export function AlertsPage() {
  const words = reconciliationWords();
  const search = useSearch({ from: "/reconciliation/alerts" });
  const navigate = useNavigate();
  const columns = useMemo(() => alertColumns(), []);
  const fields = useFields(search.rule);
  const values = valuesIn(search, fields);
  const { open } = search;
  const shown = shownOf(search.status);
  const show = useCallback(
    (next: FilterValues, status: Shown, openId: string | undefined) =>
      void navigate({
        to: "/reconciliation/alerts",
        search: {
          ...next,
          ...(status === "active" ? {} : { status }),
          ...(openId === undefined ? {} : { open: openId }),
        },
        replace: true,
      }),
    [navigate],
  );
  const filter = filterFor(values, shown);
  return (
    <ListPage
      label={words.tabs.alerts}
      query={{ ...alertsQuery(filter), refetchInterval: LIVE_MS }}
      columns={columns}
      idOf={({ id }) => id}
      openId={open}
      onOpen={({ id }) => show(values, shown, id)}
      filters={{ fields, values, onChange: (next) => show(next, shown, open) }}
      status={
        <Choice
          label={words.alerts.show}
          options={(["active", "RESOLVED", "all"] as const).map((each) => [
            each,
            words.alerts.shown[each],
          ])}
          chosen={shown}
          onChoose={(next) => show(values, next, open)}
        />
      }
      code={[listRequest("/api/reconciliation/alerts", filter)]}
      csv={{ name: "alerts", columns: ALERT_CSV, linesOf: oneLine }}
      none={shown === "active" ? words.alerts.noneActive : words.alerts.none}
      panel={
        open !== undefined && (
          <AlertPanel
            id={open}
            onClose={() => show(values, shown, undefined)}
            onExpand={() =>
              void navigate({ to: "/reconciliation/alerts/$id", params: { id: open } })
            }
          />
        )
      }
    />
  );
}

function AlertPanel({
  id,
  ...panel
}: {
  readonly id: string;
  readonly onClose: () => void;
  readonly onExpand: () => void;
}) {
  const { data } = useQuery(alertQuery(id));
  return (
    <Panel title={data === undefined ? shortId(id) : visible(subjectText(data))} {...panel}>
      <AlertView key={id} id={id} />
    </Panel>
  );
}

const shownOf = (status: string | undefined): Shown =>
  status === "RESOLVED" || status === "all" ? status : "active";

const CONDITIONS = {
  rule: equals("ruleID"),
  severity: equals("severity"),
  period: equals("periodID"),
  status: (shown: string) => (shown === "active" ? ACTIVE : equals("status")(shown)),
};

/** The filter of the API: what is shown, and the filters of the bar. */
const filterFor = (values: FilterValues, shown: Shown): string | undefined =>
  filterOf(shown === "all" ? values : { ...values, status: shown }, CONDITIONS);

/** The filters of the bar. That by a rule, which other pages link to, is shown by the rule's name. */
function useFields(rule: string | undefined): readonly FilterField[] {
  const { fields, severity } = reconciliationWords();
  const { data } = useQuery({ ...ruleQuery(rule ?? ""), enabled: rule !== undefined });
  return [
    {
      id: "rule",
      label: fields.rule,
      example: fields.id,
      accepts: () => true,
      choices: rule === undefined ? [] : [{ value: rule, label: data?.name ?? shortId(rule) }],
    },
    {
      id: "severity",
      label: fields.severity,
      example: "high",
      choices: Object.entries(severity).map(([value, label]) => ({ value, label })),
    },
    { id: "period", label: fields.period, example: "2026-11" },
  ];
}
