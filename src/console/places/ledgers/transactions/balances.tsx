import { Status } from "#console/parts/base/status.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { AccountLink } from "#console/places/ledgers/account-link.tsx";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** What a transaction does to each account that it concerns: the balance before and after it. */
export function Balances({
  ledger,
  transaction,
}: {
  readonly ledger: string;
  readonly transaction: Transaction;
}) {
  const words = ledgerWords().detail;
  const rows = changesOf(transaction);
  if (rows.length === 0) return null;
  return (
    <table className="w-full">
      <thead>
        <tr className="border-b border-line text-note text-muted">
          <th className="pb-1 text-left font-normal">{words.account}</th>
          <th className="pb-1 pl-3 text-right font-normal max-sm:hidden">{words.before}</th>
          <th className="pb-1 pl-3 text-right font-normal">{words.change}</th>
          <th className="pb-1 pl-3 text-right font-normal">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ address, asset, before, change, after }) => (
          <tr key={`${address} ${asset}`} className="border-b border-line">
            <td className="w-full max-w-0 truncate py-1.5 pr-3 align-middle leading-none">
              <AccountLink ledger={ledger} address={address} />
              {after < 0n && address !== WORLD && (
                <span className="ml-2 text-note">
                  <Status tone="warn">{words.belowZero}</Status>
                </span>
              )}
            </td>
            <td className="py-1.5 pl-3 text-right text-muted max-sm:hidden">
              <Money amount={before} asset={asset} />
            </td>
            <td className="py-1.5 pl-3 text-right text-muted">
              <Money amount={change} asset={asset} />
            </td>
            <td className="py-1.5 pl-3 text-right">
              <Money amount={after} asset={asset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The account that money comes from and goes to: it is below zero by nature. */
const WORLD = "world";

function changesOf({ preCommitVolumes = {}, postCommitVolumes = {} }: Transaction) {
  return Object.entries(postCommitVolumes).flatMap(([address, assets]) =>
    Object.entries(assets).map(([asset, { balance }]) => {
      const before = BigInt(preCommitVolumes[address]?.[asset]?.balance ?? 0);
      const after = BigInt(balance);
      return { address, asset, before, after, change: after - before };
    }),
  );
}
