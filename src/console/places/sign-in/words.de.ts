import type { words as english } from "./words.en.ts";

export const words: typeof english = {
  title: "Anmelden",
  intro:
    "Melden Sie sich an, um Ledger, Zahlungen und alles andere zu sehen, was Ihre Rechte erlauben.",
  button: "Anmelden",
  link: {
    title: "Mit diesem Link anmelden",
    intro: "Der Link meldet einmal an, in diesem Browser.",
    button: "Anmelden",
    spentTitle: "Dieser Link gilt nicht mehr",
    spent:
      "Er ist verbraucht oder abgelaufen. Starten Sie den Server neu, oder melden Sie sich mit Passwort oder Passkey an.",
  },
  failed: "Die Anmeldung ist nicht gelungen.",
  away: "Der Server ist nicht zu erreichen. Die Seite versucht es von selbst noch einmal.",
};
