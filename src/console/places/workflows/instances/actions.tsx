import { RotateCcw, Send, Square } from "lucide-react";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { type Instance, ORCHESTRATION_KEY } from "#console/places/workflows/queries.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** The error of an instance that was aborted, which cannot be retried. */
const ABORTED = "canceled";

/** What can be done with an instance as it is. */
export function InstanceActions({ instance }: { readonly instance: Instance }) {
  const { id, terminated, state, error } = instance;
  if (state === "failed" && error !== ABORTED) return <Retry id={id} />;
  if (terminated) return null;
  return (
    <>
      <Abort id={id} />
      <SendEvent instance={instance} />
    </>
  );
}

const refresh = [ORCHESTRATION_KEY];

function Retry({ id }: { readonly id: string }) {
  const words = workflowWords().actions;
  const write = useWrite<() => void, unknown>(
    (_, call) =>
      florin.post(
        "/api/florin/v1/instances/{instanceID}/retry",
        { path: { instanceID: id } },
        call,
      ),
    { refresh, onDone: (_, close) => close() },
  );
  return (
    <ConfirmButton
      trigger={
        <>
          <RotateCcw aria-hidden size={14} />
          {words.retry}
        </>
      }
      title={words.retryTitle}
      submit={words.retry}
      isRisky={false}
      write={write}
      onConfirm={(close) => write.send(close)}
    >
      <p>{words.retryText}</p>
    </ConfirmButton>
  );
}

function Abort({ id }: { readonly id: string }) {
  const words = workflowWords().actions;
  const write = useWrite<() => void, unknown>(
    (_, call) =>
      florin.put(
        "/api/orchestration/v2/instances/{instanceID}/abort",
        { path: { instanceID: id } },
        call,
      ),
    { refresh, onDone: (_, close) => close() },
  );
  return (
    <ConfirmButton
      trigger={
        <>
          <Square aria-hidden size={14} />
          {words.abort}
        </>
      }
      title={words.abortTitle}
      submit={words.abort}
      write={write}
      onConfirm={(close) => write.send(close)}
    >
      <p>{words.abortText}</p>
    </ConfirmButton>
  );
}

function SendEvent({ instance }: { readonly instance: Instance }) {
  const words = workflowWords().actions;
  return (
    <FormDialog
      trigger={
        <>
          <Send aria-hidden size={14} />
          {words.event}
        </>
      }
      title={words.eventTitle}
      kind={instance.hold?.event === undefined ? "plain" : "primary"}
    >
      {(close) => <EventForm instance={instance} close={close} />}
    </FormDialog>
  );
}

function EventForm({
  instance: { id, hold },
  close,
}: {
  readonly instance: Instance;
  readonly close: () => void;
}) {
  const words = workflowWords().actions;
  const [name, setName] = useState(hold?.event ?? "");
  const write = useWrite(
    (event: string, call) =>
      florin.post(
        "/api/orchestration/v2/instances/{instanceID}/events",
        { path: { instanceID: id }, body: { name: event } },
        call,
      ),
    { refresh, onDone: close },
  );
  return (
    <Form write={write} submit={words.send} onSubmit={() => write.send(name)}>
      <TextField
        label={words.eventName}
        value={name}
        onChange={setName}
        hint={words.eventHint}
        isRequired
        isCode
      />
    </Form>
  );
}
