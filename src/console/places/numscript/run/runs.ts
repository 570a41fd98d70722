import { useMemo, useState } from "react";
import { toWire, type WireRequest } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";
import { useWrite, type Write } from "#console/parts/forms/use-write.ts";
import type { ScriptedTransaction } from "#console/places/numscript/queries.ts";
import type { Values, Work } from "#console/places/numscript/types.ts";

/** What runs: the whole of a run's request. */
export interface Run {
  readonly ledger: string;
  readonly script: string;
  readonly vars: Values;
  /** The template that is run, instead of its script. */
  readonly template: { readonly name: string; readonly version: string } | undefined;
}

export interface RunResult {
  readonly run: Run;
  readonly transaction: ScriptedTransaction;
}

/** A run that the ledger has refused. */
export interface FailedRun {
  readonly run: Run;
  readonly error: Error;
}

/** The run of what the person works on. An unchanged template runs under its name. */
export function runOf({ ledger, script, template }: Work, vars: Values): Run {
  const isTemplate = template !== undefined && template.script === script;
  return {
    ledger,
    script,
    vars,
    template: isTemplate ? { name: template.name, version: template.version } : undefined,
  };
}

/** The request of a run. */
const requestOf = ({ ledger, script, vars, template }: Run, isDry: boolean) => ({
  path: { ledger },
  query: {
    ...(isDry ? { dryRun: true } : {}),
    ...(template === undefined ? {} : { schemaVersion: template.version }),
  },
  body: {
    script: template === undefined ? { plain: script, vars } : { template: template.name, vars },
  },
});

/** The request that commits a run, to show as code. */
export const wireOf = (run: Run): WireRequest => toWire("post", PATH, requestOf(run, false));

const PATH = "/api/ledger/v2/{ledger}/transactions";

export interface Runs {
  readonly dry: Write<Run, RunResult>;
  readonly commit: Write<Run, RunResult>;
  /** The last run, if the ledger has refused it. */
  readonly failed: FailedRun | undefined;
  /** Runs a script without storing anything. */
  readonly start: (run: Run) => void;
  readonly forget: () => void;
}

/** The dry run of a script, and the commit of what it has shown: once a dry run. */
export function useRuns(): Runs {
  const dry = useWrite(async (run: Run, call): Promise<RunResult> => ({
    run,
    transaction: (await florin.post(PATH, requestOf(run, true), call.withKey(undefined))).data,
  }));
  const commit = useWrite(
    async (run: Run, call): Promise<RunResult> => ({
      run,
      transaction: (await florin.post(PATH, requestOf(run, false), call)).data,
    }),
    { refresh: [["ledgers"]] },
  );
  const [sent, setSent] = useState<Run>();
  const failed = useMemo(
    () => (dry.error === null || sent === undefined ? undefined : { run: sent, error: dry.error }),
    [dry.error, sent],
  );
  return {
    dry,
    commit,
    failed,
    start: (run) => {
      commit.reset();
      setSent(run);
      dry.send(run);
    },
    forget: () => {
      dry.reset();
      commit.reset();
    },
  };
}
