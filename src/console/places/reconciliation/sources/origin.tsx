import { useQuery } from "@tanstack/react-query";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { PoolName, shortId } from "#console/places/reconciliation/common/names.tsx";
import {
  connectorMenuQuery,
  type ItemSource,
} from "#console/places/reconciliation/queries/sources.ts";

/** What a source reads: an account of a bank, accounts of a ledger, a connector or a pool. */
export function SourceOrigin({ source }: { readonly source: ItemSource }) {
  switch (source.kind) {
    case "statement":
      return source.account === undefined ? null : (
        <span className="font-mono text-note">
          <Foreign>{source.account}</Foreign>
        </span>
      );
    case "accounts":
      return (
        <span className="inline-flex max-w-full items-baseline gap-2">
          <Foreign>{source.ledger}</Foreign>
          <Address address={source.account} />
        </span>
      );
    case "connector":
      return <ConnectorName id={source.connectorID} />;
    case "pool":
      return <PoolName id={source.poolID} />;
  }
}

/** The name of a connector; the beginning of its id where it is not known, or is gone. */
export function ConnectorName({ id }: { readonly id: string }) {
  const { data } = useQuery(connectorMenuQuery());
  return <Foreign>{data?.find((connector) => connector.id === id)?.name ?? shortId(id)}</Foreign>;
}
