import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { PEOPLE_KEYS } from "./queries.ts";
import type { WriteCall } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Tiles } from "#console/parts/base/choice.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { LedgersField, ledgersIn } from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeFields } from "#console/places/access/scopes/scope-fields.tsx";
import { type Rights, rightsOf, scopesOf } from "#console/places/access/scopes/scopes.ts";
import { accessWords } from "#console/places/access/words.ts";

/** How a new person gets in: by an invitation, or by a link that signs in at once. */
type Way = "invitation" | "link";

interface Draft {
  readonly way: Way;
  readonly email: string;
  readonly name: string;
  readonly rights: Rights;
  /** The only ledgers, as the form has them. */
  readonly ledgers: string;
}

/** What the new person gets: a link, and until when it works. */
interface Entry {
  readonly url: string;
  readonly expiresAt: string;
  /** The id of the person, who is there already unless invited. */
  readonly id: string | undefined;
}

const EMPTY: Draft = { way: "invitation", email: "", name: "", rights: rightsOf([]), ledgers: "" };

export function NewPerson() {
  const words = accessWords().people;
  return (
    <FormDialog
      kind="primary"
      title={words.add}
      isWide
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.add}
        </>
      }
    >
      {(close) => <NewPersonForm close={close} />}
    </FormDialog>
  );
}

function NewPersonForm({ close }: { readonly close: () => void }) {
  const words = accessWords().people;
  const navigate = useNavigate();
  const [draft, setDraft, clearDraft] = useDraft("new-person", EMPTY);
  const write = useWrite(addPerson, { refresh: PEOPLE_KEYS, onDone: clearDraft });
  const made = write.output;
  if (made !== undefined) {
    return (
      <div className="space-y-4">
        <ShownOnce value={made.url} what={words.linkFor} />
        <p className="text-muted">
          {words.worksUntil} <Moment at={made.expiresAt} isWhole />
        </p>
        <div className="flex justify-end">
          <Button
            kind="primary"
            onClick={() => {
              close();
              const { id } = made;
              if (id !== undefined) void navigate({ to: "/access/people/$id", params: { id } });
            }}
          >
            {words.done}
          </Button>
        </div>
      </div>
    );
  }
  const { way, email, name, rights, ledgers } = draft;
  return (
    <Form write={write} submit={words.submit[way]} onSubmit={() => write.send(draft)}>
      <Tiles
        label={words.way}
        options={(["invitation", "link"] as const).map((id) => [id, words.ways[id]])}
        chosen={way}
        onChoose={(next) => setDraft({ ...draft, way: next })}
      />
      <p className="text-note text-muted">{words.wayHints[way]}</p>
      <TextField
        label={words.email}
        type={way === "link" ? "text" : "email"}
        isRequired={way === "link"}
        value={email}
        onChange={(next) => setDraft({ ...draft, email: next })}
      />
      {way === "link" && (
        <TextField
          label={words.name}
          value={name}
          onChange={(next) => setDraft({ ...draft, name: next })}
        />
      )}
      <ScopeFields rights={rights} onChange={(next) => setDraft({ ...draft, rights: next })} />
      <LedgersField
        value={ledgers}
        onChange={(next) => setDraft({ ...draft, ledgers: next })}
        hint={words.ledgersHint}
      />
    </Form>
  );
}

async function addPerson(
  { way, email, name, rights, ledgers: ledgerText }: Draft,
  call: WriteCall,
): Promise<Entry> {
  const scopes = scopesOf(rights);
  const ledgers = ledgersIn(ledgerText);
  if (way === "invitation") {
    const body = { scopes, ledgers, ...(email === "" ? {} : { email }) };
    const { data } = await florin.post("/api/florin/v1/invitations", { body }, call);
    return { ...data, id: undefined };
  }
  const body = { email, scopes, ledgers, ...(name === "" ? {} : { name }) };
  const { data: person } = await florin.post("/api/florin/v1/users", { body }, call);
  const { data } = await florin.post(
    "/api/florin/v1/sign-in-links",
    { body: { personId: person.id } },
    call.withKey(`${call.idempotencyKey}-link`),
  );
  return { url: data.url, expiresAt: data.expiresAt, id: person.id };
}
