import { formatAmount } from "./asset.ts";
import { CopyOnClick } from "#console/parts/base/copy.tsx";
import { locale } from "#console/parts/language/words.ts";
import type { Integer } from "#openapi";

interface MoneyProps {
  readonly amount: Integer;
  readonly asset: string;
}

/** An amount in the asset's scale. Where it does not fit, it loses its last digits, not its unit. The integer of the API is shown on hover. */
export function Money({ amount, asset }: MoneyProps) {
  const text = formatAmount(amount, asset, locale);
  const [, digits = text, unit = ""] = BEFORE_UNIT.exec(text) ?? [];
  return (
    <span
      className="figures inline-flex max-w-full whitespace-pre"
      title={`${String(amount)} ${asset}`}
    >
      <span className="truncate">{digits}</span>
      {unit !== "" && <span className="shrink-0">{unit}</span>}
    </span>
  );
}

/** A text that ends with a unit: its digits, and the unit with the space before it. */
const BEFORE_UNIT = /^(.*\d)(\D+)$/s;

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
