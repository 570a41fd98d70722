import { Form as BaseForm } from "@base-ui/react/form";
import { Link } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import type { Run, RunResult, Runs } from "./runs.ts";
import { TransactionPreview } from "./transaction-preview.tsx";
import { ApiError } from "#console/api/errors.ts";
import { may } from "#console/api/florin.ts";
import { Button, buttonClass } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import type { Write } from "#console/parts/forms/use-write.ts";
import { plainError } from "#console/places/numscript/problems.ts";
import { numscriptWords } from "#console/places/numscript/words.ts";
import { stringifyJson } from "#platform/json.ts";

interface RunPanelProps {
  /** Whether there is a script. */
  readonly isRunnable: boolean;
  /** Whether the variables of the newest script are known. */
  readonly isChecked: boolean;
  /** What would run now; undefined while a value is missing or does not fit. */
  readonly run: Run | undefined;
  readonly runs: Runs;
  /** The inputs of the script's variables. */
  readonly children: ReactNode;
}

/** The values of a script, its dry run, and what that shows. */
export function RunPanel({ isRunnable, isChecked, run, runs, children }: RunPanelProps) {
  const words = numscriptWords();
  const { dry, commit } = runs;
  // A run that was asked for before the check of the newest script had answered follows the answer.
  const isWanted = useRef(false);
  useEffect(() => {
    if (!isWanted.current || !isChecked) return;
    isWanted.current = false;
    submitRun();
  }, [isChecked]);
  const outcome = useShownWhenNew(dry.output ?? dry.error);
  const { failed } = runs;
  const isFailed = failed !== undefined && isSame(failed.run, run);
  return (
    <>
      <section aria-labelledby="numscript-values">
        <h2 id="numscript-values" className="mb-3 text-section font-semibold">
          {words.variables.title}
        </h2>
        <BaseForm
          id={FORM_ID}
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            isWanted.current = !isChecked;
            if (isChecked && run !== undefined) runs.start(run);
          }}
        >
          {children}
          {may("ledger:write") ? (
            <Button type="submit" kind="primary" disabled={!isRunnable || dry.isSending}>
              <Play aria-hidden size={13} />
              {dry.output === undefined ? words.run.dry : words.run.again}
            </Button>
          ) : (
            <p className="text-muted">{words.run.mayNotWrite}</p>
          )}
        </BaseForm>
      </section>
      <div ref={outcome} className="scroll-mt-4">
        {dry.error !== null && isFailed && (
          <div className="-mx-4">
            <Failure
              error={dry.error instanceof ApiError ? plainError(dry.error) : dry.error}
              title={words.run.failed}
            />
          </div>
        )}
        {!isFailed && dry.output === undefined && <p className="text-muted">{words.run.first}</p>}
        {dry.output !== undefined && <Shown run={run} result={dry.output} commit={commit} />}
      </div>
    </>
  );
}

/** The part of the page that comes into view with each new result, where it is below the editor or out of sight. */
function useShownWhenNew(result: unknown) {
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { top = 0 } = part.current?.getBoundingClientRect() ?? {};
    const isInSight = top >= 0 && top < innerHeight * IN_SIGHT;
    if (result !== undefined && result !== null && !isInSight)
      part.current?.scrollIntoView({ block: "start" });
  }, [result]);
  return part;
}

/** The share of the window above which the beginning of a result is in sight. */
const IN_SIGHT = 0.5;

const FORM_ID = "numscript-run";

/** Sends the form as a click on its button does, so that inputs that don't fit are named. */
export const submitRun = (): void => {
  const form = document.querySelector<HTMLFormElement>(`#${FORM_ID}`);
  form?.requestSubmit();
};

/** Whether a run is what would run now. */
const isSame = (one: Run, now: Run | undefined): boolean =>
  now !== undefined && stringifyJson(one) === stringifyJson(now);

/** What a dry run would do, and the button that does it; then what it has done. */
function Shown({
  run,
  result,
  commit,
}: {
  readonly run: Run | undefined;
  readonly result: RunResult;
  readonly commit: Write<Run, RunResult>;
}) {
  const words = numscriptWords().run;
  const committed = commit.output;
  const { transaction } = committed ?? result;
  const { ledger } = result.run;
  const isStale = !isSame(result.run, run);
  return (
    <section aria-labelledby="numscript-result" aria-live="polite">
      <h2 id="numscript-result" className="mb-3 text-section font-semibold">
        {committed === undefined ? words.result : words.done}
      </h2>
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        {committed === undefined ? (
          <>
            <Button
              kind="primary"
              disabled={isStale || commit.isSending}
              onClick={() => commit.send(result.run)}
            >
              {words.commit}
            </Button>
            <span className="min-w-0 flex-1 text-note text-muted">
              {isStale ? words.stale : words.nothingStored}
            </span>
          </>
        ) : (
          <>
            <Status tone="good">{words.committed}</Status>
            <Link
              to="/ledgers/$ledger/transactions/$id"
              params={{ ledger, id: String(transaction.id) }}
              className={buttonClass("plain")}
            >
              {words.see(String(transaction.id))}
            </Link>
          </>
        )}
      </div>
      {commit.error !== null && (
        <div className="-mx-4">
          <Failure
            error={commit.error instanceof ApiError ? plainError(commit.error) : commit.error}
            title={words.notCommitted}
          />
        </div>
      )}
      <div className={isStale && committed === undefined ? "opacity-60" : ""}>
        <TransactionPreview ledger={ledger} transaction={transaction} />
      </div>
    </section>
  );
}
