import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { PoolAccounts } from "./pool-accounts.tsx";
import { PoolBalances } from "./pool-balances.tsx";
import { type Pool, poolQuery } from "./queries.ts";
import { florin, may } from "#console/api/florin.ts";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { ConfirmButton } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { readRequest } from "#console/places/payments/common/requests.ts";
import { listCrumb } from "#console/places/payments/payments-frame.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** A pool: what its accounts hold together at a moment, and which accounts these are. */
export function PoolPage() {
  const { id } = useParams({ from: "/payments/pools/$id" });
  const { data, error, refetch } = useQuery(poolQuery(id));
  return (
    <>
      <PageTitle
        crumbs={[listCrumb("pools")]}
        title={data?.name ?? paymentWords().pool}
        actions={
          <>
            <AsCode requests={requestsOf(id)} />
            {data !== undefined && may("payments:write") && <DeletePool pool={data} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && data === undefined && (
          <Failure error={error} retry={() => void refetch()} />
        )}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details pool={data} />}
      </div>
    </>
  );
}

function Details({ pool }: { readonly pool: Pool }) {
  const { fields, pools: words } = paymentWords();
  const { id, type, query, createdAt } = pool;
  return (
    <div className="max-w-3xl p-6 max-sm:p-4">
      <PoolBalances id={id} />
      <div className="mt-6">
        <Facts>
          <Fact name={fields.type}>{words.type[type]}</Fact>
          <Fact name={fields.created}>
            <Moment at={createdAt} isWhole />
          </Fact>
          <Fact name={fields.id}>
            <span className="inline-flex items-center gap-1">
              <span className="font-mono text-note">{id}</span>
              <CopyButton value={id} what={fields.id} />
            </span>
          </Fact>
        </Facts>
      </div>
      {type === "STATIC" ? (
        <PoolAccounts pool={pool} />
      ) : (
        <Section title={words.rule}>
          <JsonView value={query} />
        </Section>
      )}
    </div>
  );
}

function DeletePool({ pool: { id, name } }: { readonly pool: Pool }) {
  const words = paymentWords().pools;
  const navigate = useNavigate();
  const remove = useWrite(
    (_: undefined, options) =>
      florin.delete("/api/payments/v3/pools/{poolID}", { path: { poolID: id } }, options),
    {
      refresh: [[...PAYMENTS_KEY, "pools"]],
      onDone: () => navigate({ to: "/payments/pools" }),
    },
  );
  return (
    <ConfirmButton
      trigger={words.delete}
      title={words.deleteTitle(name)}
      submit={words.delete}
      write={remove}
      onConfirm={() => remove.send(undefined)}
    >
      <p>{words.deleteMeaning}</p>
    </ConfirmButton>
  );
}

/** The requests of the page, for its code. */
const requestsOf = (id: string) => [
  readRequest("/api/payments/v3/pools/{poolID}", { poolID: id }),
  readRequest("/api/payments/v3/pools/{poolID}/balances/latest", { poolID: id }),
];
