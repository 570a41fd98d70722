import { useQuery } from "@tanstack/react-query";
import { workQuery } from "./queries.ts";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { ConfirmButton } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { ORCHESTRATION_KEY } from "#console/places/workflows/queries.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** How a trigger is doing, and why it starts nothing where that is so. */
export function TriggerWork({ id }: { readonly id: string }) {
  const words = workflowWords().triggersPage;
  const { data, error, refetch } = useQuery(workQuery(id));
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const { waiting, evaluations, matches, failures, lastError, ownerError, stopped } = data;
  return (
    <Section title={words.work}>
      {stopped !== undefined && (
        <div className="mb-4 space-y-2 rounded-md border border-line bg-warn-soft p-4">
          <Status tone="warn">{words.stopped}</Status>
          <p>{words.missed(formatCount(stopped.missed))}</p>
          <p className="text-muted">
            <Moment at={stopped.since} isWhole />
          </p>
          {may("orchestration:write") && <Resume id={id} />}
        </div>
      )}
      {ownerError !== undefined && (
        <p className="mb-4">
          <Status tone="bad">{words.ownerError}</Status> <Foreign>{ownerError}</Foreign>
        </p>
      )}
      <Facts>
        <Fact name={words.waiting}>{formatCount(waiting)}</Fact>
        <Fact name={words.evaluations}>{formatCount(evaluations)}</Fact>
        <Fact name={words.matches}>{formatCount(matches)}</Fact>
        <Fact name={words.failures}>{formatCount(failures)}</Fact>
        {lastError !== undefined && (
          <Fact name={words.lastError}>
            <Foreign>{lastError.message}</Foreign>
          </Fact>
        )}
      </Facts>
    </Section>
  );
}

function Resume({ id }: { readonly id: string }) {
  const words = workflowWords().triggersPage;
  const write = useWrite<() => void, unknown>(
    (_, call) =>
      florin.post("/api/florin/v1/triggers/{triggerID}/resume", { path: { triggerID: id } }, call),
    {
      refresh: [[...ORCHESTRATION_KEY, "trigger", id]],
      onDone: (_, close) => close(),
    },
  );
  return (
    <ConfirmButton
      trigger={words.resume}
      title={words.resumeTitle}
      submit={words.resume}
      isRisky={false}
      write={write}
      onConfirm={(close) => write.send(close)}
    >
      <p>{words.resumeText}</p>
    </ConfirmButton>
  );
}
