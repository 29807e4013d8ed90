import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { ensureQueues } from '../../infra/local/resources.ts';
import { AWS_DEFAULTS, defaultAwsSettings, keyFileOf, LOCAL_REGION, tableName } from '../../infra/local/stages.ts';
import { createOrganization } from '../../infra/provisioning/organizations.ts';
import { type Id, parseId } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { creditWallet } from '../../shared/storage/wallet/wallet.ts';
import { apiClient } from './api.ts';
import { HEAP_FLAGS } from './heap-flags.ts';
import { type Gate, type GateCall, type Hold, startGate } from './kill-gate.ts';
import {
  closeProviders,
  type KillProviders,
  meetRecipients,
  setUpProviders,
  startKillProviders,
} from './kill-providers.ts';
import { applies, channelOf, declarationOf, reserves, sendAs, type Victim, writes } from './kill-steps.ts';
import { tempDir } from './local-stack.ts';
import { patient } from './patient-client.ts';
import { portForLater } from './ports.ts';
import type { InfobipStandIn } from './providers/infobip-stand-in.ts';
import { deliver, type StandIn } from './providers/stand-in.ts';
import { giveSenders } from './senders.ts';
import { startTableEngine } from './table-engine.ts';
import { takeEvents } from './takers.ts';

/**
 * How long a sender has before others resolve its message, in the processes that are killed. A provider is called within the first 16 of
 * them, or not at all: enough for a process that has just started on a machine with other work.
 */
const DEADLINE_SECONDS = 30;
const START_MS = 120_000;
const LEAVES_WITHIN_MS = 90_000;
/** More than any history here can spend. */
const CREDIT = 100_000_000;

export { claimsMessage, STEP_NAMES, type Step, sendAs, settles, type Victim } from './kill-steps.ts';

/** A call by which a resolver takes a message over. */
export const takesOver = ({ action, body }: GateCall): boolean => action === 'UpdateItem' && body.includes('inquiries');

/** An organization and its key. */
export type Caller = Pick<Victim, 'client' | 'organizationId'>;

/** The service in a process of its own that can be killed, between gates, on an engine and a provider that outlive it. */
export interface KillLab {
  readonly table: Table;
  readonly tableGate: Gate;
  readonly providers: KillProviders;
  /** The provider of SMS. */
  readonly provider: InfobipStandIn;
  readonly endpoint: string;
  /** The running process's queues. */
  queue(name: QueueName): Promise<{ readonly sqs: SQSClient; readonly url: string; readonly deadLetterUrl: string }>;
  /** As many organizations, each with a live wallet that no history empties. Those that send by Instagram are made before the process starts, or before its first such send: a process trusts its settings for a while. */
  organizations(count: number): Promise<Caller[]>;
  /** One of them. */
  organization(): Promise<Caller>;
  /** Registers the victims' recipients in their organizations, if the channel requires it; the process runs. */
  meet(victims: readonly Victim[]): Promise<void>;
  /** Starts the process, or starts it again; nothing where it runs. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const isReady = async (child: ChildProcess): Promise<boolean> => {
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  try {
    if (!child.stdout) return false;
    for await (const line of createInterface({ input: child.stdout })) if (line.startsWith('Ready at ')) return true;
    return false;
  } finally {
    clearTimeout(timer);
    child.stdout?.resume();
  }
};

/**
 * Starts `npm start` as a process of its own, from the build of the run, and without the table's stream: an engine in memory reads all records
 * of its streams at each write. Answers once it is ready.
 */
export const spawnService = async (given: NodeJS.ProcessEnv): Promise<ChildProcess> => {
  const env = process.env.VITEST ? { BUILD_DIR: tmpdir(), METRICS: 'off', ...given } : given;
  const script = join(import.meta.dirname, '../../infra/local/start.ts');
  let errors = '';
  // Once more where it ended at once: tests that run beside this one may be building into the same folder.
  for (let turn = 0; turn < 3; turn++) {
    const child = spawn(process.execPath, [...HEAP_FLAGS, script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-4_000);
    });
    if (await isReady(child)) return child;
  }
  throw new Error(`the service did not start: ${errors}`);
};

const createCaller = async (tables: { live: Table; test: Table }, url: string): Promise<Caller> => {
  const { organizationId, keys } = await createOrganization(tables, { name: 'Kill' });
  await takeEvents(tables.live, 'live', organizationId);
  const credit = { coins: CREDIT, description: 'Opening credit', now: Date.now() };
  await creditWallet(tables.live, { organizationId, env: 'live', ...credit });
  await giveSenders(tables.live, organizationId);
  return { client: apiClient(url, keys.live), organizationId };
};

