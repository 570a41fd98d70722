import { html } from "hono/html";
import { layout, type Markup } from "./layout.ts";
import type { Client } from "#modules/auth/core/client.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { isStandardScope } from "#modules/auth/core/scopes.ts";
import { showUserCode } from "#modules/auth/core/user-code.ts";
import type { DeviceCodeRow } from "#modules/auth/grants/device-code-store.ts";
import { formatDurationMs } from "#platform/duration.ts";

/** What a device asks of a person. */
export interface DeviceQuestion {
  readonly issuer: string;
  readonly code: DeviceCodeRow;
  readonly client: Client;
  readonly person: EndUser;
  /** The scopes that the device would get. */
  readonly scopes: readonly string[];
  /** Patterns of the only ledgers that the client and the person reach; empty for all, and undefined for none. */
  readonly ledgers: readonly string[] | undefined;
  /** How long the device stays logged in without a use, in milliseconds; undefined if it gets no refresh token. */
  readonly staysMs: number | undefined;
  readonly nowMs: number;
}

/** The page on which a person types the code that a device shows. */
export const codeForm = ({ issuer, problem }: { issuer: string; problem?: string }): Markup =>
  layout({
    title: "Log in a device",
    body: html`${problem === undefined ? "" : html`<p role="alert">${problem}</p>`}
      <form method="get" action="${issuer}/device">
        <label for="code">Code that the device shows</label>
        <input
          id="code"
          name="user_code"
          maxlength="20"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          required
          autofocus
        />
        <button>Continue</button>
      </form>`,
  });

/** The page on which a person allows or refuses. It shows what a stranger who has sent the link would rather hide. */
export function answerForm(question: DeviceQuestion): Markup {
  const { client, code, person, nowMs } = question;
  const age = ageOf(nowMs - code.createdMs);
  return layout({
    title: "Log in a device?",
    body: html`<p>
        <strong>${client.name === "" ? client.id : client.name}</strong>
        (<code>${client.id}</code>) asks for access as <strong>${person.email}</strong>. It asked
        ${age} from the address ${code.address}.
      </p>
      <p>
        Allow it only if you have just started this login yourself, and the device shows this code:
      </p>
      <p><strong id="user-code">${showUserCode(code.userCode)}</strong></p>
      ${accessOf(question)} ${stayOf(question)}
      <form method="post" action="${question.issuer}/device">
        <input type="hidden" name="user_code" value="${code.userCode}" />
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="refuse">Refuse</button>
        <button name="answer" value="switch">Log in as somebody else</button>
      </form>`,
  });
}

/** How long ago the device has asked. A time ahead shows that the machine's clock was set back, so nobody knows. */
function ageOf(ms: number): string {
  if (ms <= -60_000) return "at a time that is not known";
  return ms < 60_000 ? "less than a minute ago" : `${Math.floor(ms / 60_000)} min ago`;
}

/** The page for somebody else than the person that the device expects. */
export const expectedElsewhere = ({ issuer, code, person }: DeviceQuestion): Markup =>
  layout({
    title: "Another person is expected",
    body: html`<p role="alert">
        You are logged in as ${person.email}, but the device belongs to somebody else.
      </p>
      <form method="post" action="${issuer}/device">
        <input type="hidden" name="user_code" value="${code.userCode}" />
        <button name="answer" value="switch">Log in as somebody else</button>
      </form>`,
  });

/** The page for a person who has not just logged in, if the device would manage who has access. */
export const loginAgain = ({ issuer, code }: DeviceQuestion): Markup =>
  layout({
    title: "Log in again",
    body: html`<p>
        The device asks to manage clients and people (<code>${MANAGING_SCOPE}</code>). Log in again
        before you answer it.
      </p>
      <form method="post" action="${issuer}/device">
        <input type="hidden" name="user_code" value="${code.userCode}" />
        <button name="answer" value="again">Log in again</button>
        <button name="answer" value="refuse">Refuse</button>
      </form>`,
  });

/** The scope with which a device could let itself and others in. Only a person who has just logged in gives it. */
export const MANAGING_SCOPE = "auth:write";

function stayOf({ staysMs }: DeviceQuestion): Markup | "" {
  if (staysMs === undefined) return "";
  const days = staysMs / 86_400_000;
  const span = Number.isInteger(days)
    ? `${days} ${days === 1 ? "day" : "days"}`
    : formatDurationMs(staysMs);
  return html`<p>It stays logged in until it was not used for ${span}.</p>`;
}

function accessOf({ code, scopes, ledgers }: DeviceQuestion): Markup {
  if (code.membership === "root" || code.membership === "organization") {
    return html`<p>It will know who you are and which stacks there are. It reaches no ledger.</p>`;
  }
  const given = scopes.filter((scope) => !isStandardScope(scope));
  if (given.length === 0) return html`<p>It will know who you are, and may do nothing else.</p>`;
  if (ledgers === undefined) {
    return html`<p>It gets no access, because it is bound to other ledgers than you are.</p>`;
  }
  const reach = ledgers.length === 0 ? "all ledgers" : `the ledgers ${ledgers.join(", ")}`;
  return html`<p>It will be able to do this, in ${reach}:</p>
    <ul id="scopes">
      ${given.map((scope) => html`<li><code>${scope}</code></li>`)}
    </ul>`;
}
