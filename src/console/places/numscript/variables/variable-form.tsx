import { useQuery } from "@tanstack/react-query";
import { SIGNS } from "./signs.ts";
import { splitMonetary, toWire, type Variable } from "./values.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { locale } from "#console/parts/language/words.ts";
import { formatAmount, parseAsset } from "#console/parts/money/asset.ts";
import { toUnits } from "#console/parts/money/parse-amount.ts";
import { accountsLikeQuery, recentAssetsQuery } from "#console/places/numscript/queries.ts";
import type { Values } from "#console/places/numscript/types.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

interface VariableFormProps {
  readonly ledger: string;
  readonly variables: readonly Variable[];
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

/** Values as examples, which need no language. */
const PLACEHOLDERS = {
  account: "users:42:main",
  asset: "EUR/2",
  number: "12",
  portion: "2.5%",
} as const;

/** An input for each variable of a script, by its type. */
export function VariableInputs({ ledger, variables, values, onChange }: VariableFormProps) {
  if (variables.length === 0)
    return <p className="text-muted">{numscriptWords().variables.none}</p>;
  return variables.map((variable) => (
    <VariableInput
      key={variable.name}
      ledger={ledger}
      variable={variable}
      value={values[variable.name] ?? ""}
      onChange={(value) => onChange({ ...values, [variable.name]: value })}
    />
  ));
}

interface InputProps {
  readonly ledger: string;
  readonly variable: Variable;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function VariableInput(props: InputProps) {
  const { variable, value, onChange } = props;
  const { name, type } = variable;
  const words = numscriptWords().variables;
  switch (type) {
    case "monetary":
      return <MonetaryInput {...props} />;
    case "account":
      return <AccountInput {...props} />;
    case "asset":
      return <AssetInput {...props} label={name} />;
    case "number":
    case "portion":
      return (
        <TextField
          label={name}
          value={value}
          onChange={onChange}
          isRequired
          isCode
          placeholder={PLACEHOLDERS[type]}
          check={(text) => (toWire(type, text, SIGNS) === undefined ? words.wrong[type] : null)}
        />
      );
    default:
      return <TextField label={name} value={value} onChange={onChange} isRequired />;
  }
}

function AccountInput({ ledger, variable, value, onChange }: InputProps) {
  const words = numscriptWords().variables;
  const { data } = useQuery({
    ...accountsLikeQuery(ledger, value),
    placeholderData: (before) => before,
  });
  return (
    <TextField
      label={variable.name}
      value={value}
      onChange={onChange}
      isRequired
      isCode
      placeholder={PLACEHOLDERS.account}
      suggestions={data?.addresses ?? []}
      check={(text) => (toWire("account", text, SIGNS) === undefined ? words.wrong.account : null)}
    />
  );
}

function AssetInput({
  ledger,
  label,
  value,
  onChange,
}: Omit<InputProps, "variable"> & { readonly label: string }) {
  const words = numscriptWords().variables;
  const { data = [] } = useQuery(recentAssetsQuery(ledger));
  return (
    <TextField
      label={label}
      value={value}
      onChange={onChange}
      isRequired
      isCode
      placeholder={PLACEHOLDERS.asset}
      suggestions={data}
      check={(text) => (toWire("asset", text, SIGNS) === undefined ? words.wrong.asset : null)}
    />
  );
}

/** An amount in the decimals of its asset, with the amount as people write it below. */
function MonetaryInput({ ledger, variable: { name }, value, onChange }: InputProps) {
  const words = numscriptWords().variables;
  const [asset, text] = splitMonetary(value);
  const { scale } = parseAsset(asset);
  const units = toUnits(text, scale, SIGNS);
  const isKnown = units !== undefined && toWire("asset", asset, SIGNS) !== undefined;
  return (
    <div
      role="group"
      aria-label={name}
      className="grid grid-cols-[minmax(0,1fr)_7rem] items-start gap-2"
    >
      <TextField
        label={name}
        value={text}
        onChange={(next) => onChange(`${asset} ${next}`)}
        isRequired
        hint={isKnown ? words.isAmount(formatAmount(units, asset, locale)) : undefined}
        check={(typed) =>
          toUnits(typed, scale, SIGNS) === undefined ? words.wrong.monetary(String(scale)) : null
        }
      />
      <AssetInput
        ledger={ledger}
        label={words.asset}
        value={asset}
        onChange={(next) => onChange(`${next.replaceAll(" ", "")} ${text}`)}
      />
    </div>
  );
}
