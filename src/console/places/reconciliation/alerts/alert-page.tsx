import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { AlertView } from "./alert-view.tsx";
import { subjectText } from "./subject.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { listCrumb, ruleCrumb } from "#console/places/reconciliation/common/crumbs.tsx";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { alertQuery } from "#console/places/reconciliation/queries/alerts.ts";
import { ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** An alert on a page of its own. */
export function AlertPage() {
  const { id } = useParams({ from: "/reconciliation/alerts/$id" });
  const { data } = useQuery(alertQuery(id));
  const rule = useQuery({ ...ruleQuery(data?.ruleID ?? ""), enabled: data !== undefined });
  const crumbs =
    data === undefined
      ? [listCrumb("alerts")]
      : [listCrumb("alerts"), ruleCrumb(data.ruleID, rule.data?.name)];
  return (
    <>
      <PageTitle
        crumbs={crumbs}
        title={data === undefined ? reconciliationWords().alert : subjectText(data)}
        actions={<AsCode requests={requestsOf(id)} />}
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-3xl p-6 max-sm:p-4">
          <AlertView id={id} />
        </div>
      </div>
    </>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (alertID: string) => [
  readRequest("/api/reconciliation/alerts/{alertID}", { alertID }),
  readRequest("/api/reconciliation/alerts/{alertID}/events", { alertID }),
];
