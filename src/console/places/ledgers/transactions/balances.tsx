import { useRef } from "react";
import { Status } from "#console/parts/base/status.tsx";
import { useWidth } from "#console/parts/base/use-width.ts";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { AccountLink } from "#console/places/ledgers/account-link.tsx";
import type { Transaction } from "#console/places/ledgers/queries.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

interface BalancesProps {
  readonly ledger: string;
  readonly transaction: Transaction;
}

/**
 * What a transaction does to each account that it concerns: the balance before and after it. Amounts too long for a table that is narrow stand
 * below each other.
 */
export function Balances({ ledger, transaction }: BalancesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const rows = changesOf(transaction);
  if (rows.length === 0) return null;
  const isTooNarrow = width < WIDE_PX && rows.some((row) => lengthOf(row) > LONG);
  return (
    <div ref={frame}>
      {isTooNarrow ? <Blocks ledger={ledger} rows={rows} /> : <Table ledger={ledger} rows={rows} />}
    </div>
  );
}

/** Width in which three columns of long amounts have room beside an account, in pixels. */
const WIDE_PX = 768;

/** Characters of an amount that three columns have room for beside an account. */
const LONG = 14;

interface RowsProps {
  readonly ledger: string;
  readonly rows: readonly Change[];
}

function Table({ ledger, rows }: RowsProps) {
  const words = ledgerWords().detail;
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
        {rows.map((row) => (
          <tr key={row.key} className="border-b border-line">
            <td className="w-full max-w-0 truncate py-1.5 pr-3 align-middle leading-none">
              <Account ledger={ledger} row={row} />
            </td>
            <td className="py-1.5 pl-3 text-right text-muted max-sm:hidden">
              <Money amount={row.before} asset={row.asset} />
            </td>
            <td className="py-1.5 pl-3 text-right text-muted">
              <Money amount={row.change} asset={row.asset} />
            </td>
            <td className="py-1.5 pl-3 text-right">
              <Money amount={row.after} asset={row.asset} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Blocks({ ledger, rows }: RowsProps) {
  const words = ledgerWords().detail;
  return (
    <ul className="divide-y divide-line border-y border-line">
      {rows.map((row) => (
        <li key={row.key} className="py-2">
          <Account ledger={ledger} row={row} />
          <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3">
            {(["before", "change", "after"] as const).map((name) => (
              <div key={name} className={`contents ${name === "after" ? "" : "text-muted"}`}>
                <dt className="text-muted">{words[name]}</dt>
                <dd className="text-right">
                  <Money amount={row[name]} asset={row.asset} />
                </dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Account({
  ledger,
  row: { address, after },
}: {
  readonly ledger: string;
  readonly row: Change;
}) {
  return (
    <span className="inline-flex max-w-full items-center gap-2">
      <AccountLink ledger={ledger} address={address} />
      {after < 0n && address !== WORLD && (
        <span className="inline-flex shrink-0 text-note">
          <Status tone="warn">{ledgerWords().detail.belowZero}</Status>
        </span>
      )}
    </span>
  );
}

/** The account that money comes from and goes to: it is below zero by nature. */
const WORLD = "world";

interface Change {
  readonly key: string;
  readonly address: string;
  readonly asset: string;
  readonly before: bigint;
  readonly change: bigint;
  readonly after: bigint;
}

const changesOf = ({ preCommitVolumes = {}, postCommitVolumes = {} }: Transaction): Change[] =>
  Object.entries(postCommitVolumes).flatMap(([address, assets]) =>
    Object.entries(assets).map(([asset, { balance }]) => {
      const before = BigInt(preCommitVolumes[address]?.[asset]?.balance ?? 0);
      const after = BigInt(balance);
      return { key: `${address} ${asset}`, address, asset, before, after, change: after - before };
    }),
  );

/** The length of the longest amount of a row. */
const lengthOf = ({ asset, before, change, after }: Change): number =>
  Math.max(...[before, change, after].map((amount) => formatAmount(amount, asset, locale).length));
