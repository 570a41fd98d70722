import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import { stringifyJson } from "#platform/json.ts";

interface RelatedProps {
  readonly ledger: string;
  readonly transaction: Transaction;
}

/** Metadata by which modules say what a transaction belongs to. */
const REVERTS = "com.formance.spec/state/reverts";
const INSTANCE = "orchestration/instance";
const WALLET_TRANSACTION = "wallets/transaction";
const BOOKED = ["payment", "adjustment"] as const;

/** What a transaction belongs to: its revert, and the payment, the workflow or the wallets that made it. */
export function Related({ ledger, transaction }: RelatedProps) {
  const words = ledgerWords().related;
  const { data: revert } = useQuery({
    ...revertQuery(ledger, transaction),
    enabled: transaction.reverted,
  });
  const found: readonly (readonly [name: string, value: ReactNode])[] = [
    ...(revert === undefined || revert === null
      ? []
      : [
          [words.revertedBy, <TransactionLink key={revert} ledger={ledger} id={revert} />] as const,
        ]),
    ...relationsOf(ledger, transaction),
  ];
  if (found.length === 0) return null;
  return (
    <Section title={words.title}>
      <Facts>
        {found.map(([name, value], place) => (
          // oxlint-disable-next-line react/no-array-index-key -- A relation is its place.
          <Fact key={place} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}

/** What the metadata and the accounts of a transaction tell. */
function relationsOf(
  ledger: string,
  { metadata, postings }: Transaction,
): readonly (readonly [name: string, value: ReactNode])[] {
  const words = ledgerWords().related;
  const found: (readonly [string, ReactNode])[] = [];
  const { [REVERTS]: reverts, [INSTANCE]: instance, payment } = metadata;
  if (reverts !== undefined)
    found.push([words.reverts, <TransactionLink key="reverts" ledger={ledger} id={reverts} />]);
  if (payment !== undefined && BOOKED.every((name) => metadata[name] !== undefined))
    found.push([
      words.payment,
      <ForeignLink
        key="payment"
        scope="payments:read"
        path={`/payments/payments/${encodeURIComponent(payment)}`}
        text={payment}
      />,
    ]);
  if (instance !== undefined)
    found.push([
      words.instance,
      <ForeignLink
        key="instance"
        scope="orchestration:read"
        path={`/workflows/instances/${encodeURIComponent(instance)}`}
        text={instance}
      />,
    ]);
  if (metadata[WALLET_TRANSACTION] === undefined) return found;
  const addresses = new Set(postings.flatMap(({ source, destination }) => [source, destination]));
  for (const address of addresses) {
    const [, hold, wallet] = WALLET.exec(address) ?? [];
    if (hold !== undefined) found.push([words.hold, <Foreign key={hold}>{uuidOf(hold)}</Foreign>]);
    else if (wallet !== undefined)
      found.push([
        words.wallet,
        <ForeignLink
          key={wallet}
          scope="wallets:read"
          path={`/wallets/${uuidOf(wallet)}`}
          text={uuidOf(wallet)}
        />,
      ]);
  }
  return found;
}

/** The accounts of wallets and of holds, whose ids have no dashes there. */
const WALLET = /^wallets:(?:holds:(\w+)|(\w+):\w+)$/;
const uuidOf = (id: string): string =>
  id.replace(/^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/, "$1-$2-$3-$4-$5");

const TransactionLink = ({ ledger, id }: { readonly ledger: string; readonly id: string }) => (
  <Link
    to="/ledgers/$ledger/transactions/$id"
    params={{ ledger, id }}
    className="text-accent hover:underline"
  >
    {ledgerWords().transactionTitle(id)}
  </Link>
);

/** A link to a page of another place, for those who may open it. */
const ForeignLink = ({
  scope,
  path,
  text,
}: {
  readonly scope: string;
  readonly path: string;
  readonly text: string;
}) =>
  may(scope) ? (
    <Link to={path as never} className="font-mono text-note text-accent hover:underline">
      <Foreign>{text}</Foreign>
    </Link>
  ) : (
    <span className="font-mono text-note">
      <Foreign>{text}</Foreign>
    </span>
  );

/** The transaction that reverts another one, which names it. */
const revertQuery = (ledger: string, { id }: Transaction) =>
  queryOptions({
    queryKey: ["ledgers", ledger, "revert-of", String(id)],
    queryFn: async ({ signal }) => {
      const query = stringifyJson({ $match: { [`metadata[${REVERTS}]`]: String(id) } });
      const { cursor } = await florin.get(
        "/api/ledger/v2/{ledger}/transactions",
        { path: { ledger }, query: { pageSize: 1, query } },
        { signal },
      );
      const [found] = cursor.data;
      return found === undefined ? null : String(found.id);
    },
  });
