import { createHash } from "node:crypto";
import { html, raw } from "hono/html";
import { pageHeaders } from "#platform/http/pages/page-headers.ts";

/** A piece of a page, in which every text is escaped. */
export type Markup = ReturnType<typeof html>;

export interface PageContent {
  readonly title: string;
  readonly body: Markup;
  /** URL to which the browser goes at once by itself. */
  readonly next?: string;
  /** URL of the page's script; most pages have none. */
  readonly script?: string;
}

/** A whole page. Only passkeys need a script. */
export const layout = ({ title, body, next, script }: PageContent): Markup =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        ${next === undefined ? "" : html`<meta http-equiv="refresh" content="0; url=${next}" />`}
        <title>${title} - Florin</title>
        ${raw(`<style>${STYLE}</style>`)}
        ${script === undefined ? "" : html`<script src="${script}" defer></script>`}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`;

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: #f4f4f1; color: #1b1b1a; }
  main { box-sizing: border-box; max-width: 26rem; margin: 10vh auto; padding: 2rem; background: #fff;
    border: 1px solid #d9d9d3; border-radius: 0.5rem; }
  h1 { margin: 0 0 1rem; font-size: 1.4rem; }
  a { color: #14532d; }
  label { display: block; margin-top: 1rem; font-weight: 600; }
  input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit;
    border: 1px solid #6f6f69; border-radius: 0.25rem; }
  button { margin-top: 1.5rem; padding: 0.6rem 1.2rem; font: inherit; font-weight: 600; color: #fff;
    background: #14532d; border: 0; border-radius: 0.25rem; cursor: pointer; }
  [role="alert"] { padding: 0.5rem 0.75rem; border-left: 0.25rem solid #b91c1c; background: #fef2f2; }
  small { color: #55554f; }
  @media (prefers-color-scheme: dark) {
    body { background: #161615; color: #eeeeea; }
    main { background: #222220; border-color: #3d3d39; }
    a { color: #86c99b; }
    input { background: #161615; color: inherit; border-color: #8f8f88; }
    button { background: #1f7a43; }
    [role="alert"] { background: #3b1212; }
    small { color: #b9b9b2; }
  }
`;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** The headers of every page: styles of the page itself, and scripts, calls and forms of this server only. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = pageHeaders({
  "style-src": [`'sha256-${STYLE_HASH}'`],
  "script-src": ["'self'"],
  "connect-src": ["'self'"],
  "form-action": ["'self'"],
});
