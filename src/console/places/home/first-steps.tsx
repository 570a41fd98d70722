import { useQuery } from "@tanstack/react-query";
import { ChevronRight, X } from "lucide-react";
import { useEffect, useState } from "react";
import { latestQuery } from "./queries.ts";
import {
  clientsQuery,
  keepState,
  mayDo,
  stateOf,
  type FirstStep,
  stepsOf,
  webhooksQuery,
} from "./steps.ts";
import { homeWords } from "./words.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { toneClass, ToneIcon } from "#console/parts/base/status.tsx";
import { PathLink } from "#console/parts/routing/path-link.tsx";

/** What somebody does first with a new deployment. The list is gone when all is done, or when the person does not want it. */
export function FirstSteps({ ledgers }: { readonly ledgers: readonly string[] }) {
  const words = homeWords().first;
  const [state, setState] = useState(stateOf);
  const isWanted = state !== "dismissed";
  const latest = useQuery({ ...latestQuery(ledgers), enabled: isWanted });
  const clients = useQuery({ ...clientsQuery(), enabled: isWanted && mayDo("auth:write") });
  const webhooks = useQuery({ ...webhooksQuery(), enabled: isWanted && mayDo("webhooks:write") });
  const isNew = latest.data?.length === 0;
  useEffect(() => {
    if (isNew) keepState("begun");
  }, [isNew]);
  const steps = stepsOf({
    ledger: ledgers.length > 0,
    transaction: latest.data && latest.data.length > 0,
    client: clients.data,
    webhook: webhooks.data,
    firstLedger: ledgers[0],
  });
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  const isOver = steps.every(({ isDone }) => isDone === true);
  if (!isWanted || !isKnown || isOver || (!isNew && state !== "begun")) return null;
  const dismiss = (
    <Button
      kind="quiet"
      onClick={() => {
        keepState("dismissed");
        setState("dismissed");
      }}
    >
      <X aria-hidden size={14} />
      {words.dismiss}
    </Button>
  );
  return (
    <Section title={words.title} actions={dismiss}>
      <ol className="divide-y divide-line rounded-md border border-line">
        {steps.map((step) => (
          <StepLine key={step.id} step={step} />
        ))}
      </ol>
    </Section>
  );
}

function StepLine({ step: { id, path, isDone = false } }: { readonly step: FirstStep }) {
  const words = homeWords().first;
  const tone = isDone ? "good" : "waits";
  return (
    <li>
      <PathLink to={path} className="flex items-center gap-3 px-3 py-2.5 hover:bg-hover">
        <span className={`shrink-0 ${toneClass(tone)}`}>
          <ToneIcon tone={tone} />
        </span>
        <span className="min-w-0 flex-1">
          <span className={`block font-medium ${isDone ? "text-muted" : ""}`}>{words[id]}</span>
          <span className="block text-muted">{words[`${id}Note`]}</span>
        </span>
        <span className="text-note text-muted">{isDone ? words.done : words.open}</span>
        <ChevronRight aria-hidden size={14} className="shrink-0 text-faint" />
      </PathLink>
    </li>
  );
}
