import { Plus } from "lucide-react";
import {
  canBePerAccount,
  type CheckDraft,
  newTerm,
  type SourceDraft,
  TERMS_MAX,
  withKind,
} from "./check-draft.ts";
import { LimitFields } from "./limit-fields.tsx";
import { SourceFields } from "./source-fields.tsx";
import { may } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { SelectField, SwitchField } from "#console/parts/forms/fields.tsx";
import type { CheckKind } from "#console/places/reconciliation/checks/spec.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The kinds of checks that the person may make: whoever makes a rule may read what it reads. */
export function checkKinds(): readonly CheckKind[] {
  const ledgers = may("ledger:read");
  const pools = may("payments:read");
  const all: readonly (readonly [CheckKind, boolean])[] = [
    ["ledger_vs_pool_drift", ledgers && pools],
    ["account_threshold", ledgers],
    ["ledger_invariant", ledgers],
    ["source_parity", ledgers || pools],
  ];
  return all.flatMap(([kind, isOpen]) => (isOpen ? [kind] : []));
}

/** The inputs of a check: its kind, what is read, and what is allowed. */
export function CheckFields({
  draft,
  onChange,
}: {
  readonly draft: CheckDraft;
  readonly onChange: (draft: CheckDraft) => void;
}) {
  const words = reconciliationWords();
  const { kind, sources, isPerAccount, limits } = draft;
  const setSource = (place: number, next: SourceDraft): void =>
    onChange({ ...draft, sources: sources.with(place, next) });
  return (
    <>
      <SelectField
        label={words.fields.kind}
        value={kind}
        isRequired
        onChange={(next) => onChange(withKind(draft, next))}
        options={checkKinds().map((each) => [each, words.kind[each]])}
        hint={words.kindMeaning[kind]}
      />
      {sources.map((source, place) => (
        <SourceFields
          // oxlint-disable-next-line react/no-array-index-key -- A source is its place in the check.
          key={place}
          title={titleOf(draft, place)}
          source={source}
          canChooseKind={kind === "source_parity"}
          canChooseSign={hasSign(kind, place)}
          onChange={(next) => setSource(place, next)}
          remove={
            kind === "ledger_invariant" && sources.length > 1
              ? () => onChange({ ...draft, sources: sources.toSpliced(place, 1) })
              : undefined
          }
        />
      ))}
      {kind === "ledger_invariant" && sources.length < TERMS_MAX && (
        <Button onClick={() => onChange({ ...draft, sources: [...sources, newTerm()] })}>
          <Plus aria-hidden size={14} />
          {words.form.addTerm}
        </Button>
      )}
      {canBePerAccount(draft) && (
        <SwitchField
          label={words.form.perAccount}
          value={isPerAccount}
          onChange={(next) => onChange({ ...draft, isPerAccount: next })}
          hint={words.form.perAccountHint}
        />
      )}
      <LimitFields
        kind={kind}
        limits={limits}
        onChange={(next) => onChange({ ...draft, limits: next })}
      />
    </>
  );
}

/** Whether the balance of a source may count with the other sign: that of a ledger against a pool, and that of each set of accounts. */
const hasSign = (kind: CheckKind, place: number): boolean =>
  kind === "ledger_invariant" || (kind === "ledger_vs_pool_drift" && place === 0);

function titleOf({ kind, sources }: CheckDraft, place: number): string {
  const words = reconciliationWords();
  if (kind === "ledger_invariant") return words.form.term(String(place + 1));
  if (kind === "source_parity") return place === 0 ? words.form.left : words.form.right;
  if (kind === "account_threshold") return words.form.source;
  return sources[place]?.kind === "pool" ? words.form.ofPool : words.form.ofLedger;
}
