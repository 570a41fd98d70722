import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TRANSACTIONS_EVENT } from "./event-types.ts";
import { ledgerNamesQuery, occurrencesQuery, transactionEventsQuery } from "./queries.ts";
import { type Tested, TestResult } from "./test-result.tsx";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Choice } from "#console/parts/base/choice.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { SelectField, TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Trigger } from "#console/places/workflows/queries.ts";
import { isObject } from "#console/places/workflows/values.ts";
import { workflowWords } from "#console/places/workflows/words.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Tries the filter and the variables of a trigger on an event of the past, or on one that is written. Nothing is started. */
export function Tester({ trigger }: { readonly trigger: Trigger }) {
  const words = workflowWords().tester;
  const [text, setText] = useState("{}");
  const write = useWrite(
    async (payload: Readonly<Record<string, unknown>>, call): Promise<Tested> =>
      (
        await florin.post(
          "/api/orchestration/v2/triggers/{triggerID}/test",
          { path: { triggerID: trigger.id }, body: payload },
          call,
        )
      ).data,
  );
  const send = (source: string): void => {
    const payload = readObject(source);
    if (payload !== undefined) write.send(payload);
  };
  const choose = (payload: unknown): void => {
    const source = stringifyJson(payload, { indent: 2 });
    setText(source);
    send(source);
  };
  return (
    <Section title={words.title}>
      <p className="mb-3 text-muted">{words.text}</p>
      <div className="grid gap-6 lg:grid-cols-2">
        <div className="min-w-0">
          <PastEvents trigger={trigger} onChoose={choose} />
        </div>
        <div className="min-w-0">
          <Form write={write} submit={words.submit} onSubmit={() => send(text)}>
            <TextField
              label={words.payload}
              value={text}
              onChange={setText}
              rows={10}
              isCode
              isRequired
              check={(source) => (readObject(source) === undefined ? words.notJson : null)}
            />
          </Form>
          {write.output !== undefined && <TestResult tested={write.output} />}
        </div>
      </div>
    </Section>
  );
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An event of the past that may be chosen. */
interface PastEvent {
  readonly id: string;
  readonly at: string;
  readonly title: string;
  readonly payload: unknown;
}

interface EventsProps {
  readonly trigger: Trigger;
  readonly onChoose: (payload: unknown) => void;
}

function PastEvents({ trigger, onChoose }: EventsProps) {
  const words = workflowWords().tester;
  const [from, setFrom] = useState<"fired" | "ledger">("fired");
  const hasLedger = trigger.event === TRANSACTIONS_EVENT && may("ledger:read");
  return (
    <div className="space-y-3">
      {hasLedger && (
        <div className="flex">
          <Choice
            label={words.from}
            options={[
              ["fired", words.fired],
              ["ledger", words.ledger],
            ]}
            chosen={from}
            onChoose={setFrom}
          />
        </div>
      )}
      {from === "ledger" && hasLedger ? (
        <OfLedger onChoose={onChoose} />
      ) : (
        <Fired trigger={trigger} onChoose={onChoose} />
      )}
    </div>
  );
}

/** Occurrences that are offered. */
const OFFERED_MAX = 8;

function Fired({ trigger, onChoose }: EventsProps) {
  const { data } = useInfiniteQuery(occurrencesQuery(trigger.id));
  const events = data?.pages[0]?.rows
    .slice(0, OFFERED_MAX)
    .map(({ id, date, event }): PastEvent => ({
      id,
      at: date,
      title: id.slice(0, 8),
      payload: event["payload"],
    }));
  return <EventList events={events} onChoose={onChoose} />;
}

function OfLedger({ onChoose }: Pick<EventsProps, "onChoose">) {
  const words = workflowWords().tester;
  const { data: names = [] } = useQuery(ledgerNamesQuery());
  const [chosen, setChosen] = useState<string>();
  const ledger = chosen ?? names[0];
  const { data } = useQuery({
    ...transactionEventsQuery(ledger ?? ""),
    enabled: ledger !== undefined,
  });
  const events = data?.map((transaction): PastEvent => {
    const { id, reference, timestamp } = transaction;
    return {
      id: String(id),
      at: timestamp,
      title: reference ?? words.transaction(String(id)),
      payload: { ledger, transactions: [transaction], accountMetadata: {} },
    };
  });
  return (
    <>
      <SelectField
        label={words.ledgerName}
        value={ledger ?? ""}
        onChange={setChosen}
        isRequired
        options={names.map((name) => [name, name])}
      />
      <EventList events={events} onChoose={onChoose} />
    </>
  );
}

function EventList({
  events,
  onChoose,
}: {
  readonly events: readonly PastEvent[] | undefined;
  readonly onChoose: (payload: unknown) => void;
}) {
  const words = workflowWords().tester;
  if (events === undefined) return null;
  if (events.length === 0) return <p className="text-muted">{words.noEvents}</p>;
  return (
    <ul aria-label={words.from} className="divide-y divide-line rounded-md border border-line">
      {events.map(({ id, at, title, payload }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => onChoose(payload)}
            className="flex min-h-9 w-full items-center justify-between gap-3 px-3 text-left hover:bg-hover pointer-coarse:min-h-11"
          >
            <span className="min-w-0 truncate">
              <Foreign>{title}</Foreign>
            </span>
            <span className="text-note text-muted">
              <Moment at={at} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
