import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { RunPolicy } from "./run-policy.tsx";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { CheckPicture } from "#console/places/reconciliation/checks/check-picture.tsx";
import { listCrumb } from "#console/places/reconciliation/common/crumbs.tsx";
import { IdFact } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { listRequest, readRequest } from "#console/places/reconciliation/common/requests.ts";
import { ReconciliationStatus } from "#console/places/reconciliation/common/states.tsx";
import {
  LIVE_MS,
  type Policy,
  type Reconciliation,
  RECONCILIATION_KEY,
} from "#console/places/reconciliation/queries/common.ts";
import {
  ofPolicy,
  policyQuery,
  reconciliationsQuery,
} from "#console/places/reconciliation/queries/policies.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** A policy: what it compares, and what its runs have found. */
export function PolicyPage() {
  const { id } = useParams({ from: "/reconciliation/policies/$id" });
  const { data, error, refetch } = useQuery(policyQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("policies")]}
        title={data?.name ?? reconciliationWords().policy}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && mayWrite() && (
              <>
                <DeletePolicy id={id} />
                <RunPolicy id={id} />
              </>
            )}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details policy={data} />}
      </div>
    </>
  );
}

function Details({ policy }: { readonly policy: Policy }) {
  const { fields, rules, policies: words } = reconciliationWords();
  const { id, ledgerName, ledgerQuery, paymentsPoolID, createdAt } = policy;
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <Section title={rules.compares}>
        <CheckPicture
          spec={{
            kind: "ledger_vs_pool_drift",
            sources: [
              { kind: "ledger", ledger: ledgerName, query: ledgerQuery, sign: 1 },
              { kind: "pool", poolId: paymentsPoolID, sign: 1 },
            ],
            isPerAccount: false,
            limits: [],
          }}
        />
      </Section>
      <Section title={words.runs}>
        <Runs policy={id} />
      </Section>
      <div className="mt-8">
        <Facts>
          <Fact name={fields.created}>
            <Moment at={createdAt} isWhole />
          </Fact>
          <IdFact id={id} />
        </Facts>
      </div>
    </div>
  );
}

/** The reconciliations of a policy, newest first. */
function Runs({ policy }: { readonly policy: string }) {
  const words = reconciliationWords().policies;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...reconciliationsQuery(policy),
    refetchInterval: LIVE_MS,
  });
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages.flatMap((page) => page.rows);
  if (rows.length === 0) return <p className="text-muted">{words.noRuns}</p>;
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.runs}
          columns={columns}
          rows={rows}
          idOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: "/reconciliation/reconciliations/$id", params: { id } })
          }
        />
      </div>
      {hasNextPage && (
        <Button kind="quiet" className="mt-2" onClick={() => void fetchNextPage()}>
          {partWords().table.more}
        </Button>
      )}
    </>
  );
}

function columnsOf(): readonly Column<Reconciliation>[] {
  const { fields, policies: words } = reconciliationWords();
  return [
    {
      id: "status",
      header: fields.result,
      width: 140,
      cell: ({ status }) => <ReconciliationStatus status={status} />,
      phone: "main",
    },
    {
      id: "drift",
      header: words.drifting,
      width: 140,
      grow: 1,
      cell: ({ driftBalances }) => (
        <span className="text-muted">{driftingIn(driftBalances).join(", ") || words.noDrift}</span>
      ),
      phone: "note",
    },
    {
      id: "ledger",
      header: words.atLedger,
      width: 150,
      rank: 2,
      isNumber: true,
      cell: ({ reconciledAtLedger }) => <Moment at={reconciledAtLedger} />,
    },
    {
      id: "payments",
      header: words.atPayments,
      width: 150,
      rank: 2,
      isNumber: true,
      cell: ({ reconciledAtPayments }) => <Moment at={reconciledAtPayments} />,
    },
    {
      id: "created",
      header: fields.when,
      width: 136,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "end",
    },
  ];
}

/** The assets that do not add up to zero. */
const driftingIn = (drifts: Reconciliation["driftBalances"]): string[] =>
  Object.entries(drifts).flatMap(([asset, drift]) => (BigInt(drift) === 0n ? [] : [asset]));

function DeletePolicy({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={reconciliationWords().policies}
      remove={(call) =>
        florin.delete("/api/reconciliation/policies/{policyID}", { path: { policyID: id } }, call)
      }
      refresh={[[...RECONCILIATION_KEY, "policies"]]}
      onDone={() => navigate({ to: "/reconciliation/policies" })}
    />
  );
}

/** The requests of the page, for its code. */
const requestsOf = (policyID: string) => [
  readRequest("/api/reconciliation/policies/{policyID}", { policyID }),
  listRequest("/api/reconciliation/reconciliations", ofPolicy(policyID)),
];
