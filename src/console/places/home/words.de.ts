import type { words as english } from "./words.en.ts";

const many = (count: number, isMore: boolean): string =>
  isMore ? `${count} oder mehr` : `${count}`;

export const words: typeof english = {
  title: "Start",
  attention: {
    title: "Zu tun",
    none: "Im Moment ist nichts zu tun.",
    since: "seit",
    unread: (kinds) => `Nicht geprüft werden konnten: ${kinds}`,
    kind: {
      endpoints: "Webhook-Endpunkte",
      deliveries: "Webhook-Zustellungen",
      instances: "Abläufe",
      initiations: "Zahlungsaufträge",
      connectors: "Anbindungen",
      bookings: "Verbuchungen",
      pipelines: "Pipelines",
      verifications: "Prüfungen",
      reconciliation: "Abgleich",
      corrections: "Ausbuchungen",
      matchings: "Postenabgleiche",
    },
    endpoints: (count, isMore) =>
      count === 1 && !isMore
        ? "Ein Webhook-Endpunkt scheitert"
        : `${many(count, isMore)} Webhook-Endpunkte scheitern`,
    deliveries: (count, isMore) =>
      count === 1
        ? "Eine Webhook-Zustellung ist gescheitert"
        : `${many(count, isMore)} Webhook-Zustellungen sind gescheitert`,
    stuck: (count, isMore) =>
      count === 1 ? "Ein Ablauf hängt" : `${many(count, isMore)} Abläufe hängen`,
    failed: (count, isMore) =>
      count === 1
        ? "Ein Ablauf ist gescheitert"
        : `${many(count, isMore)} Abläufe sind gescheitert`,
    initiations: (count, isMore) =>
      count === 1
        ? "Eine Zahlung wartet auf Ihre Freigabe"
        : `${many(count, isMore)} Zahlungen warten auf Ihre Freigabe`,
    connector: {
      degraded: "Einer Anbindung fehlen einzelne Daten",
      failing: "Eine Anbindung scheitert",
      paused: "Eine Anbindung ruht nach Fehlern",
    },
    booking: (count) => `Zahlungen, die der Ledger abgelehnt hat: ${count}`,
    bookingWaits: "Eine Verbuchung wartet wegen eines Fehlers",
    pipeline: "Eine Pipeline liefert nicht",
    corrections: (count, isMore) =>
      count === 1 && !isMore
        ? "Eine Ausbuchung wartet auf Sie"
        : `${many(count, isMore)} Ausbuchungen warten auf Sie`,
    matchings: (count, isMore) =>
      count === 1 && !isMore
        ? "Der letzte Lauf eines Postenabgleichs ist gescheitert"
        : `Die letzten Läufe von ${many(count, isMore)} Postenabgleichen sind gescheitert`,
    reconciliation: (count, isMore) =>
      count === 1
        ? "Eine Warnung des Abgleichs ist offen"
        : `${many(count, isMore)} Warnungen des Abgleichs sind offen`,
    verification: "Ein Ledger weicht von seinem Protokoll ab",
  },
  money: {
    title: "Geld",
    ledger: "Ledger",
    measure: "Was gezeigt wird",
    transactions: "Transaktionen",
    into: (asset) => `${asset} herein`,
    days: "30 Tage",
    day: "am Tag bis",
    none: "In den letzten 30 Tagen hat sich nichts bewegt.",
    count: (count) => `${count} ${count === "1" ? "Transaktion" : "Transaktionen"}`,
  },
  activity: {
    title: "Letzte Transaktionen",
    none: "Noch hat sich kein Geld bewegt.",
    when: "Wann",
    ledger: "Ledger",
    from: "Von",
    to: "An",
    amount: "Betrag",
    more: (count) => `und ${count} weitere`,
  },
  first: {
    title: "Erste Schritte",
    dismiss: "Schritte ausblenden",
    done: "Erledigt",
    open: "Offen",
    ledger: "Ledger anlegen",
    ledgerNote: "Ein Satz Bücher mit eigenen Konten und Transaktionen.",
    transaction: "Transaktion schreiben",
    transactionNote: "Ein Skript bewegt Geld von einem Konto auf ein anderes. Beispiele sind da.",
    client: "Client anlegen",
    clientNote: "Ein Programm benutzt die API mit seiner Id und seinem Geheimnis.",
    webhook: "Webhook hinzufügen",
    webhookNote: "Florin sagt einem Endpunkt von Ihnen, was geschieht.",
  },
};
