import { formatAmount } from "./asset.ts";
import { parseAmount } from "./parse-amount.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { locale } from "#console/parts/language/words.ts";
import { partWords } from "#console/parts/part-words.ts";

/** An input of an amount in the asset's unit. Below it stands the amount as it is understood, before anything is sent. */
export function AmountField({
  label,
  value,
  onChange,
  asset,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly asset: string;
}) {
  const amount = parseAmount(value, asset, locale);
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      isRequired
      check={(text) =>
        (parseAmount(text, asset, locale) ?? 0n) > 0n ? null : partWords().form.noAmount
      }
      hint={
        amount === undefined ? partWords().form.amountHint : formatAmount(amount, asset, locale)
      }
    />
  );
}
