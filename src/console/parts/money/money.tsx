import { formatAmount } from "./asset.ts";
import { CopyOnClick } from "#console/parts/base/copy.tsx";
import { locale } from "#console/parts/language/words.ts";
import type { Integer } from "#openapi";

interface MoneyProps {
  readonly amount: Integer;
  readonly asset: string;
}

/** An amount in the asset's scale. The integer of the API is shown on hover. */
export function Money({ amount, asset }: MoneyProps) {
  return (
    <span className="figures whitespace-nowrap" title={`${String(amount)} ${asset}`}>
      {formatAmount(amount, asset, locale)}
    </span>
  );
}

/** The one large amount of a page. A click copies the integer of the API. */
export function LargeMoney({ amount, asset }: MoneyProps) {
  return (
    <CopyOnClick value={String(amount)} title={`${String(amount)} ${asset}`}>
      <span className="figures text-amount font-semibold tracking-tight wrap-anywhere max-sm:text-title">
        {formatAmount(amount, asset, locale)}
      </span>
    </CopyOnClick>
  );
}
