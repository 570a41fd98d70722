import { Plus } from "lucide-react";
import { type LimitDraft, NO_LIMIT, unitsOf } from "./check-draft.ts";
import { FieldGroup, RemoveButton } from "./field-group.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import type { CheckKind } from "#console/places/reconciliation/checks/spec.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The pattern of the names of assets that checks may have. */
const ASSET = String.raw`[A-Z][A-Z0-9]{0,16}(_[A-Z]{1,16})?(/\d{1,6})?`;

/** Kinds that check only the assets that they name. */
const NAMED: ReadonlySet<CheckKind> = new Set(["ledger_invariant", "account_threshold"]);

/** What is allowed of each asset: a tolerance, or bounds. */
export function LimitFields({
  kind,
  limits,
  onChange,
}: {
  readonly kind: CheckKind;
  readonly limits: readonly LimitDraft[];
  readonly onChange: (limits: readonly LimitDraft[]) => void;
}) {
  const words = reconciliationWords().form;
  const isNamed = NAMED.has(kind);
  const hasBounds = kind === "account_threshold";
  const title = hasBounds ? words.bounds : isNamed ? words.assets : words.tolerance;
  const canRemove = !isNamed || limits.length > 1;
  return (
    <FieldGroup title={title}>
      <p className="text-note text-muted">{hasBounds ? words.boundsHint : words.toleranceHint}</p>
      {limits.map((limit, place) => (
        <LimitRow
          // oxlint-disable-next-line react/no-array-index-key -- An asset is its place in the form while it is typed.
          key={place}
          limit={limit}
          hasBounds={hasBounds}
          isTwice={limits.findIndex(({ asset }) => asset === limit.asset) < place}
          onChange={(next) => onChange(limits.with(place, next))}
          remove={canRemove ? () => onChange(limits.toSpliced(place, 1)) : undefined}
        />
      ))}
      <Button onClick={() => onChange([...limits, NO_LIMIT])}>
        <Plus aria-hidden size={14} />
        {words.addAsset}
      </Button>
    </FieldGroup>
  );
}

function LimitRow({
  limit,
  hasBounds,
  isTwice,
  onChange,
  remove,
}: {
  readonly limit: LimitDraft;
  readonly hasBounds: boolean;
  /** Whether an asset above has the same name. */
  readonly isTwice: boolean;
  readonly onChange: (limit: LimitDraft) => void;
  readonly remove: (() => void) | undefined;
}) {
  const { fields, form: words } = reconciliationWords();
  const { asset, tolerance, min, max } = limit;
  return (
    <div className="flex items-start gap-2">
      <div
        className={`grid flex-1 gap-3 ${hasBounds ? "grid-cols-[7rem_1fr_1fr]" : "grid-cols-[7rem_1fr]"}`}
      >
        <TextField
          label={fields.asset}
          value={asset}
          onChange={(next) => onChange({ ...limit, asset: next })}
          pattern={ASSET}
          check={() => (isTwice ? words.twice : null)}
          placeholder="EUR/2"
          isRequired
          isCode
        />
        {hasBounds ? (
          <>
            <LimitField
              label={words.min}
              value={min}
              asset={asset}
              isRequired={max === ""}
              isSigned
              onChange={(next) => onChange({ ...limit, min: next })}
            />
            <LimitField
              label={words.max}
              value={max}
              asset={asset}
              isRequired={min === ""}
              isSigned
              onChange={(next) => onChange({ ...limit, max: next })}
            />
          </>
        ) : (
          <LimitField
            label={words.amount}
            value={tolerance}
            asset={asset}
            isRequired={false}
            onChange={(next) => onChange({ ...limit, tolerance: next })}
          />
        )}
      </div>
      {remove !== undefined && (
        <RemoveButton
          label={words.remove(asset === "" ? fields.asset : asset)}
          onClick={remove}
          className="mt-6"
        />
      )}
    </div>
  );
}

/** An amount in the asset's unit, which may be zero. */
const LimitField = ({
  label,
  value,
  asset,
  isRequired,
  isSigned = false,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly asset: string;
  readonly isRequired: boolean;
  readonly isSigned?: boolean;
  readonly onChange: (value: string) => void;
}) => (
  <TextField
    label={label}
    value={value}
    onChange={onChange}
    isRequired={isRequired}
    placeholder="0"
    check={(text) => {
      if (text === "") return null;
      const units = unitsOf(text, asset);
      const fits = units !== undefined && (isSigned || units >= 0n);
      return fits ? null : reconciliationWords().form.wrongAmount;
    }}
  />
);
