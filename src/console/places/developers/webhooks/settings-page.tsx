import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { EndpointFields, type EndpointDraft } from "./endpoint-fields.tsx";
import { type WebhookEndpoint, configQuery, WEBHOOKS_KEY } from "./queries.ts";
import { florin, session } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { SwitchField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { mayChangeWebhooks, mayReadEvent } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

/** What an endpoint gets and how its requests are signed, and what changes it. */
export function SettingsPage() {
  const { id } = useParams({ from: "/developers/webhooks/$id" });
  const { data } = useQuery(configQuery(id));
  if (data === undefined) return null;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="max-w-3xl p-6 max-sm:p-4">
        <Settings config={data} />
      </div>
    </div>
  );
}

function Settings({ config }: { readonly config: WebhookEndpoint }) {
  const words = developerWords().webhooks;
  const { id, name, endpoint, eventTypes, createdAt, updatedAt, active } = config;
  const unreadable = eventTypes.filter((type) => !mayReadEvent(type));
  const mayTake = mayChangeWebhooks() && unreadable.length === 0;
  return (
    <>
      <Section title={words.settings} actions={mayTake ? <Change config={config} /> : undefined}>
        <Facts>
          <Fact name={words.endpoint}>
            <span className="font-mono text-note">
              <Foreign>{endpoint}</Foreign>
            </span>
          </Fact>
          {name !== "" && (
            <Fact name={words.name}>
              <Foreign>{name}</Foreign>
            </Fact>
          )}
          <Fact name={words.types}>
            <ul className="font-mono text-note">
              {eventTypes.map((type) => (
                <li key={type}>
                  <Foreign>{type}</Foreign>
                </li>
              ))}
            </ul>
          </Fact>
          <Fact name={words.created}>
            <Moment at={createdAt} isWhole />
          </Fact>
          <Fact name={words.changed}>
            <Moment at={updatedAt} isWhole />
          </Fact>
          <Fact name={words.id}>
            <span className="inline-flex items-center gap-1 font-mono text-note">
              {id}
              <CopyButton value={id} what={words.id} />
            </span>
          </Fact>
        </Facts>
      </Section>
      <Section title={words.secret}>
        <Secret config={config} />
        {mayTake && <RollSecret id={id} />}
      </Section>
      {mayChangeWebhooks() && (
        <Section title={words.end}>
          {unreadable.length > 0 && (
            <p className="mb-3 max-w-prose text-muted">{words.lacksTypes(unreadable)}</p>
          )}
          <div className="flex flex-wrap gap-2">
            {active ? <Deactivate id={id} /> : mayTake && <Activate id={id} />}
            <Delete id={id} />
          </div>
        </Section>
      )}
    </>
  );
}

/** Whether the API hides secrets, as it does where nobody has to sign in. */
const isMasked = (secret: string): boolean => /^\*+$/.test(secret);

function Secret({ config: { secret } }: { readonly config: WebhookEndpoint }) {
  const words = developerWords().webhooks;
  const [isShown, setShown] = useState(false);
  if (isMasked(secret)) return <p className="mb-3 text-muted">{words.secretHidden}</p>;
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <code className="font-mono text-note break-all">
        {isShown ? secret : "•".repeat(SHOWN_DOTS)}
      </code>
      <Button kind="quiet" onClick={() => setShown(!isShown)}>
        {isShown ? words.hide : words.show}
      </Button>
      <CopyButton value={secret} what={words.secret} />
    </div>
  );
}

const SHOWN_DOTS = 12;

function Change({ config }: { readonly config: WebhookEndpoint }) {
  const words = developerWords().webhooks;
  return (
    <FormDialog title={words.change} trigger={words.change} isWide>
      {(close) => <ChangeForm config={config} close={close} />}
    </FormDialog>
  );
}

