import type { Summary } from "./queries.ts";
import { walletWords } from "./words.ts";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount } from "#console/parts/money/asset.ts";
import { LargeMoney } from "#console/parts/money/money.tsx";
import type { Integer } from "#openapi";

/** What the owner of a wallet can spend, an amount for each asset, and what is held or may expire of it. */
export function Funds({
  summary: { availableFunds, holdFunds, expirableFunds, expiredFunds },
}: {
  readonly summary: Summary;
}) {
  const words = walletWords().detail;
  const assets = Object.keys({ ...availableFunds, ...holdFunds, ...expiredFunds }).toSorted();
  if (assets.length === 0) return <p className="text-muted">{words.nothing}</p>;
  return (
    <>
      <p className="text-muted">{words.available}</p>
      <ul className="flex flex-wrap gap-x-12 gap-y-4">
        {assets.map((asset) => (
          <li key={asset}>
            <LargeMoney amount={availableFunds[asset] ?? 0} asset={asset} />
            <p className="mt-1 flex flex-wrap gap-x-4 text-muted">
              <Part amount={holdFunds[asset]} asset={asset} word={words.held} />
              <Part amount={expirableFunds[asset]} asset={asset} word={words.expirable} />
              <Part amount={expiredFunds[asset]} asset={asset} word={words.expired} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

const Part = ({
  amount = 0,
  asset,
  word,
}: {
  readonly amount: Integer | undefined;
  readonly asset: string;
  readonly word: (amount: string) => string;
}) =>
  BigInt(amount) === 0n ? null : (
    <span className="figures" title={`${String(amount)} ${asset}`}>
      {word(formatAmount(amount, asset, locale))}
    </span>
  );
