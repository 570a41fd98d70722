import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { EXAMPLE_IDS, EXAMPLES, type WorkflowExample } from "./examples.ts";
import { ORCHESTRATION_KEY, type Workflow } from "./queries.ts";
import { workflowWords } from "./words.ts";
import { ApiError } from "#console/api/errors.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { parseJson } from "#platform/json.ts";

/** The button and the form of a new workflow. */
export function NewWorkflow() {
  const words = workflowWords().create;
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
      {(close) => <NewWorkflowForm close={close} />}
    </FormDialog>
  );
}

interface Draft {
  readonly example: WorkflowExample;
  readonly text: string;
}

const FIRST: Draft = { example: "approve", text: EXAMPLES.approve };

function NewWorkflowForm({ close }: { readonly close: () => void }) {
  const words = workflowWords().create;
  const navigate = useNavigate();
  const [{ example, text }, change, clear] = useDraft<Draft>("new-workflow", FIRST);
  const write = useWrite(createWorkflow, {
    refresh: [[...ORCHESTRATION_KEY, "workflows"]],
    onDone: async ({ id }) => {
      clear();
      close();
      await navigate({ to: "/workflows/$id", params: { id } });
    },
  });
  const place = write.error instanceof ApiError ? write.error.details : undefined;
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(text)}>
      <SelectField
        label={words.begin}
        value={example}
        isRequired
        onChange={(next) => change({ example: next, text: EXAMPLES[next] })}
        options={EXAMPLE_IDS.map((id) => [id, words.examples[id]])}
      />
      <TextField
        label={words.text}
        value={text}
        onChange={(next) => change({ example, text: next })}
        hint={words.hint}
        rows={18}
        isCode
        isRequired
      />
      {place !== undefined && (
        <p role="status" className="font-medium text-bad">
          {words.at(place)}
        </p>
      )}
    </Form>
  );
}

/** Creates a workflow from YAML, which includes JSON. The answer to a text that does not fit says the line of the problem. */
async function createWorkflow(
  text: string,
  options: { readonly idempotencyKey: string },
): Promise<Workflow> {
  const response = await florin.fetch(
    {
      method: "POST",
      url: "/api/orchestration/v2/workflows",
      body: text,
      contentType: "text/vnd.yaml",
    },
    options,
  );
  if (!response.ok) throw await ApiError.from(response);
  return (parseJson(await response.text()) as { data: Workflow }).data; // The API document has this answer.
}
