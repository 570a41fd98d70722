import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useMemo } from "react";
import { ORCHESTRATION_KEY, type Workflow } from "./queries.ts";
import { variablesOf } from "./stages.ts";
import { workflowWords } from "./words.ts";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";

/** The button and the form that start an instance, with an input for each variable that the workflow reads. */
export function RunWorkflow({ workflow }: { readonly workflow: Workflow }) {
  const words = workflowWords().run;
  return (
    <FormDialog
      trigger={
        <>
          <Play aria-hidden size={14} />
          {words.open}
        </>
      }
      title={words.title}
      kind="primary"
    >
      {(close) => <RunForm workflow={workflow} close={close} />}
    </FormDialog>
  );
}

function RunForm({
  workflow: { id, config },
  close,
}: {
  readonly workflow: Workflow;
  readonly close: () => void;
}) {
  const words = workflowWords().run;
  const navigate = useNavigate();
  const names = useMemo(() => variablesOf(config.stages), [config]);
  const [values, change, clear] = useDraft<Readonly<Record<string, string>>>(`run:${id}`, {});
  const write = useWrite(
    (variables: Readonly<Record<string, string>>, options) =>
      florin.post(
        "/api/orchestration/v2/workflows/{workflowID}/instances",
        { path: { workflowID: id }, body: variables },
        options,
      ),
    {
      refresh: [[...ORCHESTRATION_KEY, "instances"]],
      onDone: async ({ data }) => {
        clear();
        close();
        await navigate({ to: "/workflows/instances/$id", params: { id: data.id } });
      },
    },
  );
  return (
    <Form
      write={write}
      submit={words.submit}
      onSubmit={() =>
        write.send(Object.fromEntries(names.map((name) => [name, values[name] ?? ""])))
      }
    >
      {names.length === 0 && <p className="text-muted">{words.none}</p>}
      {names.map((name) => (
        <TextField
          key={name}
          label={visible(name)}
          value={values[name] ?? ""}
          onChange={(value) => change({ ...values, [name]: value })}
          isRequired
        />
      ))}
      <p className="text-note text-muted">{words.text}</p>
    </Form>
  );
}
