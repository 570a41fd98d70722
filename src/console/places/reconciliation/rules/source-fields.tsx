import type { SourceDraft } from "./check-draft.ts";
import { FieldGroup } from "./field-group.tsx";
import { may } from "#console/api/florin.ts";
import { Choice } from "#console/parts/base/choice.tsx";
import { SelectField } from "#console/parts/forms/fields.tsx";
import {
  AccountsFields,
  PoolField,
} from "#console/places/reconciliation/checks/account-fields.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

interface SourceProps {
  readonly source: SourceDraft;
  readonly onChange: (source: SourceDraft) => void;
}

/** The inputs of one source of a check: accounts of a ledger, or a pool. */
export function SourceFields({
  title,
  source,
  canChooseKind,
  canChooseSign,
  onChange,
  remove,
}: SourceProps & {
  readonly title: string;
  readonly canChooseKind: boolean;
  readonly canChooseSign: boolean;
  readonly remove: (() => void) | undefined;
}) {
  const words = reconciliationWords().form;
  const set = (next: Partial<SourceDraft>): void => onChange({ ...source, ...next });
  return (
    <FieldGroup title={title} remove={remove}>
      {canChooseKind && may("ledger:read") && may("payments:read") && (
        <Choice
          label={words.sourceKind}
          options={[
            ["ledger", words.ofLedger],
            ["pool", words.ofPool],
          ]}
          chosen={source.kind}
          onChoose={(kind) => set({ kind })}
        />
      )}
      {source.kind === "ledger" ? (
        <AccountsFields
          ledger={source.ledger}
          accounts={source.accounts}
          accountsHint={words.accountsHint}
          onChange={set}
        />
      ) : (
        <PoolField poolId={source.poolId} onChange={(poolId) => set({ poolId })} />
      )}
      {canChooseSign && (
        <SelectField
          label={words.sign}
          value={source.sign}
          isRequired
          onChange={(sign) => set({ sign })}
          options={[
            ["1", words.plus],
            ["-1", words.minus],
          ]}
        />
      )}
    </FieldGroup>
  );
}
