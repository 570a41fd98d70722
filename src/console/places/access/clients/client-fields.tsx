import { type ClientDraft, KINDS } from "./client-draft.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { LedgersField } from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeFields } from "#console/places/access/scopes/scope-fields.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** The fields of a client. */
export function ClientFields({
  draft,
  onChange,
  isNew,
}: {
  readonly draft: ClientDraft;
  readonly onChange: (draft: ClientDraft) => void;
  /** Whether the client has no id yet. */
  readonly isNew: boolean;
}) {
  const words = accessWords().clients;
  return (
    <>
      <TextField
        label={words.name}
        isRequired
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      <SelectField
        label={words.kind}
        isRequired
        options={KINDS.map((kind) => [kind, words.kinds[kind]])}
        hint={words.kindHints[draft.kind]}
        value={draft.kind}
        onChange={(kind) => onChange({ ...draft, kind })}
      />
      {isNew && (
        <TextField
          label={words.id}
          isCode
          pattern="[\x21-\x7e]*"
          hint={words.idHint}
          value={draft.id}
          onChange={(id) => onChange({ ...draft, id })}
        />
      )}
      <TextField
        label={words.description}
        value={draft.description}
        onChange={(description) => onChange({ ...draft, description })}
      />
      {draft.kind !== "program" && <RedirectFields draft={draft} onChange={onChange} />}
      <ScopeFields rights={draft.rights} onChange={(rights) => onChange({ ...draft, rights })} />
      <LedgersField
        value={draft.ledgers}
        onChange={(ledgers) => onChange({ ...draft, ledgers })}
        hint={words.ledgersHint}
      />
    </>
  );
}

function RedirectFields({
  draft,
  onChange,
}: {
  readonly draft: ClientDraft;
  readonly onChange: (draft: ClientDraft) => void;
}) {
  const words = accessWords().clients;
  return (
    <>
      <TextField
        label={words.redirectUris}
        isCode
        isRequired
        rows={2}
        hint={words.uriHint}
        value={draft.redirectUris}
        onChange={(redirectUris) => onChange({ ...draft, redirectUris })}
      />
      <TextField
        label={words.postLogoutRedirectUris}
        isCode
        rows={2}
        hint={words.uriHint}
        value={draft.postLogoutRedirectUris}
        onChange={(postLogoutRedirectUris) => onChange({ ...draft, postLogoutRedirectUris })}
      />
    </>
  );
}
