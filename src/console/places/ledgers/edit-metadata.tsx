import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { ledgerWords } from "./words.ts";
import type { WriteCall } from "#console/api/client.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";

interface Entry {
  readonly name: string;
  readonly value: string;
}

interface EditProps {
  readonly ledger: string;
  readonly save: (metadata: Readonly<Record<string, string>>, call: WriteCall) => Promise<unknown>;
  readonly remove: (name: string, call: WriteCall) => Promise<unknown>;
}

/** The metadata of an object, by name, with the buttons that change them. */
export function EditableMetadata({
  metadata,
  ...edit
}: EditProps & { readonly metadata: Readonly<Record<string, string>> }) {
  const words = ledgerWords();
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const mayEdit = may("ledger:write");
  return (
    <Section title={words.detail.metadata} actions={mayEdit && <EntryDialog {...edit} />}>
      {entries.length === 0 && <p className="text-muted">{words.detail.noMetadata}</p>}
      <dl className="divide-y divide-line">
        {entries.map(([name, value]) => (
          <div
            key={name}
            className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)_auto] items-start gap-x-4 py-1 max-sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <dt className="min-w-28 py-1 text-muted max-sm:col-start-1">
              <Foreign>{name}</Foreign>
            </dt>
            <dd className="min-w-0 py-1 max-sm:col-start-1">
              <Foreign>{value}</Foreign>
            </dd>
            {mayEdit && (
              <dd className="flex max-sm:col-start-2 max-sm:row-span-2 max-sm:row-start-1">
                <EntryDialog {...edit} entry={{ name, value }} />
                <RemoveEntry {...edit} name={name} />
              </dd>
            )}
          </div>
        ))}
      </dl>
    </Section>
  );
}

function EntryDialog({ entry, ...edit }: EditProps & { readonly entry?: Entry }) {
  const words = ledgerWords().edit;
  const title = entry === undefined ? words.add : words.change(entry.name);
  return (
    <FormDialog
      kind="quiet"
      title={title}
      trigger={
        entry === undefined ? (
          <>
            <Plus aria-hidden size={14} />
            {words.add}
          </>
        ) : (
          <>
            <Pencil aria-hidden size={14} />
            <span className="sr-only">{title}</span>
          </>
        )
      }
    >
      {(close) => <EntryForm {...edit} entry={entry} close={close} />}
    </FormDialog>
  );
}

function EntryForm({
  ledger,
  save,
  entry,
  close,
}: EditProps & { readonly entry: Entry | undefined; readonly close: () => void }) {
  const words = ledgerWords().edit;
  const [{ name, value }, setEntry] = useState(entry ?? { name: "", value: "" });
  const write = useWrite((input: Entry, call) => save({ [input.name]: input.value }, call), {
    refresh: [["ledgers", ledger]],
    onDone: close,
  });
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send({ name, value })}>
      {entry === undefined && (
        <TextField
          label={words.name}
          value={name}
          onChange={(next) => setEntry({ name: next, value })}
          isRequired
          isCode
        />
      )}
      <TextField
        label={words.value}
        value={value}
        onChange={(next) => setEntry({ name, value: next })}
        rows={2}
      />
    </Form>
  );
}

function RemoveEntry({ ledger, remove, name }: EditProps & { readonly name: string }) {
  const words = ledgerWords().edit;
  const write = useWrite((_: null, call) => remove(name, call), {
    refresh: [["ledgers", ledger]],
  });
  return (
    <ConfirmButton
      kind="quiet"
      title={words.remove(name)}
      submit={words.removeSubmit}
      write={write}
      onConfirm={() => write.send(null)}
      trigger={
        <>
          <Trash2 aria-hidden size={14} />
          <span className="sr-only">{words.remove(name)}</span>
        </>
      }
    >
      <p>{words.removeWhat}</p>
    </ConfirmButton>
  );
}
