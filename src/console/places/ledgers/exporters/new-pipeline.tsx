import { Plus } from "lucide-react";
import type { Exporter } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useDraft } from "#console/parts/forms/use-draft.ts";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import { parseJson } from "#platform/json.ts";

interface NewPipelineProps {
  readonly ledger: string;
  readonly exporters: readonly Exporter[];
}

/** The choice of a new exporter, beside those that exist. */
const NEW = "new";

/** The kinds of exporters, and a config of each to begin with. */
const CONFIGS: Readonly<Record<string, string>> = {
  http: '{ "url": "https://logs.example.com/in" }',
  clickhouse: '{ "dsn": "http://user:password@host:8123/database" }',
  elasticsearch: '{ "endpoint": "https://search.example.com", "index": "ledger" }',
  queue: '{ "binding": "EXPORT_QUEUE" }',
  r2: '{ "binding": "EXPORT_BUCKET", "prefix": "logs/" }',
  noop: "{}",
};
const FIRST = "http";

/** The button and the form of a new pipeline, to an exporter that exists or to a new one. */
export const NewPipeline = (props: NewPipelineProps) => (
  <FormDialog
    kind="primary"
    title={ledgerWords().exporters.create}
    trigger={
      <>
        <Plus aria-hidden size={14} />
        {ledgerWords().exporters.create}
      </>
    }
  >
    {(close) => <PipelineForm {...props} close={close} />}
  </FormDialog>
);

interface Draft {
  readonly exporterID: string;
  readonly driver: string;
  readonly config: string;
}

function PipelineForm({
  ledger,
  exporters,
  close,
}: NewPipelineProps & { readonly close: () => void }) {
  const words = ledgerWords().exporters;
  const [draft, setDraft, clear] = useDraft<Draft>(`pipeline:${ledger}`, {
    exporterID: exporters[0]?.id ?? NEW,
    driver: FIRST,
    config: CONFIGS[FIRST] ?? "{}",
  });
  const write = useWrite(
    async ({ exporterID, driver, config }: Draft, call) => {
      const id =
        exporterID === NEW
          ? (
              await florin.post(
                "/api/ledger/v2/_/exporters",
                { body: { driver, config: parseJson(config) as Record<string, unknown> } }, // `check` has seen an object.
                call.withKey(`${call.idempotencyKey}-exporter`),
              )
            ).data.id
          : exporterID;
      return florin.post(
        "/api/ledger/v2/{ledger}/pipelines",
        { path: { ledger }, body: { exporterID: id } },
        call,
      );
    },
    {
      refresh: [["ledgers", ledger, "pipelines"], ["exporters"]],
      onDone: () => {
        clear();
        close();
      },
    },
  );
  return (
    <Form write={write} submit={words.submit} onSubmit={() => write.send(draft)}>
      <SelectField
        label={words.exporter}
        isRequired
        value={draft.exporterID}
        onChange={(exporterID) => setDraft({ ...draft, exporterID })}
        options={[
          ...exporters.map(({ id, driver }) => [id, `${driver} · ${id}`] as const),
          [NEW, words.newExporter] as const,
        ]}
        hint={words.exporterHint}
      />
      {draft.exporterID === NEW && <ExporterFields draft={draft} onChange={setDraft} />}
    </Form>
  );
}

/** What a new exporter needs: its kind, and a config of that kind. */
function ExporterFields({
  draft,
  onChange,
}: {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}) {
  const words = ledgerWords().exporters;
  return (
    <>
      <SelectField
        label={words.driver}
        value={draft.driver}
        onChange={(driver) =>
          onChange({ ...draft, driver, config: CONFIGS[driver] ?? draft.config })
        }
        options={Object.keys(CONFIGS).map((name) => [name, name] as const)}
        isRequired
      />
      <TextField
        label={words.config}
        value={draft.config}
        onChange={(config) => onChange({ ...draft, config })}
        hint={words.configHint}
        check={problemOf}
        rows={5}
        isRequired
        isCode
      />
    </>
  );
}

/** The sentence for a text that is no object in JSON; null for one that is. */
function problemOf(text: string): string | null {
  try {
    const value: unknown = parseJson(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return null;
  } catch {
    // The sentence below is for this, too.
  }
  return ledgerWords().exporters.noObject;
}
