import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { bodyOf, type ClientDraft, EMPTY_CLIENT } from "./client-draft.ts";
import { ClientFields } from "./client-fields.tsx";
import { CLIENTS_KEY } from "./queries.ts";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { accessWords } from "#console/places/access/words.ts";

/** The button and the form of a new client, which ends with its first secret. */
export function NewClient() {
  const words = accessWords().clients;
  return (
    <FormDialog
      kind="primary"
      title={words.create}
      isWide
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {(close) => <NewClientForm close={close} />}
    </FormDialog>
  );
}

interface Made {
  readonly id: string;
  /** The first secret; undefined for an application without one. */
  readonly secret: string | undefined;
}

function NewClientForm({ close }: { readonly close: () => void }) {
  const words = accessWords().clients;
  const navigate = useNavigate();
  const [draft, setDraft, clearDraft] = useDraft("new-client", EMPTY_CLIENT);
  const write = useWrite(createClient, { refresh: [CLIENTS_KEY], onDone: clearDraft });
  const made = write.output;
  if (made === undefined) {
    return (
      <Form write={write} submit={words.submit} onSubmit={() => write.send(draft)}>
        <ClientFields draft={draft} onChange={setDraft} isNew />
      </Form>
    );
  }
  const { id, secret } = made;
  return (
    <div className="space-y-4">
      <Facts>
        <Fact name={words.id}>
          <span className="inline-flex items-center gap-1 font-mono text-note break-all">
            {id}
            <CopyButton value={id} what={words.id} />
          </span>
        </Fact>
      </Facts>
      {secret !== undefined && <ShownOnce value={secret} what={words.secret} />}
      <div className="flex justify-end">
        <Button
          kind="primary"
          onClick={() => {
            close();
            void navigate({ to: "/access/clients/$id", params: { id } });
          }}
        >
          {words.open}
        </Button>
      </div>
    </div>
  );
}

/** Makes a client and its first secret. A client without a secret, where the second request failed, gets one on its page. */
async function createClient(draft: ClientDraft, call: WriteCall): Promise<Made> {
  const id = draft.id === "" ? {} : { id: draft.id };
  const { data: client } = await florin.post(
    "/api/auth/clients",
    { body: { ...bodyOf(draft), ...id } },
    call,
  );
  if (client.public) return { id: client.id, secret: undefined };
  const { data } = await florin.post(
    "/api/auth/clients/{clientId}/secrets",
    { path: { clientId: client.id }, body: { name: "", metadata: {} } },
    call.withKey(`${call.idempotencyKey}-secret`),
  );
  return { id: client.id, secret: data.clear };
}
