import type { words as english } from "./words.en.ts";

export const words: typeof english = {
  places: {
    home: "Start",
    ledgers: "Ledger",
    numscript: "Numscript",
    wallets: "Wallets",
    reconciliation: "Abgleich",
    workflows: "Workflows",
    payments: "Zahlungen",
    developers: "Entwickler",
    access: "Zugang",
  },
  notAllowed: (scope) =>
    `Diese Seite ist für Sie nicht offen: Sie braucht die Berechtigung ${scope}, die ein Administrator geben kann.`,
  notFound: "Diese Seite gibt es nicht.",
  boundToLedgers:
    "Diese Seite ist für Sie nicht offen: Sie handelt von allen Ledgern, und Sie dürfen nur einige davon nutzen.",
  skip: "Zum Inhalt",
  find: "Suchen",
  menu: "Menü",
  close: "Schließen",
  openPage: "Als Seite öffnen",
  account: {
    title: "Konto",
    signOut: "Abmelden",
    theme: "Darstellung",
    light: "Hell",
    dark: "Dunkel",
    system: "Wie das System",
    language: "Sprache",
    security: "Passwort und Passkeys",
    apiReference: "API-Referenz",
  },
  copy: (what) => `${what} kopieren`,
  copied: "Kopiert",
  error: {
    title: "Das konnte nicht geladen werden",
    again: "Noch einmal versuchen",
    requestId: "Anfrage",
    hints: {
      unreachable:
        "Der Server antwortet nicht. Sobald er es tut, versucht Florin es von selbst noch einmal.",
      unauthorized: "Die Sitzung ist beendet, oder Sie dürfen das nicht lesen.",
      notFound: "Es wurde vielleicht gelöscht, oder der Name ist ein anderer.",
      busy: "Der Server hat viel zu tun. Versuchen Sie es in einigen Sekunden noch einmal.",
      unavailable: "Der Server kann das im Augenblick nicht. Versuchen Sie es später noch einmal.",
      server:
        "Das ist ein Fehler des Servers. Sein Protokoll hat mehr unter der Kennung der Anfrage.",
    },
  },
  form: {
    optional: "freiwillig",
    failed: "Das ist nicht geschehen",
    noAmount:
      "Das ist kein Betrag in dieser Währung. Schreiben Sie ihn wie 1250,00, ohne Punkte für Tausender.",
    amountHint: "In der Einheit der Währung, zum Beispiel 1250,00",
    cancel: "Abbrechen",
  },
  editor: {
    leave: "Tab rückt ein. Escape und dann Tab verlässt den Text.",
  },
  json: "JSON",
  code: {
    open: "Code",
    title: "Als Code",
    language: "Sprache",
    snippet: "Code",
    environment: {
      token: "Der Code nimmt ein Token aus FLORIN_TOKEN.",
      client:
        "Der Code nimmt Id und Geheimnis eines Clients aus FLORIN_CLIENT_ID und FLORIN_CLIENT_SECRET.",
    },
  },
  shownOnce: "Kopieren Sie es jetzt. Es wird nicht noch einmal gezeigt.",
  who: {
    console: "Konsole",
    deployment: "Florin selbst",
    anybody: "Jeder, ohne Anmeldung",
    nobody: "Niemand",
  },
  keys: {
    title: "Tasten",
    page: "Auf dieser Seite",
    everywhere: "Überall",
    find: "Alles finden",
    help: "Diese Tasten zeigen",
    filter: "Liste filtern",
    move: "In der Liste bewegen",
    open: "Zeile öffnen",
    close: "Seitenleiste schließen",
    go: (place) => `Zu ${place} gehen`,
  },
  csv: {
    download: "CSV",
    title: "Die Liste als CSV-Datei speichern",
    failed: "Die Datei ist nicht entstanden",
    progress: (rows) => `${rows} Zeilen… Anhalten`,
  },
  table: {
    more: "Weitere werden geladen",
    end: (count) => `${count} angezeigt, mehr gibt es nicht`,
  },
  filter: {
    add: "Filter",
    clear: "Filter entfernen",
    remove: (name) => `Den Filter ${name} entfernen`,
    nothingFits: "Nichts passt zu diesen Filtern",
  },
  graph: {
    label: "Wer wem gezahlt hat",
    posting: (amount, source, destination) => `${amount} von ${source} an ${destination}`,
    more: (count) => `und ${count} weitere`,
    moreAssets: (count) => `und ${count} weitere Einheiten`,
    in: "ein",
    out: "aus",
  },
  disarmed: {
    title: "Diese Installation ist entschärft",
    effect:
      "Sie ruft keinen anderen Server: Webhooks, Exporte, Konnektoren, Workflows, Auslöser und geplante Regeln warten. Ledger, Wallets und alles Lesen gehen weiter.",
    butFor: (count) =>
      count === 1 ? "Ein Konnektor ist scharf." : `${count} Konnektoren sind scharf.`,
    since: "Seit",
    bySetting: "durch die Einstellung FLORIN_DISARMED",
    reasons: {
      operator: "von einem Betreiber angehalten",
      restored: "eine Kopie einer anderen Installation, die noch laufen kann",
    },
    takeAway:
      "Ist der Grund vorbei, nehmen Sie die Einstellung weg und starten die Installation neu.",
    arm: {
      operator: "Ist der Grund vorbei, schaltet ein Betreiber sie wieder scharf:",
      restored:
        "Ist das Original angehalten, schaltet ein Betreiber sie scharf, einen Konnektor nach dem anderen:",
    },
    more: "Was wartet, und wie es weitergeht",
  },
  live: {
    paused: "Nicht live",
    pausedSince: (time) => `Nicht live, zuletzt ${time}`,
    newRows: (count) => `${count} neu`,
    showNew: "Neues zeigen (n)",
  },
};
