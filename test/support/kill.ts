import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { freePort, startDynoxide } from '../../infra/local/engines.ts';
import { ensureQueues } from '../../infra/local/resources.ts';
import { AWS_DEFAULTS, defaultAwsSettings, keyFileOf, LOCAL_REGION, tableName } from '../../infra/local/stages.ts';
import { createOrganization } from '../../infra/operator/organizations.ts';
import { localKeyProvider } from '../../shared/providers/keys/local-key-provider.ts';
import type { QueueName } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client.ts';
import { putProviderSettings } from '../../shared/storage/providers.ts';
import { openVault } from '../../shared/storage/root-key.ts';
import { Table } from '../../shared/storage/table.ts';
import { creditWallet } from '../../shared/storage/wallet.ts';
import { apiClient, type Client } from './api.ts';
import { type Gate, type GateCall, type Hold, type HoldAt, startGate } from './kill-gate.ts';
import { tempDir } from './platform.ts';
import { type InfobipStandIn, startInfobipStandIn } from './providers/infobip-stand-in.ts';
import { deliver } from './providers/stand-in.ts';

/** How long a sender has before others resolve its message, in the processes that are killed. */
const DEADLINE_SECONDS = 15;
const START_MS = 40_000;
/** More than any history here can spend. */
const CREDIT = 100_000_000;

/** One message and where its process is killed. */
export interface Victim {
  readonly step: Step;
  readonly to: string;
  readonly key: string;
  readonly client: Client;
  readonly organizationId: string;
  /** Known once its reservation was seen. */
  messageId?: string;
  /** Known once its change was seen. */
  eventId?: string;
}

interface StepDeclaration {
  readonly gate: 'table' | 'provider';
  readonly at: HoldAt;
  readonly matches: (call: GateCall, victim: Victim) => boolean;
  /** The send is through, and a receipt of it is under way. */
  readonly receipt?: true;
}

const writes = (call: GateCall) => call.action === 'TransactWriteItems';
const reserves = (call: GateCall, { to }: Victim) =>
  writes(call) && call.body.includes('IDEM#') && call.body.includes(to);
const dispatches = (call: GateCall, { to }: Victim) => call.method === 'POST' && call.body.includes(to.slice(1));
/** Whether a call captures the victim's hold. */
export const settles = (call: GateCall, { messageId }: Victim) =>
  writes(call) && messageId !== undefined && call.body.includes(`MSG#${messageId}`) && call.body.includes('captured');
const applies = (call: GateCall, { messageId }: Victim) =>
  writes(call) && messageId !== undefined && call.body.includes(`MSG#${messageId}`) && call.body.includes('RCPT#');
const marks = (call: GateCall, { eventId }: Victim) =>
  call.action === 'BatchWriteItem' && eventId !== undefined && call.body.includes(`EVT#${eventId}`);

/** Every step of a message's life at which its process may end, one row each. */
export const STEPS = {
  before_reserve: { gate: 'table', at: 'before', matches: reserves },
  after_reserve: { gate: 'table', at: 'after', matches: reserves },
  before_provider: { gate: 'provider', at: 'before', matches: dispatches },
  after_provider: { gate: 'provider', at: 'after', matches: dispatches },
  before_settle: { gate: 'table', at: 'before', matches: settles },
  after_settle: { gate: 'table', at: 'after', matches: settles },
  answered: { gate: 'table', at: 'before', matches: () => false },
  before_receipt: { gate: 'table', at: 'before', matches: applies, receipt: true },
  after_receipt: { gate: 'table', at: 'after', matches: applies, receipt: true },
  before_published: { gate: 'table', at: 'before', matches: marks, receipt: true },
  after_published: { gate: 'table', at: 'after', matches: marks, receipt: true },
} as const satisfies Readonly<Record<string, StepDeclaration>>;
export type Step = keyof typeof STEPS;
export const STEP_NAMES = Object.keys(STEPS) as Step[];
const declarationOf = (step: Step): StepDeclaration => STEPS[step];

