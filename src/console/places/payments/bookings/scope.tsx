import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { poolNamesQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { ConnectorLink, ConnectorName } from "#console/places/payments/common/names.tsx";
import type { Booking } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

type ScopeProps = Pick<Booking, "connectorID" | "poolID">;

/** The connector or pool whose payments are booked. */
export function ScopeName({ connectorID, poolID }: ScopeProps) {
  if (connectorID !== undefined) return <ConnectorName id={connectorID} />;
  return poolID === undefined ? paymentWords().connector : <PoolName id={poolID} />;
}

export function ScopeLink({ connectorID, poolID }: ScopeProps) {
  if (connectorID !== undefined) return <ConnectorLink id={connectorID} />;
  if (poolID === undefined) return null;
  return (
    <Link to="/payments/pools/$id" params={{ id: poolID }} className="text-accent hover:underline">
      <PoolName id={poolID} />
    </Link>
  );
}

function PoolName({ id }: { readonly id: string }) {
  const { data } = useQuery(poolNamesQuery());
  const name = data?.find((pool) => pool.id === id)?.name ?? id;
  return <Foreign>{paymentWords().bookings.poolName(name)}</Foreign>;
}
