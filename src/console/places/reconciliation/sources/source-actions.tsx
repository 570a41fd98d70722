import { useNavigate } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { FORMATS } from "./source-draft.ts";
import { florin } from "#console/api/florin.ts";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import {
  type ItemSource,
  type SourcePatch,
  type StatementFormat,
  SOURCES_KEY,
} from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

const PATH = "/api/florin/v1/reconciliation/sources/{sourceID}";

/** What can be done with a source: its name and how its files are read change, what it reads does not. */
export const SourceActions = ({ source }: { readonly source: ItemSource }) => (
  <>
    <DeleteSource id={source.id} />
    <ChangeSource source={source} />
  </>
);

function DeleteSource({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={sourceWords()}
      remove={(call) => florin.delete(PATH, { path: { sourceID: id } }, call)}
      refresh={[SOURCES_KEY]}
      onDone={() => navigate({ to: "/reconciliation/sources" })}
    />
  );
}

function ChangeSource({ source }: { readonly source: ItemSource }) {
  const words = sourceWords();
  return (
    <FormDialog
      title={words.changeTitle}
      trigger={
        <>
          <Pencil aria-hidden size={14} />
          {words.change}
        </>
      }
    >
      {(close) => <ChangeForm source={source} close={close} />}
    </FormDialog>
  );
}

function ChangeForm({
  source,
  close,
}: {
  readonly source: ItemSource;
  readonly close: () => void;
}) {
  const words = sourceWords();
  const [name, setName] = useState(source.name);
  const isStatement = source.kind === "statement";
  const [account, setAccount] = useState(isStatement ? (source.account ?? "") : "");
  const [format, setFormat] = useState<StatementFormat | "">(
    isStatement ? (source.format ?? "") : "",
  );
  const change = useWrite(
    (body: SourcePatch, call) => florin.patch(PATH, { path: { sourceID: source.id }, body }, call),
    { refresh: [SOURCES_KEY], onDone: close },
  );
  const send = (): void =>
    change.send({
      name,
      ...(isStatement
        ? { account: account === "" ? null : account, format: format === "" ? null : format }
        : {}),
    });
  return (
    <Form write={change} submit={words.save} onSubmit={send}>
      <TextField label={words.fields.name} value={name} onChange={setName} isRequired />
      {isStatement && (
        <>
          <TextField
            label={words.fields.bankAccount}
            value={account}
            onChange={setAccount}
            hint={words.form.bankAccountHint}
            isCode
          />
          <SelectField
            label={words.fields.format}
            value={format}
            onChange={setFormat}
            hint={words.form.formatHint}
            options={[
              ["", words.form.anyFormat],
              ...FORMATS.map((each) => [each, words.format[each]] as const),
            ]}
          />
        </>
      )}
    </Form>
  );
}
