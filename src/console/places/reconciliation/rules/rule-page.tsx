import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { LastResult, LastRuns } from "./last-runs.tsx";
import { RuleActions } from "./rule-actions.tsx";
import { Runs } from "./runs.tsx";
import { ChangeSchedule, ScheduleFacts } from "./schedule.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { TextView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { alertColumns } from "#console/places/reconciliation/alerts/columns.tsx";
import { CheckPicture } from "#console/places/reconciliation/checks/check-picture.tsx";
import { specOf } from "#console/places/reconciliation/checks/spec.ts";
import { listCrumb } from "#console/places/reconciliation/common/crumbs.tsx";
import { Labels } from "#console/places/reconciliation/common/labels.tsx";
import { IdFact, LINK } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { listRequest, readRequest } from "#console/places/reconciliation/common/requests.ts";
import { SeverityName } from "#console/places/reconciliation/common/states.tsx";
import { ACTIVE, alertsQuery } from "#console/places/reconciliation/queries/alerts.ts";
import { LIVE_MS, type Rule } from "#console/places/reconciliation/queries/common.ts";
import { ofRule, ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import { stringifyJson } from "#platform/json.ts";

/** A rule: what it compares and when, its open alerts, and its runs. */
export function RulePage() {
  const { id } = useParams({ from: "/reconciliation/rules/$id" });
  const { data, error, refetch } = useQuery({ ...ruleQuery(id), refetchInterval: LIVE_MS });
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("rules")]}
        title={data?.name ?? reconciliationWords().rule}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && mayWrite() && <RuleActions rule={data} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details rule={data} />}
      </div>
    </>
  );
}

function Details({ rule }: { readonly rule: Rule }) {
  const { fields, rules: words, schedule } = reconciliationWords();
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <div className="grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          <Section title={words.compares}>
            <Check rule={rule} />
          </Section>
        </div>
        <div className="min-w-0">
          <Section title={schedule.title} actions={mayWrite() && <ChangeSchedule id={rule.id} />}>
            <Facts>
              <Fact name={fields.enabled}>
                <span className="inline-flex flex-wrap items-center gap-x-4">
                  <LastResult rule={rule} everyMs={LIVE_MS} />
                  <LastRuns id={rule.id} everyMs={LIVE_MS} />
                </span>
              </Fact>
              <ScheduleFacts rule={rule} />
            </Facts>
          </Section>
        </div>
      </div>
      <OpenAlerts rule={rule} />
      <Section title={words.runs}>
        <Runs rule={rule.id} />
      </Section>
      <Section title={words.details}>
        <RuleFacts rule={rule} />
      </Section>
      {rule.explanationCEL !== undefined && (
        <Section title={words.expression}>
          <TextView text={rule.explanationCEL} what={words.expression} />
        </Section>
      )}
    </div>
  );
}

/** What a rule compares; what to do, where this version of Florin refuses its check. */
function Check({ rule }: { readonly rule: Rule }) {
  const { result, rules: words } = reconciliationWords();
  const spec = specOf(rule);
  if (spec !== undefined && rule.explanationCEL !== undefined) return <CheckPicture spec={spec} />;
  return (
    <>
      <Status tone="warn">{result.ERROR}</Status>
      <p className="mt-2">{words.unreadable}</p>
    </>
  );
}

function RuleFacts({ rule }: { readonly rule: Rule }) {
  const { fields, cadence, rules: words } = reconciliationWords();
  const { id, severity, labels, notifications, createdAt, updatedAt } = rule;
  return (
    <Facts>
      <Fact name={fields.severity}>
        <SeverityName severity={severity} />
      </Fact>
      <Fact name={fields.period}>{cadence[rule.cadence]}</Fact>
      <Fact name={words.notifications}>
        {notifications === undefined ? (
          words.allNotifications
        ) : (
          <span className="font-mono text-note">{notifications.join(", ")}</span>
        )}
      </Fact>
      {labels !== undefined && (
        <Fact name={fields.labels}>
          <Labels labels={labels} />
        </Fact>
      )}
      <Fact name={fields.created}>
        <Moment at={createdAt} isWhole />
      </Fact>
      <Fact name={fields.updated}>
        <Moment at={updatedAt} isWhole />
      </Fact>
      <IdFact id={id} />
    </Facts>
  );
}

/** Alerts that are shown; the others are in their list. */
const ALERTS_MAX = 5;

const activeOf = (rule: string): string => stringifyJson({ $and: [ofRule(rule), ACTIVE] });

/** What the rule has found that is not in order yet. */
function OpenAlerts({ rule: { id } }: { readonly rule: Rule }) {
  const words = reconciliationWords();
  const navigate = useNavigate();
  const columns = useMemo(() => alertColumns().filter(({ id: name }) => name !== "rule"), []);
  const { data, error, refetch } = useInfiniteQuery({
    ...alertsQuery(activeOf(id)),
    refetchInterval: LIVE_MS,
  });
  const rows = data?.pages[0]?.rows.slice(0, ALERTS_MAX) ?? [];
  return (
    <Section
      title={words.rules.alerts}
      actions={
        <Link to="/reconciliation/alerts" search={{ rule: id, status: "all" }} className={LINK}>
          {words.rules.showAll}
        </Link>
      }
    >
      {error !== null && data === undefined && (
        <Failure error={error} retry={() => void refetch()} />
      )}
      {data !== undefined && rows.length === 0 && (
        <Status tone="good">{words.rules.noAlerts}</Status>
      )}
      {rows.length > 0 && (
        <div className="-mx-6 max-sm:-mx-4">
          <DataTable
            label={words.rules.alerts}
            columns={columns}
            rows={rows}
            idOf={(alert) => alert.id}
            onOpen={(alert) =>
              void navigate({ to: "/reconciliation/alerts/$id", params: { id: alert.id } })
            }
          />
        </div>
      )}
    </Section>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (ruleID: string) => [
  readRequest("/api/reconciliation/rules/{ruleID}", { ruleID }),
  readRequest("/api/florin/v1/reconciliation/rules/{ruleID}/schedule", { ruleID }),
  listRequest("/api/reconciliation/evaluations", stringifyJson(ofRule(ruleID))),
  listRequest("/api/reconciliation/alerts", activeOf(ruleID)),
];
