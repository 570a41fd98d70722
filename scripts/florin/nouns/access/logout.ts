import { namedServer } from "./login.ts";
import type { Noun } from "#scripts/florin/command.ts";
import { LoginStore } from "#scripts/florin/login/login-store.ts";
import { OAuthServer } from "#scripts/florin/login/oauth.ts";
import { OperatorError } from "#scripts/lib/project.ts";

export const noun: Noun = {
  summary: "The end of a login",
  alone: {
    summary: "Ends your login at the server of --url, there and here",
    options: {
      local: {
        kind: "flag",
        meaning: "forgets the login here only, where the server does not answer",
      },
    },
    run: async (call) => {
      const url = namedServer(call);
      const store = LoginStore.of(call.env);
      await store.update(url, async (login) => {
        if (login === undefined) throw new OperatorError(`Nobody is logged in at ${url}.`);
        if (!call.flag("local")) await new OAuthServer(url).revoke(login.refreshToken);
        return undefined;
      });
      return { data: { url }, lines: [`You are logged out at ${url}.`] };
    },
  },
  verbs: {},
};
