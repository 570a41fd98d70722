import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { EndpointFields, type EndpointDraft } from "./endpoint-fields.tsx";
import { WEBHOOKS_KEY } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { developerWords } from "#console/places/developers/words.ts";

const EMPTY: EndpointDraft = { name: "", endpoint: "", eventTypes: [] };

/** The button and the form of a new endpoint, which ends with the secret that signs its requests. */
export function NewEndpoint() {
  const words = developerWords().webhooks;
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
      {(close) => <NewEndpointForm close={close} />}
    </FormDialog>
  );
}

function NewEndpointForm({ close }: { readonly close: () => void }) {
  const words = developerWords().webhooks;
  const navigate = useNavigate();
  const [draft, setDraft, clearDraft] = useDraft("new-endpoint", EMPTY);
  const write = useWrite(
    ({ eventTypes, ...fields }: EndpointDraft, options) =>
      florin.post(
        "/api/webhooks/configs",
        { body: { ...fields, eventTypes: [...eventTypes] } },
        options,
      ),
    { refresh: [WEBHOOKS_KEY], onDone: clearDraft },
  );
  const made = write.output?.data;
  if (made !== undefined) {
    return (
      <div className="space-y-4">
        <ShownOnce value={made.secret} what={words.secret} />
        <p className="text-muted">{words.secretUse}</p>
        <div className="flex justify-end">
          <Button
            kind="primary"
            onClick={() => {
              close();
              void navigate({ to: "/developers/webhooks/$id", params: { id: made.id } });
            }}
          >
            {words.openEndpoint}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <Form
      write={write}
      submit={words.submit}
      onSubmit={() => {
        if (draft.eventTypes.length > 0) write.send(draft);
      }}
    >
      <EndpointFields draft={draft} onChange={setDraft} />
    </Form>
  );
}
