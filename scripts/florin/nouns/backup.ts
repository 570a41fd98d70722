import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { BackupManifest } from "#platform/backup/saving/backup-manifest.ts";
import type { DatabaseManifest } from "#platform/backup/saving/manifest.ts";
import { WrappedKeys } from "#platform/backup/saving/wrapped-keys.ts";
import { BackupFolder } from "#scripts/florin/backup/backup-folder.ts";
import { readBackupManifest } from "#scripts/florin/backup/backup-manifest.ts";
import { fetchBackup } from "#scripts/florin/backup/bucket/fetch-backup.ts";
import {
  type BucketState,
  backUpIntoBucket,
  readBucketState,
} from "#scripts/florin/backup/bucket/own-backups.ts";
import {
  givenOpenerOf,
  KEY_OPTIONS,
  keysToSave,
  OPENER_OPTIONS,
  openerOf,
} from "#scripts/florin/backup/found-keys.ts";
import { abandon, restore } from "#scripts/florin/backup/restore/verbs.ts";
import { type MadeBackup, saveBackup } from "#scripts/florin/backup/save-backup.ts";
import { saveDatabase } from "#scripts/florin/backup/save-database.ts";
import { verifyBackup } from "#scripts/florin/backup/verify-backup.ts";
import { verifyDatabase } from "#scripts/florin/backup/verify-database.ts";
import { openKeys } from "#scripts/florin/backup/wrapped-keys.ts";
import { type Call, type Noun, type Outcome, UsageError, YES } from "#scripts/florin/command.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** How many snapshots of a folder are kept, unless the operator says otherwise. */
const KEPT = 7;

const SNAPSHOT = {
  snapshot: {
    kind: "text",
    meaning: "the name of a snapshot in the folder; the last one by default",
  },
} as const;

export const noun: Noun = {
  summary: "Backups",
  verbs: {
    create: {
      summary:
        "Saves the database, the logs of all ledgers and other objects while the server works; into a folder that has a backup, only new entries of logs, and the rest anew",
      options: {
        to: {
          kind: "text",
          meaning:
            "the folder of the backup; `r2` for the bucket of the deployment, which then saves itself",
        },
        keep: {
          kind: "text",
          meaning: `how many snapshots of the database are kept, ${KEPT} by default`,
        },
        ...KEY_OPTIONS,
      },
      run: create,
    },
    bucket: {
      summary: "Shows the backups that the deployment makes into its bucket",
      run: showBucket,
    },
    fetch: {
      summary:
        "Fetches a backup from the bucket of the deployment into a folder, from the second time on what is new",
      options: {
        to: { kind: "text", meaning: "the folder of the backup" },
        snapshot: {
          kind: "text",
          meaning: "the name of a snapshot in the bucket; the last one by default",
        },
      },
      run: fetch,
    },
    database: {
      summary: "Saves all tables of the database as they are at one moment, while the server works",
      options: { to: { kind: "text", meaning: "the folder to write, which must not exist" } },
      run: save,
    },
    keys: {
      summary: "Prints the keys of a backup, which a passphrase or a private key opens",
      parameters: ["folder"],
      options: { ...SNAPSHOT, ...OPENER_OPTIONS },
      run: printKeys,
    },
    restore: {
      summary:
        "Restores a backup into an empty deployment that is served with FLORIN_RESTORE, and is disarmed from then on; a run that broke off goes on",
      parameters: ["folder"],
      options: {
        ...SNAPSHOT,
        incomplete: {
          kind: "flag",
          meaning: "restores a snapshot that lacks ledgers or objects, as far as it has them",
        },
        ...YES,
      },
      run: (call) => withSnapshot(call, restore),
    },
    abandon: {
      summary: "Gives up the restoration of a backup that is under way",
      parameters: ["folder"],
      options: { ...SNAPSHOT, ...YES },
      run: (call) => withSnapshot(call, abandon),
    },
    verify: {
      summary:
        "Checks that a backup is complete and unchanged, and replays the logs of its ledgers; also for a saved database",
      parameters: ["folder"],
      options: {
        ...SNAPSHOT,
        sha256: {
          kind: "text",
          meaning: "the SHA-256 of the backup, which was printed when it was made",
        },
        ...OPENER_OPTIONS,
      },
      run: verify,
    },
  },
};

const targetOf = (call: Call): string => {
  const to = call.text("to");
  if (to === undefined || to === "") throw new UsageError("--to is missing: the folder to write.");
  return resolve(to);
};

function keptOf(call: Call): number {
  const text = call.text("keep") ?? String(KEPT);
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new UsageError("--keep takes a number from 1 to 9999.");
}

/** What `--to` names the bucket of the deployment by. */
const BUCKET = "r2";

