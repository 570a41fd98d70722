export const words = {
  title: "Sign in",
  intro: "Sign in to see ledgers, payments and everything else that your scopes allow.",
  button: "Sign in",
  link: {
    title: "Sign in with this link",
    intro: "The link signs in once, in this browser.",
    button: "Sign in",
    spentTitle: "This link no longer works",
    spent:
      "It has been used or has ended. Start the server again, or sign in with your password or passkey.",
  },
  failed: "The sign-in did not succeed.",
  away: "The server cannot be reached. The page tries again by itself.",
};
