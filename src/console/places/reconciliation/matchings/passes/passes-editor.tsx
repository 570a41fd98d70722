import { Plus } from "lucide-react";
import { useState } from "react";
import { draftsOf, moved, newPass, type PassDraft, toPasses } from "./pass-draft.ts";
import { PassFields } from "./pass-fields.tsx";
import { PassesPreview } from "./passes-preview.tsx";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type Matching,
  matchingKey,
  type MatchingPatch,
  MATCHINGS_KEY,
} from "#console/places/reconciliation/queries/matchings.ts";

/** Most passes of a matching. */
const PASSES_MAX = 20;

interface Values {
  readonly passes: readonly PassDraft[];
  readonly threshold: string;
}

/** The form of the passes of a matching. What a change would do can be looked at before it is saved. */
export function PassesEditor({
  matching,
  onEnd,
}: {
  readonly matching: Matching;
  readonly onEnd: () => void;
}) {
  const words = matchingWords();
  const { values, setValues, setPasses, leave, write } = usePassesForm(matching, onEnd);
  const [shown, setShown] = useState<MatchingPatch>();
  const { passes } = values;
  return (
    <Form
      write={write}
      submit={words.save}
      onSubmit={() => write.send(bodyOf(values))}
      actions={
        <>
          <Button onClick={leave}>{words.passes.leave}</Button>
          {!matching.hasDefaultPasses && (
            <Button onClick={() => write.send({ passes: null })}>{words.passes.toDefaults}</Button>
          )}
          <Button onClick={() => setShown(bodyOf(values))}>{words.passes.preview}</Button>
        </>
      }
    >
      <TextField
        label={words.fields.threshold}
        type="number"
        value={values.threshold}
        onChange={(threshold) => setValues({ ...values, threshold })}
        hint={words.form.thresholdHint}
        isRequired
      />
      {passes.map((draft, place) => (
        <PassFields
          key={draft.id}
          draft={draft}
          place={place}
          isLast={place === passes.length - 1}
          onChange={(next) => setPasses(passes.with(place, next))}
          onMove={(step) => setPasses(moved(passes, place, step))}
          onRemove={passes.length === 1 ? undefined : () => setPasses(passes.toSpliced(place, 1))}
        />
      ))}
      {passes.length < PASSES_MAX && (
        <Button
          onClick={() =>
            setPasses([...passes, newPass(words.passes.newName(String(passes.length + 1)))])
          }
        >
          <Plus aria-hidden size={14} />
          {words.passes.add}
        </Button>
      )}
      {shown !== undefined && <PassesPreview matchingID={matching.id} change={shown} />}
    </Form>
  );
}

const bodyOf = ({ passes, threshold }: Values): MatchingPatch => ({
  passes: toPasses(passes),
  threshold: Number(threshold),
});

/** The values of the form, which belong to the state of the matching that they were begun with, and the write that saves them. */
function usePassesForm({ id, revision, passes, threshold }: Matching, onEnd: () => void) {
  const [values, setValues, clear] = useDraft<Values>(`reconciliation.passes.${id}.${revision}`, {
    passes: draftsOf(passes),
    threshold: String(threshold),
  });
  const leave = (): void => {
    clear();
    onEnd();
  };
  const write = useWrite(
    (body: MatchingPatch, call) =>
      florin.patch(
        "/api/florin/v1/reconciliation/matchings/{matchingID}",
        { path: { matchingID: id }, body },
        call,
      ),
    { refresh: [matchingKey(id), [...MATCHINGS_KEY, "list"]], onDone: leave },
  );
  const setPasses = (next: readonly PassDraft[]): void => setValues({ ...values, passes: next });
  return { values, setValues, setPasses, leave, write };
}
