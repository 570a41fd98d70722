import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Occurrences } from "./occurrences.tsx";
import { triggerQuery } from "./queries.ts";
import { Tester } from "./tester.tsx";
import { TriggerWork } from "./trigger-work.tsx";
import { WorkflowLink } from "./workflow-link.tsx";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { CopyButton } from "#console/parts/base/copy.tsx";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { triggersCrumb } from "#console/places/workflows/crumbs.tsx";
import { ORCHESTRATION_KEY, type Trigger } from "#console/places/workflows/queries.ts";
import { triggerRequests } from "#console/places/workflows/requests.ts";
import { workflowWords } from "#console/places/workflows/words.ts";

/** A trigger: what it fires for and starts, how it is doing, a tester, and what it has fired for. */
export function TriggerPage() {
  const words = workflowWords();
  const { id } = useParams({ from: "/workflows/triggers/$id" });
  const { data, error, refetch } = useQuery(triggerQuery(id));
  const name = data === undefined ? words.trigger : data.name || words.nameless;
  return (
    <>
      <PageTitle
        crumbs={[triggersCrumb()]}
        title={visible(name)}
        actions={
          <>
            <AsCode requests={triggerRequests(id)} />
            {data !== undefined && may("orchestration:write") && <DeleteTrigger id={id} />}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto border-t border-line">
        {error !== null && <Failure error={error} retry={() => void refetch()} />}
        {data === undefined && error === null && <LoadingRows />}
        {data !== undefined && <Details trigger={data} />}
      </div>
    </>
  );
}

function Details({ trigger }: { readonly trigger: Trigger }) {
  const words = workflowWords().triggersPage;
  return (
    <div className="max-w-6xl p-6 max-sm:p-4">
      <div className="grid gap-8 lg:grid-cols-[3fr_2fr]">
        <div className="min-w-0">
          <Section title={words.definition}>
            <Definition trigger={trigger} />
          </Section>
        </div>
        <div className="min-w-0">
          <TriggerWork id={trigger.id} />
        </div>
      </div>
      {may("orchestration:write") && (
        <div className="mt-8">
          <Tester trigger={trigger} />
        </div>
      )}
      <Section title={words.occurrences}>
        <Occurrences trigger={trigger.id} />
      </Section>
    </div>
  );
}

function Definition({ trigger }: { readonly trigger: Trigger }) {
  const words = workflowWords().triggersPage;
  const { id, event, version, filter, workflowID, vars = {}, createdAt } = trigger;
  return (
    <Facts>
      <Fact name={words.event}>
        <Code>{event}</Code>
      </Fact>
      {version !== undefined && (
        <Fact name={words.version}>
          <Code>{version}</Code>
        </Fact>
      )}
      <Fact name={words.filter}>{filter === undefined ? words.always : <Code>{filter}</Code>}</Fact>
      <Fact name={words.workflow}>
        <WorkflowLink id={workflowID} />
      </Fact>
      {Object.entries(vars).map(([name, source]) => (
        <Fact key={name} name={`\${${visible(name)}}`}>
          <Code>{source}</Code>
        </Fact>
      ))}
      <Fact name={words.created}>
        <Moment at={createdAt} isWhole />
      </Fact>
      <Fact name={workflowWords().columns.id}>
        <span className="inline-flex items-center gap-1">
          <Code>{id}</Code>
          <CopyButton value={id} what={workflowWords().columns.id} />
        </span>
      </Fact>
    </Facts>
  );
}

const Code = ({ children }: { readonly children: string }) => (
  <span className="font-mono text-note">
    <Foreign>{children}</Foreign>
  </span>
);

function DeleteTrigger({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={workflowWords().triggersPage}
      remove={(call) =>
        florin.delete(
          "/api/orchestration/v2/triggers/{triggerID}",
          { path: { triggerID: id } },
          call,
        )
      }
      refresh={[[...ORCHESTRATION_KEY, "triggers"]]}
      onDone={() => navigate({ to: "/workflows/triggers" })}
    />
  );
}
