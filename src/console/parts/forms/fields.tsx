import { Checkbox } from "@base-ui/react/checkbox";
import { Field } from "@base-ui/react/field";
import { Switch } from "@base-ui/react/switch";
import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";
import { partWords } from "#console/parts/part-words.ts";

interface FieldProps<T> {
  readonly label: string;
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** One sentence below the input: what belongs there, with an example. */
  readonly hint?: ReactNode;
}

interface TextFieldProps extends FieldProps<string> {
  readonly isRequired?: boolean;
  /** Whether the value is an id, an address or code. */
  readonly isCode?: boolean;
  readonly type?: "text" | "email" | "url" | "password" | "number" | "datetime-local" | "date";
  /** A regular expression of the whole value. */
  readonly pattern?: string;
  readonly placeholder?: string;
  /** The sentence for a value that does not fit; null for a value that fits. */
  readonly check?: (value: string) => string | null;
  /** More than one makes a box of several lines. */
  readonly rows?: number;
  readonly autoFocus?: boolean;
  /** Values that the browser offers while the person types. Other ones may be typed as well. */
  readonly suggestions?: readonly string[];
}

const INPUT =
  "w-full rounded-md border border-line-strong bg-canvas px-2 placeholder:text-faint data-invalid:border-bad";

/** An input of one line, or of several ones. The browser and `check` say what does not fit when the form is sent. */
export function TextField(props: TextFieldProps) {
  const { label, value, onChange, hint, isRequired = false, isCode = false, rows = 1 } = props;
  const { type = "text", pattern, placeholder, check, autoFocus = false, suggestions } = props;
  const listId = useId();
  const className = `${INPUT} ${isCode ? "font-mono text-note" : ""} ${rows > 1 ? "py-2" : "h-9 pointer-coarse:h-11"}`;
  return (
    <Field.Root
      className="block space-y-1"
      validate={(text) => (typeof text === "string" ? (check?.(text) ?? null) : null)}
    >
      <FieldLabel label={label} isRequired={isRequired} />
      <Field.Control
        required={isRequired}
        autoComplete="off"
        list={suggestions === undefined ? undefined : listId}
        spellCheck={isCode ? false : undefined}
        pattern={pattern}
        placeholder={placeholder}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- A dialog moves the focus to its first input.
        autoFocus={autoFocus}
        value={value}
        onValueChange={onChange}
        className={className}
        {...(rows > 1 ? { render: <textarea rows={rows} /> } : { type })}
      />
      {suggestions !== undefined && (
        <datalist id={listId}>
          {suggestions.map((suggestion) => (
            <option key={suggestion}>{suggestion}</option>
          ))}
        </datalist>
      )}
      <Below hint={hint} />
    </Field.Root>
  );
}

/** One of several values, in the browser's own menu, which works with every keyboard and phone. */
export function SelectField<T extends string>({
  label,
  value,
  onChange,
  hint,
  options,
  isRequired = false,
}: FieldProps<T> & {
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly isRequired?: boolean;
}) {
  return (
    <Field.Root className="block space-y-1">
      <FieldLabel label={label} isRequired={isRequired} />
      <Field.Control
        required={isRequired}
        value={value}
        onChange={({ target }) => onChange(target.value as T)} // The options are the only values.
        className={`${INPUT} h-9 pointer-coarse:h-11`}
        render={
          <select>
            {options.map(([id, text]) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
          </select>
        }
      />
      <Below hint={hint} />
    </Field.Root>
  );
}

/** Something that is on or off at once, or with the form. */
export const SwitchField = ({ label, value, onChange, hint }: FieldProps<boolean>) => (
  <Field.Root className="block space-y-1">
    <Field.Label className="flex cursor-pointer items-center gap-3">
      <Switch.Root
        checked={value}
        onCheckedChange={onChange}
        className="flex h-5 w-9 shrink-0 items-center rounded-full bg-line-strong p-0.5 data-checked:bg-accent"
      >
        <Switch.Thumb className="size-4 rounded-full bg-canvas data-checked:translate-x-4" />
      </Switch.Root>
      {label}
    </Field.Label>
    <Below hint={hint} />
  </Field.Root>
);

/** Several of many values. */
export function CheckList<T extends string>({
  label,
  value,
  onChange,
  hint,
  options,
}: FieldProps<readonly T[]> & {
  readonly options: readonly (readonly [value: T, label: ReactNode])[];
}) {
  return (
    <fieldset className="space-y-1">
      <legend className="mb-1 text-muted">{label}</legend>
      {options.map(([id, text]) => (
        <label key={id} className="flex min-h-7 cursor-pointer items-center gap-2.5">
          <Checkbox.Root
            checked={value.includes(id)}
            onCheckedChange={(isOn) =>
              onChange(isOn ? [...value, id] : value.filter((other) => other !== id))
            }
            className="flex size-4 shrink-0 items-center justify-center rounded border border-line-strong bg-canvas data-checked:border-accent data-checked:bg-accent"
          >
            <Checkbox.Indicator className="text-on-accent">
              <Check aria-hidden size={12} strokeWidth={3} />
            </Checkbox.Indicator>
          </Checkbox.Root>
          {text}
        </label>
      ))}
      {hint !== undefined && <p className="text-note text-muted">{hint}</p>}
    </fieldset>
  );
}

const FieldLabel = ({
  label,
  isRequired,
}: {
  readonly label: string;
  readonly isRequired: boolean;
}) => (
  <Field.Label className="flex items-baseline gap-2 text-muted">
    {label}
    {!isRequired && <span className="text-note text-faint">{partWords().form.optional}</span>}
  </Field.Label>
);

const Below = ({ hint }: { readonly hint: ReactNode }) => (
  <>
    <Field.Error className="block text-note text-bad" />
    {hint !== undefined && (
      <Field.Description className="block text-note text-muted">{hint}</Field.Description>
    )}
  </>
);
