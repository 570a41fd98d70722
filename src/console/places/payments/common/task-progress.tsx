import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { PAYMENTS_KEY, type Task, taskQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { paymentWords } from "#console/places/payments/words.ts";

/** Time between two reads of a task that goes on, in milliseconds. */
const READ_MS = 1000;

/** Work that goes on after the answer: it is shown until it ends, and can be left. */
export function TaskProgress({
  id,
  onDone,
}: {
  readonly id: string;
  readonly onDone: (task: Task) => void;
}) {
  const words = paymentWords().task;
  const queries = useQueryClient();
  const { data, error } = useQuery({
    ...taskQuery(id),
    refetchInterval: ({ state }) =>
      state.data === undefined || state.data.status === "PROCESSING" ? READ_MS : false,
  });
  const end = useEffectEvent((task: Task) => {
    onDone(task);
    void queries.invalidateQueries({ queryKey: PAYMENTS_KEY });
  });
  useEffect(() => {
    if (data?.status === "SUCCEEDED") end(data);
  }, [data]);
  if (error !== null) return <Failure error={error} />;
  return (
    <div role="status">
      {data?.status === "FAILED" ? (
        <>
          <Status tone="bad">{words.failed}</Status>
          <p>
            <Foreign>{data.error ?? ""}</Foreign>
          </p>
        </>
      ) : data?.status === "SUCCEEDED" ? (
        <Status tone="good">{words.done}</Status>
      ) : (
        <Status tone="waits">{words.goesOn}</Status>
      )}
    </div>
  );
}