export const startKillLab = async (): Promise<KillLab> => {
  defaultAwsSettings(process.env);
  const dataDir = await tempDir();
  const engine = await startTableEngine();
  const tableGate = await startGate(engine.endpoint);
  const client = patient(tableClient(engine.endpoint));
  const tables = { live: new Table(client, tableName('live')), test: new Table(client, tableName('test')) };
  const port = await portForLater();
  const url = `http://127.0.0.1:${port}`;
  const providers = await startKillProviders(url);
  const env = {
    ...process.env,
    ...AWS_DEFAULTS,
    PORT: String(port),
    DATA_DIR: dataDir,
    DYNAMODB_ENDPOINT: tableGate.endpoint,
    SEND_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
    DISPATCH_SECONDS: '1',
    // Consumers are held at several steps at once.
    BATCHES_IN_FLIGHT: '32',
    PUSH_SERVICES: JSON.stringify(providers.push.settings),
  };
  let child: ChildProcess | undefined;
  const isAlive = () => child?.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (!child || !isAlive()) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const organizations: Id<'organization'>[] = [];
  let started = false;
  const setUp = () => setUpProviders(providers, tables.live, keyFileOf(dataDir), organizations);
  const addOrganization = async (): Promise<Caller> => {
    const caller = await createCaller(tables, url);
    organizations.push(caller.organizationId);
    return caller;
  };
  return {
    table: tables.live,
    tableGate,
    providers,
    provider: providers.sms.standIn,
    endpoint: engine.endpoint,
    async queue(name) {
      const { sqsEndpoint } = JSON.parse(await readFile(join(dataDir, 'platform.json'), 'utf8')) as {
        sqsEndpoint: string;
      };
      // The region of the process itself: the engine keeps queues of the same name apart by it.
      const sqs = new SQSClient({ endpoint: sqsEndpoint, region: LOCAL_REGION });
      const queue = (await ensureQueues(sqs, 'live', sqsEndpoint))[name];
      if (!queue) throw new Error(`there is no queue ${name}`);
      return { sqs, ...queue };
    },
    async organizations(count) {
      const callers = await Promise.all(Array.from({ length: count }, addOrganization));
      if (started) await setUp();
      return callers;
    },
    async organization() {
      const caller = await addOrganization();
      if (started) await setUp();
      return caller;
    },
    async start() {
      if (isAlive()) return;
      child = await spawnService(env);
      if (!started) await setUp();
      started = true;
    },
    meet: (victims) => meetRecipients(providers, tables.live, keyFileOf(dataDir), victims),
    kill,
    async close() {
      await kill();
      client.destroy();
      await Promise.all([tableGate.close(), closeProviders(providers)]);
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

const found = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1];

/** The id of the victim's message in its reservation, which may be one of several in a transaction. */
const reservedId = ({ body }: GateCall, { to }: Victim): string | undefined => {
  const { TransactItems } = JSON.parse(body) as { readonly TransactItems: readonly object[] };
  const rows = TransactItems.map((item) => JSON.stringify(item));
  return rows.flatMap((row) => (row.includes(to) ? (found(/"MSG#(msg_\w+)"/, row) ?? []) : []))[0];
};

/** Learns the ids of the victims' messages and events as their writes pass by. */
export const learnIds = (lab: KillLab, victims: readonly Victim[]): void =>
  lab.tableGate.watch((call) => {
    if (!writes(call)) return;
    for (const victim of victims) {
      if (reserves(call, victim)) victim.messageId ??= parseId('message', reservedId(call, victim));
      else if (applies(call, victim)) victim.eventId = parseId('event', found(/EVT#(evt_\w+)/, call.body));
    }
  });

const openHolds = async (lab: KillLab, victims: readonly Victim[]): Promise<number> => {
  const ids = victims.flatMap(({ messageId }) => (messageId ? [KEYS.message(messageId)] : []));
  const rows = await lab.table.getMany(ids);
  return rows.filter((row) => row?.hold === 'open').length;
};
const unpublished = async (lab: KillLab, victims: readonly Victim[]): Promise<number> => {
  const waiting = victims.filter(({ step }) => declarationOf(step).receipt);
  const rows = await lab.table.getMany(waiting.map(({ messageId }) => KEYS.message(parseId('message', messageId))));
  const undelivered = rows.filter((row) => row?.status !== 'delivered').length;
  const events = await lab.table.getMany(waiting.flatMap(({ eventId }) => (eventId ? [KEYS.event(eventId)] : [])));
  return undelivered + events.filter((row) => row !== undefined && row.publishedAt === undefined).length;
};

/** Victims whose fallback has not left yet. */
const withoutStep = async (lab: KillLab, victims: readonly Victim[]): Promise<number> => {
  const stepping = victims.filter(({ step }) => declarationOf(step).step);
  const fallbacks = await lab.table.getMany(
    stepping.map(({ messageId }) => KEYS.fallback(parseId('message', messageId))),
  );
  const last = await lab.table.getMany(
    fallbacks.flatMap((fallback) => (fallback ? [KEYS.message(parseId('message', String(fallback.current)))] : [])),
  );
  return stepping.length - last.filter((row) => row?.channel === 'sms' && row.hold === 'captured').length;
};

/** Waits until nothing of these victims is under way any more; answers how long it took, in ms. */
export const untilResolved = async (lab: KillLab, victims: readonly Victim[], mostMs: number): Promise<number> => {
  const startedAt = Date.now();
  for (;;) {
    const left =
      (await openHolds(lab, victims)) + (await unpublished(lab, victims)) + (await withoutStep(lab, victims));
    const took = Date.now() - startedAt;
    if (left === 0) return took;
    if (took > mostMs) throw new Error(`${left} are not resolved after ${took} ms`);
    await pause(250);
  }
};

const takenFor = (lab: KillLab, { to }: Victim, channel: Channel) =>
  lab.providers[channel].standIn.messages.filter((message) => message.to === to);

/** How many messages for this victim the provider of a channel took; of its own, where none is named. */
export const timesTaken = (lab: KillLab, victim: Victim, channel = channelOf(victim)): number =>
  takenFor(lab, victim, channel).length;

/** Reports a victim's message: delivered, or, where its fallback is waited for, that it cannot be. */
export const postReceipt = async (lab: KillLab, victim: Victim): Promise<void> => {
  const [message] = takenFor(lab, victim, channelOf(victim));
  if (!message) throw new Error('there is nothing to receipt');
  const outcome = declarationOf(victim.step).step ? 'no_rcs' : 'delivered';
  const standIn: Pick<StandIn, 'receipt'> = lab.providers[channelOf(victim)].standIn;
  const answer = await deliver(standIn.receipt(message, outcome));
  if (!answer.ok) throw new Error(`the receipt was answered ${answer.status}`);
};

const mustBeSent = async (victim: Victim): Promise<void> => {
  const { status, text } = await sendAs(victim);
  if (status !== 201 && status !== 202) throw new Error(`a send was answered ${status}: ${text}`);
};

/** Waits until the provider has taken a message that leaves by itself. */
const untilTaken = async (lab: KillLab, victim: Victim): Promise<void> => {
  const startedAt = Date.now();
  while (timesTaken(lab, victim) === 0) {
    if (Date.now() - startedAt > LEAVES_WITHIN_MS) throw new Error('a message did not leave');
    await pause(50);
  }
};

/** Sends for each, and posts a receipt of each whose step awaits one: its process lives on. */
export const bringThrough = async (lab: KillLab, victims: readonly Victim[]): Promise<void> => {
  learnIds(lab, victims);
  await lab.meet(victims);
  await Promise.all(victims.map(mustBeSent));
  await Promise.all(victims.map((victim) => untilTaken(lab, victim)));
  const reported = victims.filter(({ step }) => declarationOf(step).receipt);
  await Promise.all(reported.map((victim) => postReceipt(lab, victim)));
};

/**
 * Brings every victim to its step and kills the process there, all at once. Victims of one organization must have the same step: the process
 * may write several of its messages in one transaction, and one that is held would hold the others at a step that is not theirs. Answers those whose provider had no answer to its callback and
 * therefore posts it again.
 */
export const killAll = async (lab: KillLab, victims: readonly Victim[]): Promise<readonly Victim[]> => {
  learnIds(lab, victims);
  await lab.meet(victims);
  const reported = victims.filter(({ step }) => declarationOf(step).receipt || declarationOf(step).step);
  const through = victims.filter((victim) => victim.step === 'answered' || reported.includes(victim));
  await Promise.all(through.map(mustBeSent));
  await Promise.all(reported.map((victim) => untilTaken(lab, victim)));
  // They may reach their steps slowly: the gates keep other processes from resolving them meanwhile.
  lab.tableGate.hold('before', takesOver);
  const holds = victims.flatMap((victim): [Victim, Hold][] => {
    if (victim.step === 'answered') return [];
    const { gate, at, matches } = declarationOf(victim.step);
    const held = gate === 'table' ? lab.tableGate : lab.providers[channelOf(victim)].gate;
    return [[victim, held.hold(at, (call) => matches(call, victim))]];
  });
  const reached = (which: (victim: Victim) => boolean) =>
    Promise.all(holds.filter(([victim]) => which(victim)).map(([, hold]) => hold.reached));
  const underWay = victims.filter((victim) => !through.includes(victim));
  const sends = Promise.allSettled(underWay.map(sendAs));
  // A receipt is applied before its callback is answered, so the process dies with unanswered callbacks.
  const unanswered: Victim[] = [];
  const callbacks: Promise<unknown>[] = [];
  const post = (victim: Victim) => callbacks.push(postReceipt(lab, victim).catch(() => unanswered.push(victim)));
  // Events are published in batches: one that is held before its write would hold those behind it until they are found overdue.
  const isPublished = ({ step }: Victim) => step === 'after_published';
  for (const victim of reported.filter(isPublished)) post(victim);
  await reached(isPublished);
  for (const victim of reported.filter((each) => !isPublished(each))) post(victim);
  await reached(() => true);
  await lab.kill();
  await sends;
  await Promise.all(callbacks);
  lab.tableGate.clear();
  for (const { gate } of Object.values(lab.providers)) gate.clear();
  return unanswered;
};
