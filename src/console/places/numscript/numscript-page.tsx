import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { CopyLink } from "./copy-link.tsx";
import { Gallery } from "./examples/gallery.tsx";
import { ledgerNamesQuery, type NewestSchema, schemaQuery } from "./queries.ts";
import { RunPanel, submitRun } from "./run/run-panel.tsx";
import { type Run, runOf, useRuns, wireOf } from "./run/runs.ts";
import { ScriptEditor } from "./script/script-editor.tsx";
import { useChecked } from "./script/use-checked.ts";
import { SaveTemplate } from "./templates/save-template.tsx";
import { TemplateMenu } from "./templates/template-menu.tsx";
import type { Work } from "./types.ts";
import { SIGNS } from "./variables/signs.ts";
import { allToTyped, allToWire } from "./variables/values.ts";
import { VariableInputs } from "./variables/variable-form.tsx";
import { numscriptWords } from "./words.ts";
import { useWork } from "./work.ts";
import { may } from "#console/api/florin.ts";
import { Empty, Failure } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { SelectField } from "#console/parts/forms/fields.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";

/** A script: written with help, tried without consequences, then committed. */
export function NumscriptPage() {
  const words = numscriptWords();
  const { data: ledgers, error, refetch } = useQuery(ledgerNamesQuery());
  return (
    <>
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {ledgers?.length === 0 ? (
        <>
          <PageTitle title={words.title} />
          <Empty title={words.noLedger}>
            <Link to="/ledgers" className="text-accent hover:underline">
              {words.toLedgers}
            </Link>
          </Empty>
        </>
      ) : (
        <Workbench ledgers={ledgers ?? []} />
      )}
    </>
  );
}

function Workbench({ ledgers }: { readonly ledgers: readonly string[] }) {
  const [stored, change] = useWork();
  const work = { ...stored, ledger: stored.ledger === "" ? (ledgers[0] ?? "") : stored.ledger };
  const { data: schema } = useQuery(schemaQuery(work.ledger));
  const checked = useChecked(work.script);
  const vars = allToWire(checked.variables, work.values, SIGNS);
  const run = vars === undefined || work.ledger === "" ? undefined : runOf(work, vars);
  const runs = useRuns();
  const top = useRef<HTMLDivElement>(null);
  const show = (shown: Partial<Work>): void => {
    change({ template: undefined, ...shown });
    runs.forget();
    top.current?.scrollTo({ top: 0 });
  };
  return (
    <>
      <Title work={work} run={run} schema={schema} change={change} />
      <div ref={top} className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        <div className="max-w-7xl space-y-8 p-6 max-sm:p-4">
          <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="min-w-0 space-y-4">
              <Source ledgers={ledgers} work={work} schema={schema} change={change} show={show} />
              <ScriptEditor
                work={work}
                onChange={(script) => change({ script })}
                onSubmit={submitRun}
                checked={checked}
                failed={runs.failed}
              />
            </div>
            <div className="min-w-0 space-y-6">
              <RunPanel
                isRunnable={work.script.trim() !== ""}
                isChecked={checked.isCurrent}
                run={run}
                runs={runs}
              >
                <VariableInputs
                  ledger={work.ledger}
                  variables={checked.variables}
                  values={work.values}
                  onChange={(values) => change({ values })}
                />
              </RunPanel>
            </div>
          </div>
          <Gallery
            onChoose={({ script, values }) => show({ script, values: allToTyped(values, SIGNS) })}
          />
        </div>
      </div>
    </>
  );
}

interface WorkProps {
  readonly work: Work;
  /** The newest schema of the ledger: null if it has none, undefined while it is read. */
  readonly schema: NewestSchema | null | undefined;
  readonly change: (changed: Partial<Work>) => void;
}

function Title({ work, run, schema, change }: WorkProps & { readonly run: Run | undefined }) {
  const maySave = may("ledger:write") && schema !== undefined && work.script !== "";
  return (
    <PageTitle
      title={numscriptWords().title}
      actions={
        <>
          <CopyLink work={work} values={run?.vars ?? {}} />
          {run !== undefined && work.script !== "" && <AsCode requests={[wireOf(run)]} />}
          {maySave && (
            <SaveTemplate
              work={work}
              schema={schema}
              onSaved={(template) => change({ template })}
            />
          )}
        </>
      }
    />
  );
}

/** Where the script runs, and the templates that the ledger has. */
const Source = ({
  ledgers,
  work,
  schema,
  change,
  show,
}: WorkProps & {
  readonly ledgers: readonly string[];
  readonly show: (shown: Partial<Work>) => void;
}) => (
  <div className="flex flex-wrap items-end gap-3">
    <div className="w-56 max-w-full">
      <SelectField
        label={numscriptWords().ledger}
        isRequired
        value={work.ledger}
        onChange={(ledger) => change({ ledger })}
        options={[...new Set([...ledgers, work.ledger])].map((name) => [name, name])}
      />
    </div>
    {schema !== undefined && schema !== null && (
      <TemplateMenu
        schema={schema}
        onChoose={({ name, script }) =>
          show({ script, template: { name, version: schema.version, script } })
        }
      />
    )}
  </div>
);
