import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { latestPoolBalancesQuery, poolBalancesQuery } from "./queries.ts";
import { Button } from "#console/parts/base/button.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { LargeMoney } from "#console/parts/money/money.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** What the accounts of a pool hold together: now, or at a chosen moment. */
export function PoolBalances({ id }: { readonly id: string }) {
  const words = paymentWords().pools;
  const [chosen, setChosen] = useState("");
  return (
    <>
      {chosen === "" ? <Latest id={id} /> : <Past id={id} at={new Date(chosen).toISOString()} />}
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <TextField
          label={words.atMoment}
          type="datetime-local"
          value={chosen}
          onChange={setChosen}
          isRequired
        />
        {chosen !== "" && (
          <Button kind="quiet" onClick={() => setChosen("")}>
            {words.now}
          </Button>
        )}
      </div>
    </>
  );
}

const Latest = ({ id }: { readonly id: string }) => (
  <Balances {...useQuery(latestPoolBalancesQuery(id))} />
);

const Past = ({ id, at }: { readonly id: string; readonly at: string }) => (
  <Balances {...useQuery(poolBalancesQuery(id, at))} />
);

type Read = ReturnType<typeof useQuery<PoolBalance[]>>;

interface PoolBalance {
  readonly asset: string;
  readonly amount: number | bigint;
  readonly relatedAccounts: readonly string[];
}

function Balances({ data, error, refetch }: Pick<Read, "data" | "error" | "refetch">) {
  const words = paymentWords().pools;
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={2} />;
  if (data.length === 0) return <p className="text-muted">{words.noBalances}</p>;
  return (
    <ul className="flex flex-wrap gap-x-10 gap-y-3">
      {data.map(({ asset, amount, relatedAccounts: { length } }) => (
        <li key={asset}>
          <LargeMoney amount={amount} asset={asset} />
          <p className="text-note text-muted">{words.inAccounts(length, formatCount(length))}</p>
        </li>
      ))}
    </ul>
  );
}
