import { type ConfigField, type FormValues, isLong, labelOf } from "./config-values.ts";
import { SwitchField, TextField } from "#console/parts/forms/fields.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** The inputs of a configuration, made from the fields of its kind. */
export function ConfigInputs({
  fields,
  values,
  onChange,
  keepsSecrets = false,
}: {
  readonly fields: readonly ConfigField[];
  readonly values: FormValues;
  readonly onChange: (values: FormValues) => void;
  /** Whether an empty secret means the one that is stored. */
  readonly keepsSecrets?: boolean;
}) {
  return fields.map((field) => (
    <ConfigInput
      key={field.name}
      field={field}
      keepsSecrets={keepsSecrets}
      value={values[field.name]}
      onChange={(value) => onChange({ ...values, [field.name]: value })}
    />
  ));
}

function ConfigInput({
  field: { name, dataType, required, defaultValue, isSecret },
  value,
  onChange,
  keepsSecrets,
}: {
  readonly field: ConfigField;
  readonly value: string | boolean | undefined;
  readonly onChange: (value: string | boolean) => void;
  readonly keepsSecrets: boolean;
}) {
  const words = paymentWords().install;
  const label = fieldLabel(name);
  if (dataType === "boolean") {
    return <SwitchField label={label} value={value === true} onChange={onChange} />;
  }
  const isKept = isSecret && keepsSecrets;
  const hints: Readonly<Record<string, string>> = words.hints;
  const hint = isKept ? words.keptSecret : isSecret ? words.secret : hints[name];
  return (
    <TextField
      label={label}
      value={typeof value === "string" ? value : ""}
      onChange={onChange}
      isRequired={required && !isKept}
      isCode={name !== "name"}
      placeholder={isKept ? "••••••••" : defaultValue}
      {...(hint === undefined ? {} : { hint })}
      {...(dataType === "unsigned integer" ? { pattern: String.raw`\d+` } : {})}
      {...(isLong(name) ? { rows: 4 } : { type: isSecret ? "password" : "text" })}
    />
  );
}

/** The label of a field. Those that every kind has are words of the console, the others are the provider's. */
export function fieldLabel(name: string): string {
  const words = paymentWords().install;
  if (name === "name") return words.name;
  return name === "pollingPeriod" ? words.pollingPeriod : labelOf(name);
}
