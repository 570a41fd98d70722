import { Plus } from "lucide-react";
import { useState } from "react";
import type { Schema } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { CodeEditor } from "#console/parts/editor/code-editor.tsx";
import type { Mistake } from "#console/parts/editor/types.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

interface NewSchemaProps {
  readonly ledger: string;
  /** The version to begin with. */
  readonly latest: Schema | undefined;
}

/** The button and the form of a new version of the schema. The server says what is wrong with it, and nothing typed is lost. */
export const NewSchema = (props: NewSchemaProps) => (
  <FormDialog
    isWide
    kind="primary"
    title={ledgerWords().schema.insert}
    trigger={
      <>
        <Plus aria-hidden size={14} />
        {ledgerWords().schema.insert}
      </>
    }
  >
    {(close) => <SchemaForm {...props} close={close} />}
  </FormDialog>
);

function SchemaForm({ ledger, latest, close }: NewSchemaProps & { readonly close: () => void }) {
  const words = ledgerWords().schema;
  const [wasSent, setSent] = useState(false);
  const [draft, setDraft, clear] = useDraft(`schema:${ledger}`, {
    version: "",
    text: stringifyJson(latest === undefined ? FIRST : contentOf(latest), { indent: 2 }),
  });
  const write = useWrite(
    ({ version, text }: typeof draft, options) =>
      florin.post(
        "/api/ledger/v2/{ledger}/schemas/{version}",
        { path: { ledger, version }, body: parseJson(text) as { chart: Record<string, never> } }, // The server checks the schema, and says what is wrong.
        options,
      ),
    {
      refresh: [["ledgers", ledger]],
      onDone: () => {
        clear();
        close();
      },
    },
  );
  const problem = problemOf(draft.text);
  const submit = (): void => {
    setSent(true);
    if (problem === null) write.send(draft);
  };
  return (
    <Form write={write} submit={words.submit} onSubmit={submit}>
      <TextField
        label={words.version}
        value={draft.version}
        onChange={(version) => setDraft({ ...draft, version })}
        hint={words.versionHint}
        isRequired
        isCode
      />
      <div className="space-y-1">
        <p className="text-muted">{words.content}</p>
        <CodeEditor
          label={words.content}
          language="json"
          value={draft.text}
          onChange={(text) => setDraft({ ...draft, text })}
          diagnostics={mistakesOf}
          minLines={12}
          maxLines={20}
        />
        <p className="text-note text-muted">{words.contentHint}</p>
        {problem !== null && wasSent && <p className="text-note text-bad">{problem}</p>}
      </div>
    </Form>
  );
}

/** A schema to begin with: users with a main account each. */
const FIRST = {
  chart: { world: {}, users: { $id: { ".pattern": "^[0-9]+$", main: {} } } },
  transactions: {
    deposit: {
      description: "Money in",
      script:
        "vars {\n  monetary $amount\n  account $to\n}\nsend $amount (\n  source = @world\n  destination = $to\n)",
    },
  },
};

const contentOf = ({ chart, transactions, queries }: Schema) => ({
  chart,
  ...(transactions === undefined ? {} : { transactions }),
  ...(queries === undefined ? {} : { queries }),
});

/** The sentence for a text that is no JSON; null for one that is. */
function problemOf(text: string): string | null {
  try {
    parseJson(text);
    return null;
  } catch (error) {
    return ledgerWords().schema.noJson(error instanceof Error ? error.message : "");
  }
}

/** The mistake of a text that is no JSON, which the whole text shows, because the reader of JSON names no place. */
const mistakesOf = (text: string): Promise<readonly Mistake[]> => {
  const message = problemOf(text);
  return Promise.resolve(
    message === null ? [] : [{ from: 0, to: text.length, severity: "error", message }],
  );
};
