import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ByField, useActingName, SUGGESTED_MAX } from "./acting-name.tsx";
import { SnoozeForm } from "./snooze-form.tsx";
import { useAlertAction } from "./use-alert-action.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { mayReadAccess, nameOf, peopleQuery } from "#console/parts/principals/people.ts";
import type { RuleAlert } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What can be said of an alert. One that is resolved is opened by the next failure only. */
export function AlertActions({ alert }: { readonly alert: RuleAlert }) {
  const words = reconciliationWords().alerts;
  const { id, status, snooze } = alert;
  if (status === "RESOLVED") return null;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {status === "OPEN" && (
        <FormDialog kind="primary" trigger={words.ack} title={words.ackTitle}>
          {(close) => <AckForm id={id} close={close} />}
        </FormDialog>
      )}
      <FormDialog trigger={words.resolve} title={words.resolveTitle}>
        {(close) => <ResolveForm id={id} close={close} />}
      </FormDialog>
      <FormDialog trigger={words.accept} title={words.acceptTitle}>
        {(close) => <AcceptForm id={id} close={close} />}
      </FormDialog>
      <FormDialog trigger={words.snooze} title={words.snoozeTitle}>
        {(close) => <SnoozeForm id={id} close={close} />}
      </FormDialog>
      {snooze !== undefined && <Unsnooze id={id} />}
    </div>
  );
}

interface ActionProps {
  readonly id: string;
  readonly close: () => void;
}

/** Says who looks into an alert: whoever asks, or somebody else. */
function AckForm({ id, close }: ActionProps) {
  const words = reconciliationWords().alerts;
  const { data: people = [] } = useQuery({ ...peopleQuery(), enabled: mayReadAccess() });
  const [by, setBy] = useActingName();
  const [note, setNote] = useState("");
  const write = useAlertAction(id, "ack", close);
  return (
    <Form write={write} submit={words.ack} onSubmit={() => write.send({ by, note })}>
      <p className="text-muted">{words.ackText}</p>
      <TextField
        label={words.who}
        value={by}
        onChange={setBy}
        suggestions={people.slice(0, SUGGESTED_MAX).map(nameOf)}
        isRequired
      />
      <TextField label={words.note} value={note} onChange={setNote} rows={2} />
    </Form>
  );
}

function ResolveForm({ id, close }: ActionProps) {
  const words = reconciliationWords().alerts;
  const [by, setBy] = useActingName();
  const [note, setNote] = useState("");
  const [refs, setRefs] = useState("");
  const write = useAlertAction(id, "resolve", close);
  const send = (): void => write.send({ by, note, transactionRefs: linesOf(refs) });
  return (
    <Form write={write} submit={words.resolve} onSubmit={send}>
      <p className="text-muted">{words.resolveText}</p>
      <TextField
        label={words.refs}
        value={refs}
        onChange={setRefs}
        hint={words.refsHint}
        rows={2}
        isCode
      />
      <TextField label={words.note} value={note} onChange={setNote} rows={2} />
      <ByField value={by} onChange={setBy} />
    </Form>
  );
}

/** The lines of a text that are not empty. */
const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function AcceptForm({ id, close }: ActionProps) {
  const words = reconciliationWords().alerts;
  const [by, setBy] = useActingName();
  const [note, setNote] = useState("");
  const write = useAlertAction(id, "accept", close);
  return (
    <Form write={write} submit={words.accept} onSubmit={() => write.send({ by, note })}>
      <p className="text-muted">{words.acceptText}</p>
      <TextField label={words.reason} value={note} onChange={setNote} rows={2} isRequired />
      <ByField value={by} onChange={setBy} />
    </Form>
  );
}

function Unsnooze({ id }: { readonly id: string }) {
  const words = reconciliationWords().alerts;
  return (
    <FormDialog trigger={words.unsnooze} title={words.unsnooze}>
      {(close) => <UnsnoozeForm id={id} close={close} />}
    </FormDialog>
  );
}

function UnsnoozeForm({ id, close }: ActionProps) {
  const words = reconciliationWords().alerts;
  const [by, setBy] = useActingName();
  const write = useAlertAction(id, "unsnooze", close);
  return (
    <Form write={write} submit={words.unsnooze} onSubmit={() => write.send({ by })}>
      <p className="text-muted">{words.unsnoozeText}</p>
      <ByField value={by} onChange={setBy} />
    </Form>
  );
}
