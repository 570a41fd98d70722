import { Pause, Play } from "lucide-react";
import { useRef } from "react";
import type { Pipeline } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { ConfirmButton } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { partWords } from "#console/parts/part-words.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** What can be done with a pipeline: start or stop, send everything again, delete. */
export function PipelineActions({ pipeline }: { readonly pipeline: Pipeline }) {
  const words = ledgerWords().exporters;
  const { ledger, id, state } = pipeline;
  const input = { path: { ledger, pipelineID: id } };
  const refresh = [["ledgers", ledger, "pipelines"]];
  /** Closes the window in which an action was confirmed. */
  const closing = useRef<() => void>(undefined);
  const start = useWrite(
    (_: undefined, options) =>
      florin.post("/api/ledger/v2/{ledger}/pipelines/{pipelineID}/start", input, options),
    { refresh },
  );
  const stop = useWrite(
    (_: undefined, options) =>
      florin.post("/api/ledger/v2/{ledger}/pipelines/{pipelineID}/stop", input, options),
    { refresh },
  );
  const reset = useWrite(
    (_: undefined, options) =>
      florin.post("/api/ledger/v2/{ledger}/pipelines/{pipelineID}/reset", input, options),
    { refresh, onDone: () => closing.current?.() },
  );
  const remove = useWrite(
    (_: undefined, options) =>
      florin.delete("/api/ledger/v2/{ledger}/pipelines/{pipelineID}", input, options),
    { refresh, onDone: () => closing.current?.() },
  );
  const error = start.error ?? stop.error;
  return (
    <div className="flex flex-wrap gap-2">
      {state === "paused" ? (
        <Button disabled={start.isSending} onClick={() => start.send(undefined)}>
          <Play aria-hidden size={14} />
          {words.start}
        </Button>
      ) : (
        <Button disabled={stop.isSending} onClick={() => stop.send(undefined)}>
          <Pause aria-hidden size={14} />
          {words.stop}
        </Button>
      )}
      <ConfirmButton
        trigger={words.reset}
        title={words.resetTitle}
        submit={words.reset}
        write={reset}
        onConfirm={(close) => {
          closing.current = close;
          reset.send(undefined);
        }}
      >
        <p>{words.resetHint}</p>
      </ConfirmButton>
      <ConfirmButton
        trigger={words.remove}
        title={words.removeTitle}
        submit={words.remove}
        write={remove}
        onConfirm={(close) => {
          closing.current = close;
          remove.send(undefined);
        }}
      >
        <p>{words.removeHint}</p>
      </ConfirmButton>
      {error !== null && <Failure error={error} title={partWords().form.failed} />}
    </div>
  );
}
