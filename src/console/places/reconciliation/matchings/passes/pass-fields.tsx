import { ArrowDown, ArrowUp, Plus } from "lucide-react";
import type { ReactNode } from "react";
import { KeyFields } from "./key-fields.tsx";
import { newKey, type PassDraft, toInteger, toMillionths } from "./pass-draft.ts";
import { Button } from "#console/parts/base/button.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { FieldGroup } from "#console/places/reconciliation/rules/field-group.tsx";

interface PassProps {
  readonly draft: PassDraft;
  readonly onChange: (draft: PassDraft) => void;
}

interface PlacedPassProps extends PassProps {
  readonly place: number;
  readonly isLast: boolean;
  readonly onMove: (step: 1 | -1) => void;
  /** Absent for the only pass. */
  readonly onRemove: (() => void) | undefined;
}

/** The most texts that a pass compares. */
const KEYS_MAX = 4;
/** The most lines of one side that a pass groups. */
const GROUP_LINES_MAX = 1000;

/** The inputs of one pass, which can be moved among the others. */
export function PassFields(props: PlacedPassProps) {
  const { draft, place, onChange, onRemove } = props;
  const { keys } = draft;
  const set = (next: Partial<PassDraft>): void => onChange({ ...draft, ...next });
  return (
    <FieldGroup title={titleOf(draft, place)} remove={onRemove}>
      <NameFields {...props} />
      {keys.map((key, index) => (
        <KeyFields
          key={key.id}
          draft={key}
          onChange={(next) => set({ keys: keys.with(index, next) })}
          onRemove={() => set({ keys: keys.toSpliced(index, 1) })}
        />
      ))}
      {keys.length < KEYS_MAX && (
        <Button kind="quiet" onClick={() => set({ keys: [...keys, newKey()] })}>
          <Plus aria-hidden size={14} />
          {matchingWords().passes.addKey}
        </Button>
      )}
      <AmountFields draft={draft} onChange={onChange} />
      <GroupFields draft={draft} onChange={onChange} />
    </FieldGroup>
  );
}

const titleOf = ({ name }: PassDraft, place: number): string => `${place + 1}. ${visible(name)}`;

/** The name, the confidence and the place of a pass. */
function NameFields({ draft, place, isLast, onChange, onMove }: PlacedPassProps) {
  const words = matchingWords();
  const title = titleOf(draft, place);
  return (
    <div className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[1fr_8rem_auto]">
      <TextField
        label={words.fields.name}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
        isRequired
      />
      <TextField
        label={words.fields.confidence}
        type="number"
        value={draft.confidence}
        onChange={(confidence) => onChange({ ...draft, confidence })}
        check={(text) => within(text, 0, 100)}
        isRequired
      />
      <span className="flex pb-0.5">
        <MoveButton
          label={words.passes.earlier(title)}
          isOff={place === 0}
          onClick={() => onMove(-1)}
        >
          <ArrowUp aria-hidden size={14} />
        </MoveButton>
        <MoveButton label={words.passes.later(title)} isOff={isLast} onClick={() => onMove(1)}>
          <ArrowDown aria-hidden size={14} />
        </MoveButton>
      </span>
    </div>
  );
}

const within = (text: string, min: number, max: number): string | null => {
  const isNumber = /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return isNumber ? null : matchingWords().form.numberWrong(String(min), String(max));
};

const MoveButton = ({
  label,
  isOff,
  onClick,
  children,
}: {
  readonly label: string;
  readonly isOff: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    disabled={isOff}
    onClick={onClick}
    className="flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text disabled:opacity-30 pointer-coarse:size-11"
  >
    {children}
  </button>
);

/** When amounts agree. */
function AmountFields({ draft, onChange }: PassProps) {
  const words = matchingWords();
  const set = (next: Partial<PassDraft>): void => onChange({ ...draft, ...next });
  return (
    <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-4">
      <SelectField
        label={words.passes.amounts}
        value={draft.amount}
        isRequired
        onChange={(amount) => set({ amount })}
        options={(["equal", "tolerance", "fee"] as const).map((kind) => [
          kind,
          words.passes.amount[kind],
        ])}
      />
      {draft.amount === "fee" && (
        <SelectField
          label={words.passes.netSide}
          value={draft.netSide}
          isRequired
          onChange={(netSide) => set({ netSide })}
          options={(["left", "right"] as const).map((side) => [side, words.side[side]])}
        />
      )}
      {draft.amount !== "equal" && (
        <>
          <TextField
            label={words.passes.units}
            value={draft.units}
            onChange={(units) => set({ units })}
            check={(text) => (toInteger(text) === undefined ? words.passes.unitsWrong : null)}
            hint={words.passes.unitsHint}
            isRequired
          />
          <TextField
            label={words.passes.percent}
            value={draft.percent}
            onChange={(percent) => set({ percent })}
            check={(text) => (toMillionths(text) === undefined ? words.passes.percentWrong : null)}
            isRequired
          />
        </>
      )}
    </div>
  );
}

/** How many lines belong together, and how far their days may be apart. */
function GroupFields({ draft, onChange }: PassProps) {
  const words = matchingWords();
  const set = (next: Partial<PassDraft>): void => onChange({ ...draft, ...next });
  return (
    <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-4">
      <SelectField
        label={words.passes.cardinality}
        value={draft.cardinality}
        isRequired
        onChange={(cardinality) => set({ cardinality })}
        options={(["1:1", "1:n", "n:1", "n:m"] as const).map((each) => [
          each,
          words.passes.cardinalityName[each],
        ])}
      />
      {draft.cardinality !== "1:1" && (
        <TextField
          label={words.passes.groupMax}
          type="number"
          value={draft.groupMax}
          onChange={(groupMax) => set({ groupMax })}
          check={(text) => within(text, 1, GROUP_LINES_MAX)}
          isRequired
        />
      )}
      <TextField
        label={words.passes.days}
        type="number"
        value={draft.days}
        onChange={(days) => set({ days })}
        hint={words.passes.daysHint}
      />
      <SelectField
        label={words.passes.dayCount}
        value={draft.dayCount}
        isRequired
        onChange={(dayCount) => set({ dayCount })}
        options={(["businessDays", "days"] as const).map((each) => [
          each,
          words.passes.dayCountName[each],
        ])}
      />
    </div>
  );
}
