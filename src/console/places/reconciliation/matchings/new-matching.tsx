import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type MatchingRequest,
  MATCHINGS_KEY,
} from "#console/places/reconciliation/queries/matchings.ts";
import { sourceMenuQuery } from "#console/places/reconciliation/queries/sources.ts";

interface Values {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  readonly from: string;
  readonly to: string;
  readonly threshold: string;
  readonly timingDays: string;
}

/** The values of a matching that names none, as the API has them. */
const THRESHOLD = "90";
const TIMING_DAYS = "3";

const emptyValues = (): Values => ({
  name: "",
  left: "",
  right: "",
  from: `${new Date().toISOString().slice(0, 8)}01`,
  to: "",
  threshold: THRESHOLD,
  timingDays: TIMING_DAYS,
});

/** The button and the form of a new matching. It begins with the default passes. */
export function NewMatching() {
  const words = matchingWords();
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.create}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {() => <NewMatchingForm />}
    </FormDialog>
  );
}

function NewMatchingForm() {
  const words = matchingWords();
  const navigate = useNavigate();
  const [values, setValues, clear] = useDraft("reconciliation.matching", emptyValues());
  const set = (next: Partial<Values>): void => setValues({ ...values, ...next });
  const create = useWrite(
    (body: MatchingRequest, call) =>
      florin.post("/api/florin/v1/reconciliation/matchings", { body }, call),
    {
      refresh: [MATCHINGS_KEY],
      onDone: async ({ data }) => {
        clear();
        await navigate({ to: "/reconciliation/matchings/$id", params: { id: data.id } });
      },
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(toRequest(values))}>
      <TextField
        label={words.fields.name}
        value={values.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <SidesFields values={values} onChange={set} />
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label={words.form.from}
          type="date"
          value={values.from}
          onChange={(from) => set({ from })}
          isRequired
        />
        <TextField
          label={words.form.to}
          type="date"
          value={values.to}
          onChange={(to) => set({ to })}
          hint={words.form.toHint}
        />
        <TextField
          label={words.fields.threshold}
          type="number"
          value={values.threshold}
          onChange={(threshold) => set({ threshold })}
          check={(text) => (isWithin(text, 0, 101) ? null : words.form.thresholdWrong)}
          hint={words.form.thresholdHint}
          isRequired
        />
        <TextField
          label={words.fields.timingDays}
          type="number"
          value={values.timingDays}
          onChange={(timingDays) => set({ timingDays })}
          check={(text) => (isWithin(text, 0, 60) ? null : words.form.timingDaysWrong)}
          hint={words.form.timingDaysHint}
          isRequired
        />
      </div>
    </Form>
  );
}

/** The menus of both sides. A source cannot be compared with itself. */
function SidesFields({
  values: { left, right },
  onChange,
}: {
  readonly values: Values;
  readonly onChange: (next: Partial<Values>) => void;
}) {
  const words = matchingWords();
  const { data: sources = [], isSuccess } = useQuery(sourceMenuQuery());
  const optionsWithout = (other: string) => [
    ["", words.form.chooseSource] as const,
    ...sources.filter(({ id }) => id !== other).map(({ id, name }) => [id, visible(name)] as const),
  ];
  return (
    <>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <SelectField
          label={words.side.left}
          value={left}
          isRequired
          onChange={(next) => onChange({ left: next })}
          options={optionsWithout(right)}
          hint={words.form.sideHint}
        />
        <SelectField
          label={words.side.right}
          value={right}
          isRequired
          onChange={(next) => onChange({ right: next })}
          options={optionsWithout(left)}
        />
      </div>
      {isSuccess && sources.length < 2 && (
        <p className="text-muted">
          {words.form.needsSources}{" "}
          <Link to="/reconciliation/sources" className={LINK}>
            {words.form.toSources}
          </Link>
        </p>
      )}
    </>
  );
}

const isWithin = (text: string, min: number, max: number): boolean =>
  /^\d{1,3}$/.test(text) && Number(text) >= min && Number(text) <= max;

const toRequest = (values: Values): MatchingRequest => ({
  name: values.name,
  leftSourceID: values.left,
  rightSourceID: values.right,
  period: { from: values.from, ...(values.to === "" ? {} : { to: values.to }) },
  threshold: Number(values.threshold),
  timingDays: Number(values.timingDays),
});
