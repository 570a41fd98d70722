import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { locale } from "#console/parts/language/words.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import {
  ComparisonList,
  SourceName,
} from "#console/places/reconciliation/checks/comparison-list.tsx";
import { ErrorNote } from "#console/places/reconciliation/checks/error-note.tsx";
import { comparisonsOf } from "#console/places/reconciliation/checks/outcomes.ts";
import { listCrumb, ruleCrumb } from "#console/places/reconciliation/common/crumbs.tsx";
import { IdFact, LINK } from "#console/places/reconciliation/common/names.tsx";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { ResultStatus } from "#console/places/reconciliation/common/states.tsx";
import type { Evaluation } from "#console/places/reconciliation/queries/common.ts";
import { evaluationQuery } from "#console/places/reconciliation/queries/evaluations.ts";
import { ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A run of a rule: both sides of each check, as of which moments they were read, and why the rule ran. */
export function EvaluationPage() {
  const { id } = useParams({ from: "/reconciliation/evaluations/$id" });
  const { data, error, refetch } = useQuery(evaluationQuery(id));
  const rule = useQuery({ ...ruleQuery(data?.ruleID ?? ""), enabled: data !== undefined });
  const crumbs =
    data === undefined
      ? [listCrumb("rules")]
      : [listCrumb("rules"), ruleCrumb(data.ruleID, rule.data?.name)];
  return (
    <>
      <PageTitle
        crumbs={crumbs}
        title={reconciliationWords().evaluation}
        actions={
          <AsCode
            requests={[
              readRequest("/api/reconciliation/evaluations/{evaluationID}", { evaluationID: id }),
            ]}
          />
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details evaluation={data} />}
      </div>
    </>
  );
}

function Details({ evaluation }: { readonly evaluation: Evaluation }) {
  const words = reconciliationWords().evaluationPage;
  const { result, startedAt, error, ruleID } = evaluation;
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <p className="mb-6 flex flex-wrap items-center gap-x-4 text-section">
        <span className="font-medium">
          <ResultStatus result={result} />
        </span>
        <span className="text-muted">
          <Moment at={startedAt} isWhole />
        </span>
      </p>
      {error !== undefined && <ErrorNote error={error} />}
      {error === undefined && (
        <Section title={words.checks}>
          <Checks evaluation={evaluation} />
        </Section>
      )}
      <div className="mt-8 grid gap-8 lg:grid-cols-2">
        <div className="min-w-0">
          <Course evaluation={evaluation} />
        </div>
        <div className="min-w-0">
          <Moments evaluation={evaluation} />
        </div>
      </div>
      <p className="mt-8">
        <Link to="/reconciliation/alerts" search={{ rule: ruleID, status: "all" }} className={LINK}>
          {words.alerts}
        </Link>
      </p>
    </div>
  );
}

const LEDGER_KEY = /^ledger:(.*)#\d+$/s;
const SOURCE_NUMBER = /#\d+$/;

/** The only ledger that an evaluation has read; undefined where it has read several or none. */
function onlyLedgerOf({ pitPerSource = {} }: Evaluation): string | undefined {
  const names = Object.keys(pitPerSource).flatMap((key) => LEDGER_KEY.exec(key)?.[1] ?? []);
  const [first, ...others] = [...new Set(names)];
  return others.length === 0 ? first : undefined;
}

function Checks({ evaluation }: { readonly evaluation: Evaluation }) {
  const words = reconciliationWords().evaluationPage;
  const { listed, others, unchanged } = comparisonsOf(evaluation);
  return (
    <>
      {listed.length === 0 ? (
        <p className="text-muted">{words.noChecks}</p>
      ) : (
        <ComparisonList comparisons={listed} ledger={onlyLedgerOf(evaluation)} />
      )}
      {unchanged !== undefined && (
        <p className="mt-2 text-muted">{words.unchanged(formatCount(BigInt(unchanged)))}</p>
      )}
      {others !== undefined && (
        <p className="mt-2 text-muted">{words.others(formatCount(BigInt(others)))}</p>
      )}
    </>
  );
}

/** The moments as of which the sources were read. */
function Moments({ evaluation: { pitPerSource = {} } }: { readonly evaluation: Evaluation }) {
  const words = reconciliationWords().evaluationPage;
  const moments = Object.entries(pitPerSource);
  if (moments.length === 0) return null;
  return (
    <Section title={words.moments}>
      <ul className="divide-y divide-line rounded-md border border-line">
        {moments.map(([source, at]) => (
          <li
            key={source}
            className="flex flex-wrap items-baseline justify-between gap-x-4 px-3 py-2"
          >
            <span className="min-w-0">
              <SourceName source={source.replace(SOURCE_NUMBER, "")} />
            </span>
            <span className="text-muted">
              <Moment at={at} isWhole />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Why the rule ran, and how long it took. */
function Course({ evaluation }: { readonly evaluation: Evaluation }) {
  const { fields, evaluationPage: words } = reconciliationWords();
  const { id, run, startedAt, endedAt } = evaluation;
  const { due = 1, dueAt, late = false } = run;
  return (
    <Section title={words.course}>
      <Facts>
        <Fact name={fields.why}>
          {words.cause[run.kind]}
          {late && <span className="block text-warn">{words.late}</span>}
          {due > 1 && <span className="block text-muted">{words.due(formatCount(due))}</span>}
        </Fact>
        {dueAt !== undefined && (
          <Fact name={words.dueAt}>
            <Moment at={dueAt} isWhole />
          </Fact>
        )}
        <Fact name={words.duration}>
          {formatDuration(Date.parse(endedAt) - Date.parse(startedAt), locale)}
        </Fact>
        <IdFact id={id} />
      </Facts>
    </Section>
  );
}