/** A backup that the deployment makes by itself. */
async function createInBucket(call: Call): Promise<Outcome> {
  const given = ["keep", ...Object.keys(KEY_OPTIONS)].filter(
    (name) => call.text(name) !== undefined,
  );
  if (given.length > 0) {
    throw new UsageError(
      `--${given[0]} says nothing of a backup into the bucket: the settings FLORIN_BACKUP_KEEP and FLORIN_BACKUP_PUBLIC_KEY of the deployment do.`,
    );
  }
  const last = await backUpIntoBucket(await call.connect(["florin:operate"]), call.note);
  return {
    data: last,
    lines: bucketLines(last),
    ...(last.lacks === 0
      ? {}
      : { failure: `${last.lacks} ledgers or other objects could not be saved.` }),
  };
}

const bucketLines = (last: NonNullable<BucketState["last"]>): string[] => [
  `The snapshot ${last.snapshot}, which began at ${last.began} and ended at ${last.ended}, is in the bucket; it has added ${last.added} entries of logs.`,
  `It took ${last.alarms} alarms, ${last.classA} operations of class A and ${last.classB} of class B.`,
  `The SHA-256 of the backup is ${last.sha256}.`,
];

async function showBucket(call: Call): Promise<Outcome> {
  const state = await readBucketState(await call.connect(["florin:operate"]));
  const { last, run, failure, pruning } = state;
  return {
    data: state,
    lines: [
      ...(last === undefined ? ["No backup in the bucket is complete yet."] : bucketLines(last)),
      ...(run === undefined ? [] : [`A run is under way since ${run.began}: ${run.stage}.`]),
      ...(run?.trouble === undefined ? [] : [`It does not go on: ${run.trouble.reason}`]),
      ...(failure === undefined
        ? []
        : [`The last run ended without a backup at ${failure.at}: ${failure.reason}`]),
      ...(pruning === undefined
        ? []
        : [`Older backups could not be removed at ${pruning.at}: ${pruning.reason}`]),
    ],
  };
}

async function fetch(call: Call): Promise<Outcome> {
  const folder = new BackupFolder(targetOf(call));
  const snapshot = call.text("snapshot");
  const api = await call.connect(["florin:operate"]);
  const fetched = await fetchBackup(api, folder, { snapshot, note: call.note });
  return {
    data: { folder: folder.path, ...fetched },
    lines: [
      `${fetched.files} files with ${fetched.bytes} bytes were fetched; the snapshot ${fetched.snapshot} is in ${folder.path}. npm run florin -- backup verify ${folder.path} checks it.`,
    ],
  };
}

async function create(call: Call): Promise<Outcome> {
  const to = call.text("to") ?? "";
  if (to === BUCKET) return createInBucket(call);
  if (to.startsWith(`${BUCKET}:`)) {
    throw new UsageError(
      "The bucket is the one that the deployment has bound as FLORIN_BACKUPS: name it with --to r2.",
    );
  }
  const folder = new BackupFolder(targetOf(call));
  const kept = keptOf(call);
  const keys = keysToSave(call);
  const api = await call.connect(["florin:operate"]);
  const made = await saveBackup({ api, folder, kept, keys, note: call.note });
  const { snapshot, manifest, sha256, added, failures } = made;
  return {
    data: { snapshot, sha256, added, ...manifest },
    lines: [
      `${added} new entries of ${manifest.ledgers.length} ledgers, and the database as it was at ${manifest.moments.database}, are in ${folder.path}.`,
      `${manifest.objects.reduce((sum, { objects }) => sum + objects, 0)} other objects and ${manifest.files?.files ?? 0} files of statements are in it.`,
      ...goneLines(manifest),
      ...keyLines(made),
      ...(made.keptOlder === undefined
        ? []
        : [`Older snapshots could not all be removed: ${made.keptOlder}`]),
      ...failures,
      `The SHA-256 of the backup is ${sha256}. Kept elsewhere and given to backup verify, it shows that nothing was changed.`,
    ],
    ...(failures.length === 0
      ? {}
      : {
          failure: `${failures.length} ledgers or other objects could not be saved. All else is in the backup, and no older snapshot was removed.`,
        }),
  };
}

/** What the operator has to know of files whose bytes the server no longer had. */
function goneLines({ files }: BackupManifest): string[] {
  const gone = files?.gone ?? 0;
  return gone === 0
    ? []
    : [
        `The server has no bytes of ${gone} further files: they were deleted meanwhile, or are lost.`,
      ];
}

/** What the operator has to know of the keys. */
function keyLines({ manifest, missingKeyIds }: MadeBackup): string[] {
  if (manifest.keys === null) {
    return [
      "THE KEYS ARE NOT IN THIS BACKUP. Keep FLORIN_SECRET_KEY elsewhere, or give --passphrase-file or --to-key: without it nobody can read the secrets of connectors, endpoints and clients.",
    ];
  }
  if (missingKeyIds.length === 0) return [];
  return [
    `Values look as if keys had encrypted them that are not in this backup: ${missingKeyIds.join(", ")}. They are perhaps in FLORIN_PREVIOUS_SECRET_KEYS of the server.`,
  ];
}

