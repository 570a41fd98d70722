import { useState } from "react";
import { TextField } from "#console/parts/forms/fields.tsx";
import { useSignedIn } from "#console/parts/principals/signed-in.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Most people whose names an input suggests. */
export const SUGGESTED_MAX = 100;

/** The name under which somebody acts on alerts, and what sets it: at first, that of the person who has signed in. */
export function useActingName(): readonly [by: string, setBy: (by: string) => void] {
  const person = useSignedIn();
  const [typed, setTyped] = useState<string>();
  const own = person?.claims?.name ?? person?.claims?.email ?? person?.subject;
  return [typed ?? own ?? "", setTyped];
}

/** The input of the name of who acts, where nobody has to sign in. */
export const ByField = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (name: string) => void;
}) =>
  useSignedIn() === undefined ? (
    <TextField
      label={reconciliationWords().alerts.by}
      value={value}
      onChange={onChange}
      isRequired
    />
  ) : null;
