import { session } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Most people whose names an input suggests. */
export const SUGGESTED_MAX = 100;

/** The name under which the person acts on alerts; undefined where nobody has to sign in. */
export function myName(): string | undefined {
  const { state } = session;
  if (state.kind !== "person") return undefined;
  const { name, email, subject } = state.grant;
  return name ?? email ?? subject;
}

/** The input of the name of who acts, where nobody has to sign in. */
export const ByField = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
}) =>
  myName() === undefined ? (
    <TextField
      label={reconciliationWords().alerts.by}
      value={value}
      onChange={onChange}
      isRequired
    />
  ) : null;