async function save(call: Call): Promise<Outcome> {
  const folder = targetOf(call);
  const api = await call.connect(["florin:operate"]);
  const manifest = await saveDatabase(api, folder, call.note);
  return {
    data: { folder, ...manifest },
    lines: [
      `${summaryOf(manifest)} are in ${folder}, as they were at ${manifest.endedAt}.`,
      "Secrets in them are encrypted with the server's FLORIN_SECRET_KEY, which is not in the folder: keep it elsewhere, or nobody can read them.",
    ],
  };
}

/** The snapshot that a command is about. */
function snapshotOf(call: Call, folder: BackupFolder): string {
  const name = call.text("snapshot") ?? folder.snapshots().at(-1);
  if (name !== undefined && folder.snapshots().includes(name)) return name;
  const which = name === undefined ? "complete backup" : `snapshot ${name}`;
  throw new OperatorError(`${folder.path} has no ${which}.`);
}

function withSnapshot(
  call: Call,
  work: (call: Call, folder: BackupFolder, name: string) => Promise<Outcome>,
): Promise<Outcome> {
  const folder = new BackupFolder(resolve(call.parameter("folder")));
  return work(call, folder, snapshotOf(call, folder));
}

async function printKeys(call: Call): Promise<Outcome> {
  const folder = new BackupFolder(resolve(call.parameter("folder")));
  const path = folder.snapshot(snapshotOf(call, folder));
  const { keys } = readBackupManifest(path);
  if (keys === null) throw new OperatorError(`The keys are not in ${path}.`);
  const wrapped = WrappedKeys.safeParse(JSON.parse(readFileSync(join(path, keys.file), "utf8")));
  if (!wrapped.success) throw new OperatorError(`${join(path, keys.file)} has no wrapped keys.`);
  const opened = openKeys(wrapped.data, openerOf(call));
  return {
    data: opened,
    lines: [
      `FLORIN_SECRET_KEY=${opened.FLORIN_SECRET_KEY}`,
      ...(opened.FLORIN_PREVIOUS_SECRET_KEYS.length === 0
        ? []
        : [`FLORIN_PREVIOUS_SECRET_KEYS=${opened.FLORIN_PREVIOUS_SECRET_KEYS.join(",")}`]),
    ],
  };
}

async function verify(call: Call): Promise<Outcome> {
  const folder = new BackupFolder(resolve(call.parameter("folder")));
  if (!folder.isThere) return verifySavedDatabase(call, folder.path);
  const snapshot = snapshotOf(call, folder);
  const { problems, manifest, missingKeyIds } = await verifyBackup(folder, {
    snapshot,
    sha256: sha256Of(call),
    opener: givenOpenerOf(call),
    note: call.note,
  });
  const { moments } = manifest;
  const data = { snapshot: folder.snapshot(snapshot), problems, moments, missingKeyIds };
  const secrets = secretLines(manifest, missingKeyIds);
  if (problems.length === 0) {
    return {
      data,
      lines: [
        ...secrets,
        `The backup of ${manifest.moments.database} is complete and unchanged: ${entriesOf(manifest)} entries of ${manifest.ledgers.length} ledgers were replayed, and all hashes agree.`,
      ],
    };
  }
  return {
    data,
    lines: [...secrets, ...problems],
    failure: `The backup has ${problems.length} problems.`,
  };
}

/** What the operator has to know of secrets that the keys of a backup do not open. */
function secretLines({ keys }: BackupManifest, missingKeyIds: readonly string[]): string[] {
  if (missingKeyIds.length === 0) return [];
  const ids = missingKeyIds.join(", ");
  return keys === null
    ? [
        `THE KEYS ARE NOT IN THIS BACKUP: its secrets can be read only with the FLORIN_SECRET_KEY of the server, which was kept elsewhere, or never again (keys ${ids}).`,
      ]
    : [
        `SECRETS OF THIS BACKUP CANNOT BE READ WITH ITS KEYS: values look as if the keys ${ids} had encrypted them, which are not in it.`,
      ];
}

function sha256Of(call: Call): string | undefined {
  const text = call.text("sha256");
  if (text === undefined || /^[\da-f]{64}$/i.test(text)) return text;
  throw new UsageError("--sha256 takes 64 hexadecimal digits.");
}

const entriesOf = ({ ledgers }: BackupManifest): number =>
  ledgers.reduce((sum, { entries }) => sum + entries, 0);

async function verifySavedDatabase(call: Call, folder: string): Promise<Outcome> {
  if (sha256Of(call) !== undefined || givenOpenerOf(call) !== undefined) {
    throw new UsageError(
      `${folder} has no backup of ledgers, so that --sha256, --passphrase-file and --private-key-file say nothing of it.`,
    );
  }
  const { manifest, problems } = await verifyDatabase(folder);
  const data = { folder, problems, endedAt: manifest.endedAt };
  if (problems.length === 0) {
    return { data, lines: [`${summaryOf(manifest)} are complete and unchanged.`] };
  }
  return {
    data,
    lines: problems,
    failure: `The saved database has ${problems.length} problems.`,
  };
}

function summaryOf({ tables }: DatabaseManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${rows} rows of ${tables.length} tables`;
}
