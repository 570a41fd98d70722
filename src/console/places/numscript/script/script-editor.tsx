import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { suggest } from "./completion.ts";
import { ProblemList } from "./problem-list.tsx";
import type { Checked } from "./use-checked.ts";
import { ApiError } from "#console/api/errors.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { CodeEditor, type CodeEditorHandle } from "#console/parts/editor/code-editor.tsx";
import { failuresOf, type Problem, problemsOf } from "#console/places/numscript/problems.ts";
import { checkQuery } from "#console/places/numscript/queries.ts";
import type { FailedRun } from "#console/places/numscript/run/runs.ts";
import type { Work } from "#console/places/numscript/types.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";

interface ScriptEditorProps {
  readonly work: Work;
  readonly onChange: (script: string) => void;
  readonly onSubmit: () => void;
  readonly checked: Checked;
  /** The run that has failed last. */
  readonly failed: FailedRun | undefined;
}

const NO_PROBLEMS: readonly Problem[] = [];

/** The editor of the script, and below it what is wrong with the script. */
export function ScriptEditor({ work, onChange, onSubmit, checked, failed }: ScriptEditorProps) {
  const words = numscriptWords();
  const queries = useQueryClient();
  const editor = useRef<CodeEditorHandle>(null);
  const { ledger, script } = work;
  const failures = useMemo(
    () =>
      failed?.error instanceof ApiError && failed.run.script === script
        ? failuresOf(script, failed.error, numscriptWords().hints)
        : NO_PROBLEMS,
    [failed, script],
  );
  useEffect(() => {
    if (failures.length > 0) editor.current?.check();
  }, [failures]);
  const found =
    checked.report === undefined
      ? NO_PROBLEMS
      : problemsOf(checked.script, checked.report, words.hints);
  const problems = merged(found, failures);
  return (
    <div className="space-y-2">
      <Origin work={work} />
      <CodeEditor
        ref={editor}
        label={words.script}
        language="numscript"
        value={script}
        onChange={onChange}
        onSubmit={onSubmit}
        placeholder={words.placeholder}
        minLines={14}
        diagnostics={async (text) => {
          if (text.trim() === "") return [];
          const report = await queries.fetchQuery(checkQuery(text));
          return merged(problemsOf(text, report, words.hints), text === script ? failures : []);
        }}
        completions={(query) => suggest(query, { ledger, queries })}
      />
      {checked.error !== null && (
        <div className="-mx-4">
          <Failure error={checked.error} title={words.problems.checkFailed} />
        </div>
      )}
      <div aria-live="polite">
        {problems.length > 0 && (
          <ProblemList
            problems={problems}
            onSelect={({ from, to }) => editor.current?.select(from, to)}
          />
        )}
        {checked.report !== undefined && problems.length === 0 && (
          <Status tone="good">{words.problems.none}</Status>
        )}
      </div>
      <p className="text-note text-muted pointer-coarse:hidden">{words.keys}</p>
    </div>
  );
}

/** Problems of the check and of a run, without those that the check has found already. */
const merged = (found: readonly Problem[], failures: readonly Problem[]): readonly Problem[] => [
  ...found,
  ...failures.filter(
    ({ from, code }) => !found.some((other) => other.from === from && other.code === code),
  ),
];

/** The template from which the script was taken. */
function Origin({ work: { template, script } }: { readonly work: Work }) {
  const words = numscriptWords().template;
  if (template === undefined) return null;
  return (
    <p className="foreign text-note text-muted">
      {template.script === script
        ? words.from(template.name, template.version)
        : words.changed(template.name)}
    </p>
  );
}
