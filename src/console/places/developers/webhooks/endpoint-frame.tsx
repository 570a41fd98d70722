import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams } from "@tanstack/react-router";
import { EndpointActions } from "./endpoint-actions.tsx";
import { adviceOn, type Failing } from "./health.ts";
import { type WebhookEndpoint, configQuery } from "./queries.ts";
import { Delay, EndpointStatus, Rate, useHealth } from "./webhooks-page.tsx";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Figure, Figures } from "#console/parts/base/figure.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { ToneIcon } from "#console/parts/base/status.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { TAB_CLASS, Tabs } from "#console/parts/layout/tabs.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { webhooksCrumb } from "#console/places/developers/developers-frame.tsx";
import { mayChangeWebhooks } from "#console/places/developers/reach.ts";
import { developerWords } from "#console/places/developers/words.ts";

const requestsFor = (id: string) => [
  toWire("get", "/api/webhooks/configs", { query: { id } }),
  toWire("get", "/api/webhooks/deliveries", { query: { configId: id } }),
];

/** An endpoint: whether it takes its events, and a tab for its deliveries and one for its settings. */
export function EndpointFrame() {
  const words = developerWords().webhooks;
  const { id } = useParams({ from: "/developers/webhooks/$id" });
  const { data: config, error, refetch } = useQuery(configQuery(id));
  const title = config === undefined ? id : config.name || config.endpoint;
  return (
    <>
      <PageTitle
        crumbs={[webhooksCrumb()]}
        title={title}
        isCode={config?.name === ""}
        actions={
          <>
            <AsCode requests={requestsFor(id)} />
            {config !== undefined && mayChangeWebhooks() && <EndpointActions config={config} />}
          </>
        }
      />
      {error !== null && <Failure error={error} retry={() => void refetch()} />}
      {config === undefined && error === null && <LoadingRows />}
      {config !== undefined && (
        <>
          <div className="px-6 pb-4 max-sm:px-4">
            <Figures>
              <Figure name={words.state}>
                <EndpointStatus config={config} />
              </Figure>
              <Figure name={words.rateOfLast}>
                <Rate id={id} />
              </Figure>
              <Figure name={words.delay}>
                <Delay id={id} />
              </Figure>
            </Figures>
          </div>
          <Trouble config={config} />
          <Tabs label={visible(title)}>
            <Link
              to="/developers/webhooks/$id"
              params={{ id }}
              className={TAB_CLASS}
              activeOptions={{ exact: true, includeSearch: false }}
            >
              {words.deliveries}
            </Link>
            <Link to="/developers/webhooks/$id/settings" params={{ id }} className={TAB_CLASS}>
              {words.settings}
            </Link>
          </Tabs>
          <Outlet />
        </>
      )}
    </>
  );
}

/** What is wrong with an endpoint, since when, and what to do about it. */
function Trouble({ config: { id, active } }: { readonly config: WebhookEndpoint }) {
  const words = developerWords().webhooks;
  const { failing, waitingSince } = useHealth(id) ?? {};
  const isBehind = active && failing === undefined && waitingSince !== undefined;
  if (active && failing === undefined && !isBehind) return null;
  const tone = toneOf(active, isBehind);
  return (
    <div
      role="status"
      className={`mx-6 mb-4 flex gap-3 rounded-md border border-line p-3 max-sm:mx-4 ${TROUBLE[tone].background}`}
    >
      <span className={TROUBLE[tone].text}>
        <ToneIcon tone={tone} />
      </span>
      <div className="min-w-0 space-y-1">
        {!active && <p className="font-medium">{words.isInactive}</p>}
        {failing !== undefined && <WhatFails failing={failing} />}
        {isBehind && (
          <>
            <p className="font-medium">
              {words.behindSince} <Moment at={waitingSince} />
            </p>
            <p className="text-muted">{words.behindHint}</p>
          </>
        )}
      </div>
    </div>
  );
}

const TROUBLE = {
  bad: { background: "bg-bad-soft", text: "text-bad" },
  warn: { background: "bg-warn-soft", text: "text-warn" },
  neutral: { background: "bg-sunken", text: "text-muted" },
} as const;

function toneOf(isActive: boolean, isBehind: boolean): keyof typeof TROUBLE {
  if (!isActive) return "neutral";
  return isBehind ? "warn" : "bad";
}

function WhatFails({ failing }: { readonly failing: Failing }) {
  const words = developerWords().webhooks;
  const { since, mayBeLonger, statusCode, error } = failing;
  return (
    <>
      <p className="font-medium">
        {mayBeLonger ? words.failingAtLeastSince : words.failingSince} <Moment at={since} />
      </p>
      <p>
        {statusCode === 0 ? words.noAnswer : words.answered(String(statusCode))}
        {error !== undefined && (
          <>
            {": "}
            <Foreign>{error}</Foreign>
          </>
        )}
      </p>
      <p className="text-muted">{words.advice[adviceOn(statusCode)]}</p>
    </>
  );
}
