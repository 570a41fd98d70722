import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { EVENT_TYPES } from "./event-types.ts";
import { florin } from "#console/api/florin.ts";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import {
  ORCHESTRATION_KEY,
  type Workflow,
  workflowsQuery,
} from "#console/places/workflows/queries.ts";
import { variablesOf } from "#console/places/workflows/stages.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** The button and the form of a new trigger. */
export function NewTrigger() {
  const words = workflowWords().triggersPage;
  return (
    <FormDialog
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.open}
      kind="primary"
      isWide
    >
      {(close) => <Workflows close={close} />}
    </FormDialog>
  );
}

/** The form, once there are workflows to choose from. */
function Workflows({ close }: { readonly close: () => void }) {
  const { data, error } = useInfiniteQuery(workflowsQuery());
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return <LoadingRows rows={4} />;
  const workflows = data.pages.flatMap(({ rows }) => rows);
  const [first] = workflows;
  if (first === undefined)
    return <p className="text-muted">{workflowWords().triggersPage.noWorkflow}</p>;
  return <TriggerForm workflows={workflows} first={first} close={close} />;
}

interface Draft {
  readonly name: string;
  readonly event: string;
  readonly filter: string;
  readonly workflowID: string;
  readonly vars: Readonly<Record<string, string>>;
}

function TriggerForm({
  workflows,
  first,
  close,
}: {
  readonly workflows: readonly Workflow[];
  readonly first: Workflow;
  readonly close: () => void;
}) {
  const { triggersPage: words, nameless } = workflowWords();
  const [draft, change, clear] = useDraft<Draft>("new-trigger", {
    name: "",
    event: EVENT_TYPES[0],
    filter: "",
    workflowID: first.id,
    vars: {},
  });
  const write = useCreate(() => {
    clear();
    close();
  });
  const chosen = workflows.find(({ id }) => id === draft.workflowID) ?? first;
  const names = variablesOf(chosen.config.stages);
  const send = (): void =>
    write.send({ ...draft, workflowID: chosen.id, vars: givenOf(names, draft.vars) });
  return (
    <Form write={write} submit={words.submit} onSubmit={send}>
      <TextField
        label={words.name}
        value={draft.name}
        onChange={(name) => change({ ...draft, name })}
      />
      <SelectField
        label={words.event}
        value={draft.event}
        isRequired
        onChange={(event) => change({ ...draft, event })}
        hint={words.eventHint}
        options={EVENT_TYPES.map((type) => [type, type])}
      />
      <TextField
        label={words.filter}
        value={draft.filter}
        onChange={(filter) => change({ ...draft, filter })}
        hint={words.filterHint}
        rows={3}
        isCode
      />
      <SelectField
        label={words.workflow}
        value={chosen.id}
        isRequired
        onChange={(workflowID) => change({ ...draft, workflowID })}
        options={workflows.map(({ id, config }) => [
          id,
          `${visible(config.name === "" ? nameless : config.name)} · ${id.slice(0, 8)}`,
        ])}
      />
      <Variables
        names={names}
        values={draft.vars}
        onChange={(vars) => change({ ...draft, vars })}
      />
      <p className="text-note text-muted">{words.text}</p>
    </Form>
  );
}

/** The write of the form, which leads to the page of the trigger. */
function useCreate(onDone: () => void) {
  const navigate = useNavigate();
  return useWrite(
    (body: Draft, call) => florin.post("/api/orchestration/v2/triggers", { body }, call),
    {
      refresh: [[...ORCHESTRATION_KEY, "triggers"]],
      onDone: async ({ data }) => {
        onDone();
        await navigate({ to: "/workflows/triggers/$id", params: { id: data.id } });
      },
    },
  );
}

/** The expressions that were written, of variables that the workflow has. */
function givenOf(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const given = names.map((name) => [name, values[name] ?? ""] as const);
  return Object.fromEntries(given.filter(([, source]) => source !== ""));
}

/** An input for the expression of each variable of the workflow. */
function Variables({
  names,
  values,
  onChange,
}: {
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}) {
  const words = workflowWords().triggersPage;
  if (names.length === 0) return null;
  return (
    <fieldset className="space-y-3 rounded-md border border-line p-4">
      <legend className="px-1 text-muted">{words.vars}</legend>
      {names.map((name) => (
        <TextField
          key={name}
          label={visible(name)}
          value={values[name] ?? ""}
          onChange={(source) => onChange({ ...values, [name]: source })}
          isCode
        />
      ))}
      <p className="text-note text-muted">{words.varsHint}</p>
    </fieldset>
  );
}
