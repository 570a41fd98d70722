import { useQuery } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { deliveryStatus } from "./delivery-status.tsx";
import { readBody } from "./endpoint-actions.tsx";
import {
  type Attempt,
  attemptsQuery,
  configQuery,
  type Delivery,
  deliveryQuery,
  WEBHOOKS_KEY,
} from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { JsonView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { visible } from "#console/parts/language/visible.ts";
import { locale } from "#console/parts/language/words.ts";
import { Timeline } from "#console/parts/layout/timeline.tsx";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { EventOrigin } from "#console/places/developers/events/event-origin.tsx";
import { mayChangeWebhooks } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

/** A delivery: its state, what it sends, and what the endpoint answered to each attempt. */
export function DeliveryView({ id, configId }: { readonly id: string; readonly configId: string }) {
  const { data, error, refetch } = useQuery(deliveryQuery(id));
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={4} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  return <Details delivery={data} configId={configId} />;
}

function Details({
  delivery,
  configId,
}: {
  readonly delivery: Delivery;
  readonly configId: string;
}) {
  const words = developerWords().webhooks;
  const { id, eventType, eventID, status, payload, createdAt, nextAttemptAt } = delivery;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-2">
        {deliveryStatus(delivery)}
        {mayChangeWebhooks() && <Replay delivery={delivery} configId={configId} />}
      </div>
      <Facts>
        <Fact name={words.event}>
          <span className="font-mono text-note">
            <Foreign>{eventType}</Foreign>
          </span>
        </Fact>
        <Fact name={words.when}>
          <Moment at={createdAt} isWhole />
        </Fact>
        {status === "pending" && nextAttemptAt !== undefined && (
          <Fact name={words.nextAttempt}>
            <Moment at={nextAttemptAt} isWhole />
          </Fact>
        )}
        {payload !== undefined && <EventOrigin body={readBody(payload)} />}
        <Fact name={words.eventId}>
          <Code value={eventID} what={words.eventId} />
        </Fact>
        <Fact name={words.deliveryId}>
          <Code value={id} what={words.deliveryId} />
        </Fact>
      </Facts>
      <Section title={words.attempts}>
        <Attempts id={id} />
      </Section>
      <Section title={words.sent}>
        {payload === undefined ? (
          <p className="text-muted">{words.noPayload}</p>
        ) : (
          <JsonView value={readBody(payload)} />
        )}
      </Section>
    </>
  );
}

const Code = ({ value, what }: { readonly value: string; readonly what: string }) => (
  <span className="inline-flex items-center gap-1 font-mono text-note">
    <Foreign>{value}</Foreign>
    <CopyButton value={value} what={what} />
  </span>
);

/** The replay of one delivery. The server takes those that failed or wait, of active endpoints. */
function Replay({
  delivery: { id, status },
  configId,
}: {
  readonly delivery: Delivery;
  readonly configId: string;
}) {
  const words = developerWords().webhooks;
  const { data: config } = useQuery(configQuery(configId));
  const write = useWrite(
    (deliveryId: string, options) =>
      florin.post("/api/webhooks/deliveries/{id}/replay", { path: { id: deliveryId } }, options),
    { refresh: [WEBHOOKS_KEY] },
  );
  if (status !== "failed" && status !== "pending") return null;
  if (config?.active !== true) return <p className="text-muted">{words.replayInactive}</p>;
  return (
    <>
      <Button disabled={write.isSending} onClick={() => write.send(id)}>
        <RotateCw aria-hidden size={14} />
        {status === "failed" ? words.replay : words.sendNow}
      </Button>
      {write.error !== null && <Failure error={write.error} title={words.replayFailed} />}
    </>
  );
}

function Attempts({ id }: { readonly id: string }) {
  const words = developerWords().webhooks;
  const { data, error, refetch } = useQuery(attemptsQuery(id));
  if (error !== null) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={2} />;
  if (data.length === 0) return <p className="text-muted">{words.noAttempts}</p>;
  return (
    <Timeline
      entries={data.map((attempt) => ({
        id: attempt.id,
        at: attempt.createdAt,
        tone: attempt.outcome === "succeeded" ? "good" : "bad",
        title:
          attempt.statusCode === 0 ? words.noAnswer : words.answered(String(attempt.statusCode)),
        note: <AttemptNote attempt={attempt} />,
      }))}
    />
  );
}

function AttemptNote({ attempt }: { readonly attempt: Attempt }) {
  const words = developerWords().webhooks;
  const { attemptNumber, replayGeneration, endpoint, durationMillis, error, responseExcerpt } =
    attempt;
  return (
    <>
      <p>
        {words.attempt(attemptNumber, replayGeneration)} · {formatDuration(durationMillis, locale)}{" "}
        ·{" "}
        <span className="font-mono text-note">
          <Foreign>{endpoint}</Foreign>
        </span>
      </p>
      {error !== undefined && (
        <p>
          <Foreign>{error}</Foreign>
        </p>
      )}
      {responseExcerpt !== undefined && responseExcerpt !== "" && (
        <pre
          tabIndex={0} // oxlint-disable-line jsx-a11y/no-noninteractive-tabindex -- Keys scroll a long answer.
          className="foreign mt-1 max-h-48 overflow-auto rounded-md bg-sunken p-2 font-mono text-note whitespace-pre-wrap"
        >
          {visible(responseExcerpt)}
        </pre>
      )}
    </>
  );
}
