import { useQuery } from "@tanstack/react-query";
import { queryOf } from "./spec.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { ledgerNamesQuery, poolNamesQuery } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import { parseJson } from "#platform/json.ts";

/** The inputs of accounts of a ledger. The first ledgers are suggested. */
export function AccountsFields({
  ledger,
  accounts,
  accountsHint,
  mayBeAll = false,
  onChange,
}: {
  readonly ledger: string;
  readonly accounts: string;
  readonly accountsHint: string;
  /** Whether the accounts may be left empty, for all of them. */
  readonly mayBeAll?: boolean;
  readonly onChange: (next: { readonly ledger?: string; readonly accounts?: string }) => void;
}) {
  const words = reconciliationWords();
  const { data: names = [] } = useQuery(ledgerNamesQuery());
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <TextField
        label={words.fields.ledger}
        value={ledger}
        onChange={(next) => onChange({ ledger: next })}
        suggestions={names}
        pattern="[0-9a-zA-Z_\-]{1,63}"
        isRequired
        isCode
      />
      <TextField
        label={words.fields.accounts}
        value={accounts}
        onChange={(next) => onChange({ accounts: next })}
        hint={accountsHint}
        check={(text) => (queryOf(text, parseJson) === undefined ? words.form.accountsWrong : null)}
        placeholder="users:..."
        isRequired={!mayBeAll}
        isCode
      />
    </div>
  );
}

/** The menu of the pools. A pool that is not among them, because it is old or gone, stays chosen. */
export function PoolField({
  poolId,
  hint,
  onChange,
}: {
  readonly poolId: string;
  readonly hint?: string;
  readonly onChange: (poolId: string) => void;
}) {
  const words = reconciliationWords();
  const { data: pools = [], isSuccess } = useQuery(poolNamesQuery());
  const isKnown = poolId === "" || pools.some(({ id }) => id === poolId);
  const note = isSuccess && pools.length === 0 ? words.form.noPool : hint;
  return (
    <SelectField
      label={words.fields.pool}
      value={poolId}
      onChange={onChange}
      isRequired
      {...(note === undefined ? {} : { hint: note })}
      options={[
        ["", words.form.choosePool],
        ...(isKnown ? [] : [[poolId, poolId] as const]),
        ...pools.map(({ id, name }) => [id, visible(name)] as const),
      ]}
    />
  );
}
