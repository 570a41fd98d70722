import { useQuery } from "@tanstack/react-query";
import { type Initiation, lastBalanceQuery } from "./queries.ts";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** What the paying account has now and would have afterwards, while the money has not moved. */
export function SourceBalance({ initiation }: { readonly initiation: Initiation }) {
  const { sourceAccountID, amount, asset, status } = initiation;
  const isOpen = status === "WAITING_FOR_VALIDATION" || status === "SCHEDULED_FOR_PROCESSING";
  if (sourceAccountID === undefined || !isOpen) return null;
  return <Balances accountId={sourceAccountID} amount={amount} asset={asset} />;
}

function Balances({
  accountId,
  amount,
  asset,
}: Pick<Initiation, "amount" | "asset"> & { readonly accountId: string }) {
  const words = paymentWords().initiations;
  const { data } = useQuery(lastBalanceQuery(accountId, asset));
  if (data === undefined) return null;
  if (data === null) return <p className="mt-2 text-muted">{words.balanceUnknown}</p>;
  const after = BigInt(data.balance) - BigInt(amount);
  return (
    <p className="mt-2 text-muted">
      {words.balanceNow} <Money amount={data.balance} asset={asset} />, {words.balanceAfter}{" "}
      <Money amount={after} asset={asset} />
      {after < 0n && <span className="text-warn"> · {words.notEnough}</span>}
      {" · "}
      {words.balanceAsOf} <Moment at={data.lastUpdatedAt} />
    </p>
  );
}
