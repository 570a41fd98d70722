import type { KeyDraft } from "./pass-draft.ts";
import { CheckList, SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { LINE_FIELDS } from "#console/places/reconciliation/lines/texts.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { RemoveButton } from "#console/places/reconciliation/rules/field-group.tsx";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** The inputs of one comparison of texts: which ones, and what does not count in them. */
export function KeyFields({
  draft,
  onChange,
  onRemove,
}: {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly onRemove: () => void;
}) {
  const words = matchingWords();
  const names = sourceWords().line.fields;
  const set = (next: Partial<KeyDraft>): void => onChange({ ...draft, ...next });
  const options = LINE_FIELDS.map((field) => [field, names[field]] as const);
  return (
    <div className="relative grid grid-cols-2 items-start gap-3 rounded-md bg-sunken p-3 pr-10 sm:grid-cols-4">
      <RemoveButton
        label={words.passes.removeKey(names[draft.left])}
        onClick={onRemove}
        className="absolute top-1 right-1"
      />
      <SelectField
        label={words.passes.keyOf(words.side.left)}
        value={draft.left}
        isRequired
        onChange={(left) => set({ left })}
        options={options}
      />
      <SelectField
        label={words.passes.keyOf(words.side.right)}
        value={draft.right}
        isRequired
        onChange={(right) => set({ right })}
        options={options}
      />
      <TextField
        label={words.passes.prefix}
        type="number"
        value={draft.prefix}
        onChange={(prefix) => set({ prefix })}
        hint={words.passes.prefixHint}
      />
      <TextField
        label={words.passes.lengthMin}
        type="number"
        value={draft.lengthMin}
        onChange={(lengthMin) => set({ lengthMin })}
        isRequired
      />
      <div className="col-span-full">
        <CheckList
          label={words.passes.ignores}
          value={draft.ignores}
          onChange={(ignores) => set({ ignores })}
          options={(["case", "punctuation", "digits"] as const).map((each) => [
            each,
            words.passes.ignoresName[each],
          ])}
        />
      </div>
    </div>
  );
}