/** The service in a process of its own that can be killed, between gates, on an engine and a provider that outlive it. */
export interface KillLab {
  readonly table: Table;
  readonly tableGate: Gate;
  readonly providerGate: Gate;
  readonly provider: InfobipStandIn;
  readonly endpoint: string;
  /** The running process's queues. */
  queue(name: QueueName): Promise<{ readonly sqs: SQSClient; readonly url: string; readonly deadLetterUrl: string }>;
  /** An organization with a live wallet that no history empties. */
  organization(): Promise<{ client: Client; organizationId: string }>;
  /** Starts the process, or starts it again. */
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

const spawnService = async (env: NodeJS.ProcessEnv): Promise<ChildProcess> => {
  const script = join(import.meta.dirname, '../../infra/local/start.ts');
  // Once more where it ended at once: tests that run beside this one may be building into the same folder.
  for (let turn = 0; turn < 3; turn++) {
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (turn < 2) child.stderr.resume();
    else child.stderr.pipe(process.stderr, { end: false });
    if (await isReady(child)) return child;
  }
  throw new Error('the service did not start');
};

export const startKillLab = async (): Promise<KillLab> => {
  defaultAwsSettings(process.env);
  const dataDir = await tempDir();
  const engine = await startDynoxide({ dbPath: join(dataDir, 'tables', 'dynamodb.db') });
  const provider = await startInfobipStandIn();
  const [tableGate, providerGate] = [await startGate(engine.endpoint), await startGate(provider.baseUrl)];
  const client = tableClient(engine.endpoint);
  const tables = { live: new Table(client, tableName('live')), test: new Table(client, tableName('test')) };
  const port = await freePort();
  const env = {
    ...process.env,
    ...AWS_DEFAULTS,
    PORT: String(port),
    DATA_DIR: dataDir,
    DYNAMODB_ENDPOINT: tableGate.endpoint,
    SEND_DEADLINE_SECONDS: String(DEADLINE_SECONDS),
    DISPATCH_SECONDS: '1',
    // Consumers are held at several steps at once.
    BATCHES_IN_FLIGHT: '4',
  };
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const setUpProvider = async () => {
    const vault = await openVault(tables.live, localKeyProvider(keyFileOf(dataDir)));
    const settings = { ...provider.settings, baseUrl: providerGate.endpoint, logsLagMs: 0, timeoutMs: 10_000 };
    await putProviderSettings(tables.live, vault, { channel: 'sms', name: 'infobip', settings, now: Date.now() });
  };
  let setUp: Promise<void> | undefined;
  return {
    table: tables.live,
    tableGate,
    providerGate,
    provider,
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
    async organization() {
      const { organizationId, keys } = await createOrganization(tables, { name: 'Kill' });
      await creditWallet(tables.live, {
        organizationId,
        env: 'live',
        coins: CREDIT,
        description: 'Opening credit',
        now: Date.now(),
      });
      return { client: apiClient(`http://127.0.0.1:${port}`, keys.live), organizationId };
    },
    async start() {
      child = await spawnService(env);
      setUp ??= setUpProvider();
      await setUp;
    },
    kill,
    async close() {
      await kill();
      client.destroy();
      await Promise.all([tableGate.close(), providerGate.close(), provider.close()]);
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

const found = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1];

/** Learns the ids of the victims' messages and events as their writes pass by. */
export const learnIds = (lab: KillLab, victims: readonly Victim[]): void =>
  lab.tableGate.watch((call) => {
    if (!writes(call)) return;
    for (const victim of victims) {
      if (reserves(call, victim)) victim.messageId ??= found(/MSG#(msg_\w+)/, call.body) ?? '';
      else if (applies(call, victim)) victim.eventId = found(/EVT#(evt_\w+)/, call.body) ?? '';
    }
  });

const openHolds = async (lab: KillLab, victims: readonly Victim[]): Promise<number> => {
  const ids = victims.flatMap(({ messageId }) => (messageId ? [KEYS.message(messageId)] : []));
  const rows = await lab.table.getMany(ids);
  return rows.filter((row) => row?.hold === 'open').length;
};
const unpublished = async (lab: KillLab, victims: readonly Victim[]): Promise<number> => {
  const waiting = victims.filter(({ step }) => declarationOf(step).receipt);
  const rows = await lab.table.getMany(waiting.map(({ messageId = '' }) => KEYS.message(messageId)));
  const undelivered = rows.filter((row) => row?.status !== 'delivered').length;
  const events = await lab.table.getMany(waiting.flatMap(({ eventId }) => (eventId ? [KEYS.event(eventId)] : [])));
  return undelivered + events.filter((row) => row !== undefined && row.publishedAt === undefined).length;
};

/** Waits until nothing of these victims is under way any more; answers how long it took, in ms. */
export const untilResolved = async (lab: KillLab, victims: readonly Victim[], mostMs: number): Promise<number> => {
  const startedAt = Date.now();
  for (;;) {
    const left = (await openHolds(lab, victims)) + (await unpublished(lab, victims));
    const took = Date.now() - startedAt;
    if (left === 0) return took;
    if (took > mostMs) throw new Error(`${left} are not resolved after ${took} ms`);
    await pause(250);
  }
};

export const textOf = ({ to }: Pick<Victim, 'to'>) => ({ to, body: 'Seu pedido saiu para entrega.', route: 'premium' });
export const sendAs = (victim: Victim) => victim.client.send(textOf(victim), victim.key);

const takenFor = (lab: KillLab, { to }: Victim) => lab.provider.messages.filter((message) => message.to === to);

/** How many texts for this victim the provider took. */
export const timesTaken = (lab: KillLab, victim: Victim): number => takenFor(lab, victim).length;

const postReceipt = async (lab: KillLab, victim: Victim): Promise<void> => {
  const [message] = takenFor(lab, victim);
  if (!message) throw new Error('there is nothing to receipt');
  const answer = await deliver(lab.provider.receipt(message, 'delivered'));
  if (!answer.ok) throw new Error(`the receipt was answered ${answer.status}`);
};

const mustBeSent = async (victim: Victim): Promise<void> => {
  const { status, text } = await sendAs(victim);
  if (status !== 201) throw new Error(`a send was answered ${status}: ${text}`);
};

/** Sends for each, and posts a receipt of each: its process lives on. */
export const bringThrough = async (lab: KillLab, victims: readonly Victim[]): Promise<void> => {
  learnIds(lab, victims);
  await Promise.all(victims.map(mustBeSent));
  await Promise.all(victims.map((victim) => postReceipt(lab, victim)));
};

/** Brings every victim to its step and kills the process there, all at once. */
export const killAll = async (lab: KillLab, victims: readonly Victim[]): Promise<void> => {
  learnIds(lab, victims);
  const through = victims.filter(({ step }) => step === 'answered' || declarationOf(step).receipt);
  await Promise.all(through.map(mustBeSent));
  const holds = victims.flatMap((victim): Hold[] => {
    if (victim.step === 'answered') return [];
    const { gate, at, matches } = declarationOf(victim.step);
    const held = gate === 'table' ? lab.tableGate : lab.providerGate;
    return [held.hold(at, (call) => matches(call, victim))];
  });
  const underWay = victims.filter((victim) => !through.includes(victim));
  const lost = Promise.allSettled(underWay.map(sendAs));
  await Promise.all(through.filter(({ step }) => step !== 'answered').map((victim) => postReceipt(lab, victim)));
  await Promise.all(holds.map(({ reached }) => reached));
  await lab.kill();
  await lost;
  lab.tableGate.clear();
  lab.providerGate.clear();
};