function ChangeForm({
  config,
  close,
}: {
  readonly config: WebhookEndpoint;
  readonly close: () => void;
}) {
  const words = developerWords().webhooks;
  const { id, secret, name, endpoint, eventTypes } = config;
  const [draft, setDraft] = useState<EndpointDraft>({ name, endpoint, eventTypes });
  const keepsSecret = session.state.kind !== "open" && !isMasked(secret);
  const write = useWrite(
    (next: EndpointDraft, options) =>
      florin.put(
        "/api/webhooks/configs/{id}",
        {
          path: { id },
          body: {
            ...next,
            eventTypes: [...next.eventTypes],
            immediate: false,
            ...(keepsSecret ? { secret } : {}),
          },
        },
        options,
      ),
    { refresh: [WEBHOOKS_KEY], onDone: close },
  );
  return (
    <Form
      write={write}
      submit={words.save}
      onSubmit={() => {
        if (draft.eventTypes.length > 0) write.send(draft);
      }}
    >
      <EndpointFields draft={draft} onChange={setDraft} />
      {!keepsSecret && <p className="text-note text-warn">{words.changesSecret}</p>}
    </Form>
  );
}

function RollSecret({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  return (
    <FormDialog title={words.roll} trigger={words.roll}>
      {(close) => <RollForm id={id} close={close} />}
    </FormDialog>
  );
}

function RollForm({ id, close }: { readonly id: string; readonly close: () => void }) {
  const words = developerWords().webhooks;
  const [immediate, setImmediate] = useState(false);
  const write = useWrite(
    (body: { readonly immediate: boolean }, options) =>
      florin.put("/api/webhooks/configs/{id}/secret/change", { path: { id }, body }, options),
    { refresh: [WEBHOOKS_KEY] },
  );
  const made = write.output?.data;
  if (made !== undefined) {
    return (
      <div className="space-y-4">
        <ShownOnce value={made.secret} what={words.newSecret} />
        <div className="flex justify-end">
          <Button kind="primary" onClick={close}>
            {words.done}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <Form write={write} submit={words.roll} onSubmit={() => write.send({ immediate })}>
      <p className="text-muted">{words.rollHint}</p>
      <SwitchField
        label={words.immediate}
        hint={words.immediateHint}
        value={immediate}
        onChange={setImmediate}
      />
    </Form>
  );
}

function Activate({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  const write = useWrite(
    (configId: string, options) =>
      florin.put("/api/webhooks/configs/{id}/activate", { path: { id: configId } }, options),
    { refresh: [WEBHOOKS_KEY] },
  );
  return (
    <ConfirmButton
      trigger={words.activate}
      title={words.activate}
      submit={words.activate}
      write={write}
      isRisky={false}
      onConfirm={() => write.send(id)}
    >
      <p className="text-muted">{words.activateHint}</p>
    </ConfirmButton>
  );
}

function Deactivate({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  const write = useWrite(
    (configId: string, options) =>
      florin.put("/api/webhooks/configs/{id}/deactivate", { path: { id: configId } }, options),
    { refresh: [WEBHOOKS_KEY] },
  );
  return (
    <ConfirmButton
      trigger={words.deactivate}
      title={words.deactivate}
      submit={words.deactivate}
      write={write}
      onConfirm={() => write.send(id)}
    >
      <p className="text-muted">{words.deactivateHint}</p>
    </ConfirmButton>
  );
}

function Delete({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  const navigate = useNavigate();
  const write = useWrite(
    (configId: string, options) =>
      florin.delete("/api/webhooks/configs/{id}", { path: { id: configId } }, options),
    {
      refresh: [[...WEBHOOKS_KEY, "configs"]],
      onDone: () => navigate({ to: "/developers/webhooks" }),
    },
  );
  return (
    <ConfirmButton
      trigger={words.remove}
      title={words.remove}
      submit={words.remove}
      write={write}
      onConfirm={() => write.send(id)}
    >
      <p className="text-muted">{words.removeHint}</p>
    </ConfirmButton>
  );
}
