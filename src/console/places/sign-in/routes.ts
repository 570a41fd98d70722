import { createRoute } from "@tanstack/react-router";
import { LinkPage } from "./link-page.tsx";
import { CallbackPage } from "./sign-in-page.tsx";
import { signInWords } from "./words.ts";
import { CALLBACK_PATH, SIGN_IN_PATH } from "#console/base-path.ts";
import { root } from "#console/parts/routing/root.ts";

const callback = createRoute({
  getParentRoute: () => root,
  path: CALLBACK_PATH,
  loader: () => signInWords.load(),
  component: CallbackPage,
});

const link = createRoute({
  getParentRoute: () => root,
  path: SIGN_IN_PATH,
  loader: () => signInWords.load(),
  component: LinkPage,
});

export const signInRoutes = [callback, link] as const;
