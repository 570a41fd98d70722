import { useNavigate } from "@tanstack/react-router";
import { CopyPlus, Plus } from "lucide-react";
import { type Ref, useCallback, useEffect, useRef } from "react";
import { EXAMPLE_IDS, EXAMPLES, type WorkflowExample } from "./examples.ts";
import { ORCHESTRATION_KEY, type Workflow } from "./queries.ts";
import { mistakesOf, placeOf, type Refusal } from "./refusal.ts";
import { workflowWords } from "./words.ts";
import type { WriteCall } from "#console/api/client.ts";
import { ApiError } from "#console/api/errors.ts";
import { florin } from "#console/api/florin.ts";
import { toYaml } from "#console/parts/base/yaml.ts";
import { CodeEditor, type CodeEditorHandle } from "#console/parts/editor/code-editor.tsx";
import type { Diagnose } from "#console/parts/editor/types.ts";
import { SelectField } from "#console/parts/forms/fields.tsx";
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

/** The button and the form of a workflow that begins as a copy of another one, because workflows never change. */
export function NewVersion({ workflow: { id, config } }: { readonly workflow: Workflow }) {
  const words = workflowWords().create;
  return (
    <FormDialog
      trigger={
        <>
          <CopyPlus aria-hidden size={14} />
          {words.version}
        </>
      }
      title={words.versionTitle}
      isWide
    >
      {(close) => <NewWorkflowForm close={close} copied={{ id, text: toYaml(config) }} />}
    </FormDialog>
  );
}

interface Draft {
  readonly example: WorkflowExample;
  readonly text: string;
}

const FIRST: Draft = { example: "approve", text: EXAMPLES.approve };

function NewWorkflowForm({
  close,
  copied,
}: {
  readonly close: () => void;
  /** The definition of another workflow, to begin with. */
  readonly copied?: { readonly id: string; readonly text: string };
}) {
  const words = workflowWords().create;
  const navigate = useNavigate();
  const [{ example, text }, change, clear] = useDraft<Draft>(
    `new-workflow:${copied?.id ?? ""}`,
    copied === undefined ? FIRST : { ...FIRST, text: copied.text },
  );
  const write = useWrite(createWorkflow, {
    refresh: [[...ORCHESTRATION_KEY, "workflows"]],
    onDone: async ({ id }) => {
      clear();
      close();
      await navigate({ to: "/workflows/$id", params: { id } });
    },
  });
  const { diagnose, place, editor } = useRefusal(text, write.error);
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(text)}>
      {copied === undefined && (
        <SelectField
          label={words.begin}
          value={example}
          isRequired
          onChange={(next) => change({ example: next, text: EXAMPLES[next] })}
          options={EXAMPLE_IDS.map((id) => [id, words.examples[id]])}
        />
      )}
      <Definition
        text={text}
        onChange={(next) => change({ example, text: next })}
        onSubmit={() => write.send(text)}
        diagnose={diagnose}
        editor={editor}
      />
      {place !== undefined && (
        <p role="status" className="font-medium text-bad">
          {words.at(place)}
        </p>
      )}
    </Form>
  );
}

/** The text of the definition. Escape leaves the editor, and not the window around it. */
function Definition({
  text,
  onChange,
  onSubmit,
  diagnose,
  editor,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
  readonly diagnose: Diagnose;
  readonly editor: Ref<CodeEditorHandle>;
}) {
  const words = workflowWords().create;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- The keys are those of the editor inside.
    <div
      className="space-y-1"
      onKeyDown={(event) => {
        if (event.key === "Escape") event.stopPropagation();
      }}
    >
      <p className="text-muted">{words.text}</p>
      <CodeEditor
        ref={editor}
        label={words.text}
        value={text}
        onChange={onChange}
        onSubmit={onSubmit}
        language="yaml"
        diagnostics={diagnose}
        minLines={12}
        maxLines={18}
      />
      <p className="text-note text-muted">{words.hint}</p>
    </div>
  );
}

/** Marks the place of a refusal in the editor, as long as the text is the refused one. */
function useRefusal(text: string, error: Error | null) {
  const editor = useRef<CodeEditorHandle>(null);
  const newest = useRef(text);
  const refusal = useRef<Refusal>(undefined);
  useEffect(() => {
    newest.current = text;
  });
  useEffect(() => {
    refusal.current = error === null ? undefined : { text: newest.current, error };
    editor.current?.check();
  }, [error]);
  const diagnose = useCallback(
    (given: string) => Promise.resolve(mistakesOf(given, refusal.current)),
    [],
  );
  return { diagnose, place: placeOf(error), editor };
}

/** Creates a workflow from YAML, which includes JSON. The answer to a text that does not fit says the line of the problem. */
async function createWorkflow(text: string, call: WriteCall): Promise<Workflow> {
  const response = await florin.send(
    {
      method: "POST",
      url: "/api/orchestration/v2/workflows",
      body: text,
      contentType: "text/vnd.yaml",
    },
    call,
  );
  if (!response.ok) throw await ApiError.from(response);
  return (parseJson(await response.text()) as { data: Workflow }).data; // The API document has this answer.
}
