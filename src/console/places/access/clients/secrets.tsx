import { useState } from "react";
import { type Client, CLIENTS_KEY } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { accessWords } from "#console/places/access/words.ts";

/** The secrets of a client. Several make it possible to replace one without a break. */
export function Secrets({
  client: { id, secrets },
  mayChange,
}: {
  readonly client: Client;
  readonly mayChange: boolean;
}) {
  const words = accessWords().clients;
  return (
    <>
      {secrets.length === 0 && <p className="mb-3 text-muted">{words.noSecrets}</p>}
      {secrets.length > 0 && (
        <ul className="mb-3 divide-y divide-line rounded-md border border-line">
          {secrets.map((secret) => (
            <li key={secret.id} className="flex items-center justify-between gap-4 px-3 py-1.5">
              <span className="min-w-0">
                <code className="font-mono text-note">…{secret.lastDigits}</code>{" "}
                <Foreign>{secret.name}</Foreign>
              </span>
              {mayChange && (
                <DeleteSecret clientId={id} secretId={secret.id} lastDigits={secret.lastDigits} />
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <FormDialog title={words.newSecret} trigger={words.newSecret}>
          {(close) => <NewSecretForm clientId={id} close={close} />}
        </FormDialog>
      )}
    </>
  );
}

function NewSecretForm({
  clientId,
  close,
}: {
  readonly clientId: string;
  readonly close: () => void;
}) {
  const words = accessWords().clients;
  const [name, setName] = useState("");
  const write = useWrite(
    (wanted: string, options) =>
      florin.post(
        "/api/auth/clients/{clientId}/secrets",
        { path: { clientId }, body: { name: wanted, metadata: {} } },
        options,
      ),
    { refresh: [CLIENTS_KEY] },
  );
  const made = write.output?.data;
  if (made === undefined) {
    return (
      <Form write={write} submit={words.newSecret} onSubmit={() => write.send(name)}>
        <TextField label={words.name} hint={words.secretNameHint} value={name} onChange={setName} />
      </Form>
    );
  }
  return (
    <div className="space-y-4">
      <ShownOnce value={made.clear} what={words.secret} />
      <div className="flex justify-end">
        <Button kind="primary" onClick={close}>
          {words.done}
        </Button>
      </div>
    </div>
  );
}

function DeleteSecret({
  clientId,
  secretId,
  lastDigits,
}: {
  readonly clientId: string;
  readonly secretId: string;
  readonly lastDigits: string;
}) {
  const words = accessWords().clients;
  const write = useWrite(
    (id: string, options) =>
      florin.delete(
        "/api/auth/clients/{clientId}/secrets/{secretId}",
        { path: { clientId, secretId: id } },
        options,
      ),
    { refresh: [CLIENTS_KEY] },
  );
  return (
    <ConfirmButton
      trigger={words.remove}
      title={words.removeSecret(lastDigits)}
      submit={words.remove}
      write={write}
      onConfirm={() => write.send(secretId)}
    >
      <p className="text-muted">{words.removeSecretHint}</p>
    </ConfirmButton>
  );
}
