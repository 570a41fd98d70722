import type { Summary } from "./queries.ts";
import { walletWords } from "./words.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { AmountField } from "#console/parts/money/amount-field.tsx";

/** What all forms that move money have. */
export interface Movement {
  readonly asset: string;
  /** As the person has typed it, in the asset's unit. */
  readonly amount: string;
  readonly reference: string;
}

/** The assets that a wallet has or had, the likeliest ones of a movement. */
export const assetsOf = ({ availableFunds, holdFunds, balances }: Summary): string[] => [
  ...new Set([
    ...Object.keys(availableFunds),
    ...balances.flatMap(({ assets }) => Object.keys(assets)),
    ...Object.keys(holdFunds),
  ]),
];

export function MovementFields({
  value,
  onChange,
}: {
  readonly value: Movement;
  readonly onChange: (value: Movement) => void;
}) {
  const words = walletWords().movement;
  const { asset, amount, reference } = value;
  return (
    <>
      <TextField
        label={words.asset}
        value={asset}
        onChange={(next) => onChange({ asset: next, amount, reference })}
        hint={words.assetHint}
        pattern="[A-Z][A-Z0-9_]{0,16}(/\d{1,6})?"
        placeholder="EUR/2"
        isRequired
        isCode
      />
      <AmountField
        label={words.amount}
        value={amount}
        onChange={(next) => onChange({ asset, amount: next, reference })}
        asset={asset}
      />
      <TextField
        label={words.reference}
        value={reference}
        onChange={(next) => onChange({ asset, amount, reference: next })}
        hint={words.referenceHint}
      />
    </>
  );
}
