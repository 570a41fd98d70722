import type { words as english } from "./words.en.ts";

const hints: Readonly<Record<string, string>> = {
  "unexpected-character": "Entfernen oder als Text in Anführungszeichen schreiben.",
  "unbound-variable": "Oben in vars { … } deklarieren.",
  "unused-variable": "Benutzen oder die Zeile aus vars entfernen.",
  "duplicate-variable": "Einer von beiden einen anderen Namen geben.",
  "portions-below-one": "Eine Zeile „remaining to …“ anfügen.",
  "portions-above-one": "Die Anteile so verkleinern, dass sie 100 % ergeben.",
  "remaining-not-last": "„remaining“ ans Ende stellen.",
  "redundant-remaining": "Die Anteile ergeben schon 100 %, also entfernen.",
  "missing-funds":
    "Eine andere Quelle wählen, ihr erst Geld geben oder sie mit „allowing overdraft up to […]“ überziehen lassen.",
  "overdraft-on-world": "World darf immer unter null: die Überziehung entfernen.",
  "send-all-unbounded": "„*“ braucht eine Quelle, die ein Ende hat. World hat keines.",
  "send-all-allotment": "Statt „*“ einen Betrag nennen.",
  "asset-mismatch": "Beträge, die addiert oder verglichen werden, brauchen dieselbe Einheit.",
  "invalid-variable": "Den Wert im Formular ansehen.",
  "missing-metadata": "Am Konto setzen oder einen anderen Schlüssel nennen.",
};

export const words: typeof english = {
  title: "Numscript",
  script: "Skript",
  placeholder: "send [EUR/2 100] (\n  source = @world\n  destination = @users:1\n)",
  ledger: "Ledger",
  noLedger: "Es gibt noch keinen Ledger. Sobald einer angelegt ist, können Skripte darin laufen.",
  toLedgers: "Zu den Ledgern",
  keys: "⌘ oder Strg mit Enter macht einen Probelauf. F8 geht zum nächsten Problem.",
  problems: {
    title: "Probleme",
    none: "Keine Probleme gefunden",
    line: (line) => `Zeile ${line}`,
    error: "Fehler",
    warning: "Warnung",
    checkFailed: "Das Skript konnte nicht geprüft werden",
  },
  hints,
  variables: {
    title: "Werte",
    none: "Dieses Skript hat keine Variablen. Für jede in vars { … } erscheint hier ein Feld.",
    asset: "Einheit",
    isAmount: (amount) => `Das sind ${amount}`,
    wrong: {
      account: "Abschnitte aus Buchstaben, Ziffern, _ und -, mit : dazwischen.",
      asset: "Großbuchstaben und die Zahl der Nachkommastellen, zum Beispiel EUR/2.",
      number: "Eine ganze Zahl.",
      portion: "Ein Anteil wie 2.5% oder 1/3.",
      monetary: (decimals) =>
        `Ziffern mit höchstens ${decimals} Nachkommastellen und ohne Tausendertrennzeichen.`,
    },
  },
  run: {
    dry: "Probelauf",
    again: "Noch ein Probelauf",
    commit: "Buchen",
    committed: "Gebucht",
    see: (id) => `Transaktion ${id} ansehen`,
    failed: "Das Skript ist nicht gelaufen",
    notCommitted: "Es wurde nichts gebucht",
    result: "Was es tun würde",
    done: "Was es getan hat",
    nothingStored: "Noch ist nichts gespeichert.",
    stale:
      "Skript, Werte oder Ledger haben sich seither geändert. Vor dem Buchen ist ein neuer Probelauf nötig.",
    mayNotWrite:
      "Sie dürfen Skripte prüfen. Zum Ausführen fehlt das Recht, in Ledger zu schreiben.",
    first:
      "Ein Probelauf zeigt die Bewegungen und die Salden davor und danach. Er speichert nichts.",
    movements: "Bewegungen",
    noMovements: "Es bewegt sich kein Geld.",
    to: "an",
    balances: "Salden",
    account: "Konto",
    before: "Davor",
    change: "Änderung",
    after: "Danach",
    metadata: "Metadaten",
  },
  link: {
    copy: "Link kopieren",
    copied: "Link kopiert",
    tooLong: "Das Skript ist für einen Link zu lang. Es bleibt als Entwurf in diesem Tab.",
  },
  template: {
    one: "Vorlage",
    menu: "Vorlagen",
    from: (name, version) => `Vorlage ${name} des Schemas ${version}`,
    changed: (name) => `Gegenüber der Vorlage ${name} geändert: Es läuft als eigenes Skript.`,
    none: "Das Schema des Ledgers hat noch keine Vorlagen.",
    save: "Als Vorlage speichern",
    name: "Name",
    nameHint: "Zum Beispiel payment",
    description: "Beschreibung",
    version: "Neue Version des Schemas",
    versionHint: (version) =>
      `Eine Version ändert sich nie. Die Vorlage kommt darum in eine Kopie von ${version}.`,
    replaces: (name) =>
      `${name} gibt es schon: Die neue Version hat an ihrer Stelle dieses Skript.`,
    noSchema:
      "Dieser Ledger hat noch kein Schema. Eine Vorlage ist ein Teil eines Schemas, das auch sagt, welche Konten es geben darf. Die erste Version entsteht auf der Seite des Ledgers, danach lässt sich die Vorlage hier speichern.",
    toSchema: "Zum Schema des Ledgers",
    submit: "Speichern",
    saved: (name, version) => `Als ${name} in Version ${version} gespeichert`,
  },
  examples: {
    title: "Beispiele",
    note: "Jedes gibt sich selbst das Geld, das es bewegt, und läuft in jedem Ledger. Ein Klick setzt es nur in den Editor.",
    names: {
      "payment-with-fee": [
        "Zahlung mit Gebühr",
        "Die Plattform behält einen Anteil jeder Zahlung.",
      ],
      "split-by-portions": [
        "Teilung nach Anteilen",
        "Die Hälfte, ein Drittel, der Rest: Einnahmen werden geteilt.",
      ],
      "marketplace-payout": [
        "Auszahlung eines Marktplatzes",
        "Ein Verkäufer bekommt alles außer einer Rücklage.",
      ],
      "credit-line": ["Kreditrahmen", "Ein Kunde darf bis zu einer Grenze schulden."],
      refund: ["Erstattung", "Gebühr und Händler geben ihre Anteile einer Zahlung zurück."],
      "hold-and-release": [
        "Kaution und Freigabe",
        "Eine Kaution wird beiseite gelegt, teils genommen und freigegeben.",
      ],
      "sources-in-order": [
        "Mehrere Quellen der Reihe nach",
        "Erst das Guthaben, dann die Geldbörse, dann die Karte.",
      ],
      "currency-exchange": ["Währungstausch", "Eine Stelle nimmt Euro und gibt Dollar."],
      "monthly-fee": [
        "Gebühr mit Höchstbetrag",
        "Ein Prozent des Monatsumsatzes bis zu einer Grenze.",
      ],
      "allocation-with-remainder": [
        "Drittel ohne Verlust",
        "Einheiten, die sich nicht teilen lassen, bleiben erhalten.",
      ],
    },
  },
};
