import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import type { NewestSchema } from "#console/places/numscript/queries.ts";
import { nextVersion } from "#console/places/numscript/templates/next-version.ts";
import type { TemplateOrigin, Work } from "#console/places/numscript/types.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

interface SaveTemplateProps {
  readonly work: Work;
  /** The newest schema of the ledger; null if it has none. */
  readonly schema: NewestSchema | null;
  readonly onSaved: (template: TemplateOrigin) => void;
}

/** Saves the script as a template: in a new version of the ledger's schema, which is otherwise a copy of the newest one. */
export const SaveTemplate = (props: SaveTemplateProps) => {
  const words = numscriptWords().template;
  const { schema, work } = props;
  return (
    <FormDialog trigger={words.save} title={words.save}>
      {(close) =>
        schema === null ? (
          <div className="space-y-4">
            <p>{words.noSchema}</p>
            <Link
              to="/ledgers/$ledger/schema"
              params={{ ledger: work.ledger }}
              className="text-accent hover:underline"
            >
              {words.toSchema}
            </Link>
          </div>
        ) : (
          <TemplateForm {...props} schema={schema} close={close} />
        )
      }
    </FormDialog>
  );
};

interface Saved {
  readonly name: string;
  readonly description: string;
  readonly version: string;
}

function TemplateForm({
  work: { ledger, script, template },
  schema,
  onSaved,
  close,
}: SaveTemplateProps & { readonly schema: NewestSchema; readonly close: () => void }) {
  const words = numscriptWords().template;
  const [name, setName] = useState(template?.name ?? "");
  const known = schema.templates.find((other) => other.name === name);
  const [description, setDescription] = useState(known?.description ?? "");
  const [version, setVersion] = useState(nextVersion(schema.version));
  const write = useWrite(
    (saved: Saved, options) =>
      florin.post(
        "/api/ledger/v2/{ledger}/schemas/{version}",
        {
          path: { ledger, version: saved.version },
          query: {},
          body: schemaWith(schema, saved, script),
        },
        options,
      ),
    {
      refresh: [["ledgers", ledger]],
      onDone: (_, saved) => {
        onSaved({ name: saved.name, version: saved.version, script });
        close();
      },
    },
  );
  return (
    <Form
      write={write}
      submit={words.submit}
      onSubmit={() => write.send({ name, description, version })}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        isRequired
        isCode
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- A dialog moves the focus to its first input.
        autoFocus
        hint={known === undefined ? words.nameHint : words.replaces(name)}
      />
      <TextField label={words.description} value={description} onChange={setDescription} />
      <TextField
        label={words.version}
        value={version}
        onChange={setVersion}
        isRequired
        isCode
        hint={words.versionHint(schema.version)}
      />
    </Form>
  );
}

/** The schema with the template. The API document describes the members of a schema as objects without members. */
const schemaWith = (
  { chart, transactions, queries }: NewestSchema,
  { name, description }: Saved,
  script: string,
) => ({
  chart: chart as Record<string, never>,
  transactions: { ...transactions, [name]: { description, script } } as Record<string, never>,
  queries: queries as Record<string, never>,
});
