import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import {
  EMPTY_SOURCE,
  FORMATS,
  type ItemSourceDraft,
  sourceKinds,
  toSourceRequest,
} from "./source-draft.ts";
import { florin } from "#console/api/florin.ts";
import { Tiles } from "#console/parts/base/choice.tsx";
import { SelectField, SwitchField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import { PoolField } from "#console/places/reconciliation/checks/account-fields.tsx";
import { ledgerNamesQuery } from "#console/places/reconciliation/queries/common.ts";
import { connectorMenuQuery, SOURCES_KEY } from "#console/places/reconciliation/queries/sources.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The button and the form of a new source. */
export function NewSource() {
  const words = sourceWords();
  return (
    <FormDialog
      kind="primary"
      isWide
      title={words.create}
      trigger={
        <>
          <Plus aria-hidden size={14} />
          {words.create}
        </>
      }
    >
      {() => <NewSourceForm />}
    </FormDialog>
  );
}

function NewSourceForm() {
  const words = sourceWords();
  const navigate = useNavigate();
  const [draft, setDraft, clear] = useDraft("reconciliation.source", EMPTY_SOURCE);
  const set = (next: Partial<ItemSourceDraft>): void => setDraft({ ...draft, ...next });
  const create = useWrite(
    (values: ItemSourceDraft, call) =>
      florin.post("/api/florin/v1/reconciliation/sources", { body: toSourceRequest(values) }, call),
    {
      refresh: [SOURCES_KEY],
      onDone: async ({ data }) => {
        clear();
        await navigate({ to: "/reconciliation/sources/$id", params: { id: data.id } });
      },
    },
  );
  return (
    <Form write={create} submit={words.submit} onSubmit={() => create.send(draft)}>
      <Tiles
        label={words.fields.kind}
        options={sourceKinds().map((kind) => [kind, words.kind[kind]] as const)}
        chosen={draft.kind}
        onChoose={(kind) => set({ kind })}
      />
      <p className="text-muted">{words.kindMeaning[draft.kind]}</p>
      <TextField
        label={words.fields.name}
        value={draft.name}
        onChange={(name) => set({ name })}
        isRequired
      />
      <KindFields draft={draft} onChange={set} />
    </Form>
  );
}

interface KindProps {
  readonly draft: ItemSourceDraft;
  readonly onChange: (next: Partial<ItemSourceDraft>) => void;
}

function KindFields(props: KindProps) {
  const { draft, onChange } = props;
  if (draft.kind === "statement") return <StatementFields {...props} />;
  if (draft.kind === "accounts") return <AccountsFields {...props} />;
  if (draft.kind === "connector") return <ConnectorField {...props} />;
  return <PoolField poolId={draft.poolID} onChange={(poolID) => onChange({ poolID })} />;
}

function StatementFields({ draft, onChange }: KindProps) {
  const words = sourceWords();
  return (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      <TextField
        label={words.fields.bankAccount}
        value={draft.bankAccount}
        onChange={(bankAccount) => onChange({ bankAccount })}
        hint={words.form.bankAccountHint}
        isCode
      />
      <SelectField
        label={words.fields.format}
        value={draft.format}
        onChange={(format) => onChange({ format })}
        hint={words.form.formatHint}
        options={[
          ["", words.form.anyFormat],
          ...FORMATS.map((format) => [format, words.format[format]] as const),
        ]}
      />
    </div>
  );
}

function AccountsFields({ draft, onChange }: KindProps) {
  const words = sourceWords();
  const { data: ledgers = [] } = useQuery(ledgerNamesQuery());
  return (
    <>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label={reconciliationWords().fields.ledger}
          value={draft.ledger}
          onChange={(ledger) => onChange({ ledger })}
          suggestions={ledgers}
          pattern="[0-9a-zA-Z_\-]{1,63}"
          isRequired
          isCode
        />
        <TextField
          label={reconciliationWords().fields.accounts}
          value={draft.account}
          onChange={(account) => onChange({ account })}
          hint={words.form.accountHint}
          placeholder="bank:main"
          isRequired
          isCode
        />
      </div>
      <SelectField
        label={words.fields.direction}
        value={draft.direction}
        isRequired
        onChange={(direction) => onChange({ direction })}
        options={(["both", "in", "out"] as const).map((each) => [each, words.direction[each]])}
      />
      <SwitchField
        label={words.fields.negate}
        value={draft.negate}
        onChange={(negate) => onChange({ negate })}
        hint={words.form.negateHint}
      />
    </>
  );
}

function ConnectorField({ draft, onChange }: KindProps) {
  const words = sourceWords();
  const { data = [], isSuccess } = useQuery(connectorMenuQuery());
  return (
    <SelectField
      label={words.fields.connector}
      value={draft.connectorID}
      isRequired
      onChange={(connectorID) => onChange({ connectorID })}
      {...(isSuccess && data.length === 0 ? { hint: words.form.noConnector } : {})}
      options={[
        ["", words.form.chooseConnector],
        ...data.map(({ id, name }) => [id, visible(name)] as const),
      ]}
    />
  );
}
