import "./styles.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/errors.ts";
import { session } from "./api/florin.ts";
import { CALLBACK_PATH, CONSOLE_PATH, SIGN_IN_PATH } from "./base-path.ts";
import { language } from "./parts/language/words.ts";
import { applyScheme } from "./parts/layout/scheme.ts";
import { partWords } from "./parts/part-words.ts";
import { signInWords } from "./places/sign-in/words.ts";
import { makeRouter } from "./router.tsx";

/** Most repetitions of a read whose failure may pass. */
const RETRIES_MAX = 3;
/** Time for which an answer counts as current, in milliseconds. */
const CURRENT_MS = 2000;

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: CURRENT_MS,
      retry: (failures, error) =>
        failures < RETRIES_MAX && error instanceof ApiError && error.isTemporary,
    },
  },
});

async function start(): Promise<void> {
  applyScheme();
  document.documentElement.lang = language;
  const router = makeRouter(queries);
  await Promise.all([signInOnArrival(), router.load(), partWords.load(), signInWords.load()]);
  const host = document.querySelector("#root");
  if (host === null) throw new Error("the page has no root");
  createRoot(host).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}

/** Signs in silently, unless the page is a part of a sign-in. A server that is away leaves the page with the way to sign in. */
async function signInOnArrival(): Promise<void> {
  const path = location.pathname.slice(CONSOLE_PATH.length);
  if (path === CALLBACK_PATH || path === SIGN_IN_PATH) return;
  await session.signInSilently().catch(() => undefined);
}

void start();
