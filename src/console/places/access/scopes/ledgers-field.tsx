import { Foreign } from "#console/parts/base/address.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** The only ledgers of a client or a person: names, or beginnings with a star, with commas between them. */
export const LedgersField = ({
  value,
  onChange,
  hint,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint: string;
}) => (
  <TextField
    label={accessWords().ledgers}
    isCode
    placeholder="eu-*, main"
    hint={hint}
    value={value}
    onChange={onChange}
  />
);

/** The names and patterns of a text of the field. */
export const ledgersIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** The ledgers that a client or a person reaches. */
export const LedgerNames = ({ ledgers }: { readonly ledgers: string }) =>
  ledgers === "" ? (
    <span className="text-muted">{accessWords().allLedgers}</span>
  ) : (
    <span className="font-mono text-note">
      <Foreign>{ledgers}</Foreign>
    </span>
  );
