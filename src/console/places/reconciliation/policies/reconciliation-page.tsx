import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { ComparisonList } from "#console/places/reconciliation/checks/comparison-list.tsx";
import type { Comparison } from "#console/places/reconciliation/checks/outcomes.ts";
import { listCrumb, policyCrumb } from "#console/places/reconciliation/common/crumbs.tsx";
import { IdFact } from "#console/places/reconciliation/common/names.tsx";
import { readRequest } from "#console/places/reconciliation/common/requests.ts";
import { ReconciliationStatus } from "#console/places/reconciliation/common/states.tsx";
import type { Reconciliation } from "#console/places/reconciliation/queries/common.ts";
import {
  policyQuery,
  reconciliationQuery,
} from "#console/places/reconciliation/queries/policies.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A reconciliation: what the ledger and the pool had at their moments, and what is left of each asset. */
export function ReconciliationPage() {
  const { id } = useParams({ from: "/reconciliation/reconciliations/$id" });
  const { data, error, refetch } = useQuery(reconciliationQuery(id));
  const policy = useQuery({ ...policyQuery(data?.policyID ?? ""), enabled: data !== undefined });
  const crumbs =
    data === undefined
      ? [listCrumb("policies")]
      : [listCrumb("policies"), policyCrumb(data.policyID, policy.data?.name)];
  return (
    <>
      <PageTitle
        crumbs={crumbs}
        title={reconciliationWords().reconciliation}
        actions={
          <AsCode
            requests={[
              readRequest("/api/reconciliation/reconciliations/{reconciliationID}", {
                reconciliationID: id,
              }),
            ]}
          />
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details reconciliation={data} />}
      </div>
    </>
  );
}

function Details({ reconciliation }: { readonly reconciliation: Reconciliation }) {
  const { fields, policies: words } = reconciliationWords();
  const { id, status, createdAt, reconciledAtLedger, reconciledAtPayments } = reconciliation;
  const comparisons = comparisonsIn(reconciliation);
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <p className="mb-6 text-section font-medium">
        <ReconciliationStatus status={status} />
      </p>
      <Section title={words.drift}>
        {comparisons.length === 0 ? (
          <p className="text-muted">{words.noAssets}</p>
        ) : (
          <ComparisonList comparisons={comparisons} ledger={undefined} />
        )}
      </Section>
      <div className="mt-8">
        <Facts>
          <Fact name={words.atLedger}>
            <Moment at={reconciledAtLedger} isWhole />
          </Fact>
          <Fact name={words.atPayments}>
            <Moment at={reconciledAtPayments} isWhole />
          </Fact>
          <Fact name={fields.when}>
            <Moment at={createdAt} isWhole />
          </Fact>
          <IdFact id={id} />
        </Facts>
      </div>
    </div>
  );
}

/** Both sides of each asset with their sum, those that drift first. An asset that a side lacks counts as zero. */
function comparisonsIn({
  ledgerBalances,
  paymentsBalances,
  driftBalances,
}: Reconciliation): readonly Comparison[] {
  return Object.keys(driftBalances)
    .map((asset): Comparison => {
      const [ledger, pool] = [ledgerBalances[asset] ?? 0, paymentsBalances[asset] ?? 0];
      const difference = BigInt(ledger) + BigInt(pool);
      return {
        id: asset,
        asset,
        passed: difference === 0n,
        sides: [
          { name: { kind: "ledger" }, amount: ledger },
          { name: { kind: "pool" }, amount: pool },
        ],
        difference,
        isSum: true,
      };
    })
    .toSorted((one, other) => Number(one.passed) - Number(other.passed));
}
