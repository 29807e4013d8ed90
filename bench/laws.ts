import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startTableLaws, type TableLaws } from '../infra/local/table-laws/proxy.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { deliveryStore } from '../shared/storage/webhooks/deliveries.ts';
import { webhookStore } from '../shared/storage/webhooks/subscriptions.ts';
import { apiClient } from '../test/support/api.ts';
import { GROWN } from './cluster.ts';
import { startReceiver } from './delivery-receiver.ts';
import { fundedOrganization, runLoadInThread, startStackProcess, startStore, tablesAt } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, type Section, type Verdict, verdict } from './report.ts';
import { sendPlan } from './send.ts';

const CONNECTIONS = [1, 4, 16, 64];
/**
 * Divisors of the limits: as they are, and so that two cores reach those of a partition key. What a new table takes as a whole grows with its
 * traffic, or by warm throughput; a partition key's limit never does, so that is what the scaled run is about.
 */
const SCALED = 20;
const SCALES = [1, SCALED];
const MEASURE_MS = Number(process.env.MEASURE_MS ?? 4_000);
/** How many of the keys that took most units are shown. */
const HOTTEST = 5;
const CONSUMERS = 20;
/** Batches of a consumer, and events of a batch: as the queue hands them out. */
const BATCHES = 5;
const EVENTS = 10;
const CONSUMER = new URL('./laws-consumer.ts', import.meta.url);
/** Callers of one organization that create contacts at once, and how many each creates. */
const CONTACTS = { callers: 24, each: 25 };
/** Recipients of the sandbox that end without a receipt: a thousand, since a recipient's messages share a partition of an index. */
const SILENT = '+551199{nnn}0099';

/** The service in a process of its own, behind the laws. */
const startLawful = async (scale: number) => {
  const store = await startStore();
  const laws = await startTableLaws(store.endpoint, scale === 1 ? { scale } : { scale, table: GROWN });
  const stack = await startStackProcess({ dataDir: store.folder, dynamodbEndpoint: laws.endpoint });
  const organization = await fundedOrganization(laws.endpoint);
  const stop = async () => {
    await stack.stop();
    await laws.close();
    await store.stop();
  };
  return { laws, port: stack.port, organization, stop };
};
type Lawful = Awaited<ReturnType<typeof startLawful>>;

/** What the laws refused while the work ran. */
const refusedDuring = async (laws: TableLaws, work: () => Promise<unknown>): Promise<string> => {
  const before: Readonly<Record<string, number>> = laws.statistics().refusals;
  await work();
  const counts = Object.entries(laws.statistics().refusals).map(([kind, count]) => [kind, count - (before[kind] ?? 0)]);
  return counts.flatMap(([kind, count]) => (count ? `${kind} ${count}` : [])).join(', ') || 'none';
};

/** Single sends of one wallet. */
const sends = async ({ laws, port, organization }: Lawful, scale: number, connections: number) => {
  const plan = { ...sendPlan(organization.keys.test, SILENT, 'otp'), port, connections, method: 'POST' };
  let result: Awaited<ReturnType<typeof runLoadInThread>> | undefined;
  const refusals = await refusedDuring(laws, async () => {
    result = await runLoadInThread({ ...plan, warmMs: 500, measureMs: MEASURE_MS });
  });
  const { statuses = {}, requests = 0, p95 = 0 } = result ?? {};
  const accepted = statuses['201'] ?? 0;
  return {
    scale,
    connections,
    'accepted/s': figure((accepted * 1000) / MEASURE_MS),
    'refused, %': figure((1 - accepted / requests) * 100),
    'p95, ms': figure(p95),
    statuses: JSON.stringify(statuses),
    'in flight, ms': figure(laws.statistics().meanFlightMs),
    'table refused': refusals,
  };
};

/** Consumers that give one subscription its events, each a batch again until it is given, as from a queue. */
const fanOut = async ({ laws, port, organization }: Lawful, scale: number) => {
  const { organizationId } = organization;
  const client = apiClient(`http://127.0.0.1:${port}`, organization.keys.test);
  const receiver = await startReceiver();
  const made = await client.post('/webhooks', { url: `${receiver.url}/hook`, events: ['sms.delivered'] });
  if (made.status !== 201) throw new Error(`the subscription was answered ${made.status}: ${made.text}`);
  const { test: table } = tablesAt(laws.endpoint);
  const [subscription] = await webhookStore(table).list(organizationId);
  if (!subscription) throw new Error('there is no subscription');
  const workerData = { endpoint: laws.endpoint, subscription, batches: BATCHES, events: EVENTS };
  const workers = Array.from({ length: CONSUMERS }, () => new Worker(CONSUMER, { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  let [tries, failed] = [0, 0];
  const from = performance.now();
  const refusals = await refusedDuring(laws, async () => {
    const counts = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.postMessage('go');
    for (const [count] of await Promise.all(counts)) {
      tries += count.tries;
      failed += count.failed;
    }
  });
  const ms = performance.now() - from;
  await Promise.all(workers.map((worker) => worker.terminate()));
  await receiver.close();
  const total = CONSUMERS * BATCHES * EVENTS;
  const { feed } = deliveryStore(table);
  const numbers: number[] = [];
  for (let more = true; more; ) {
    const { entries } = await feed(subscription.id, numbers.at(-1) ?? 0, 500);
    numbers.push(...entries.map(({ sequence }) => sequence));
    more = entries.length > 0;
  }
  return {
    scale,
    'events/s': figure((total * 1000) / ms),
    'tries given up, %': figure((failed / tries) * 100),
    gapless: numbers.length === total && numbers.every((sequence, at) => sequence === at + 1) ? 'yes' : 'no',
    'table refused': refusals,
  };
};

/** Contacts that concurrent callers of one organization create, each of which its counters count. */
const contacts = async ({ laws, port, organization }: Lawful) => {
  const client = apiClient(`http://127.0.0.1:${port}`, organization.keys.test);
  const total = CONTACTS.callers * CONTACTS.each;
  const phones = Array.from({ length: total }, (_, at) => `+551197${String(at).padStart(7, '0')}`);
  const statuses: Record<string, number> = {};
  const from = performance.now();
  const refusals = await refusedDuring(laws, () =>
    mapConcurrently(phones, CONTACTS.callers, async (phone) => {
      const { status } = await client.post('/contacts', { phone });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }),
  );
  const perSecond = (total * 1000) / (performance.now() - from);
  return {
    'contacts/s': figure(perSecond),
    'refused, %': figure((1 - (statuses['201'] ?? 0) / total) * 100),
    statuses: JSON.stringify(statuses),
    'table refused': refusals,
  };
};

const numberOf = (text: string): number => Number(text.replace(',', ''));
/** Of runs of the same kind in each round, the one in the middle by what it got through. */
const middleOf = <R extends object>(runs: readonly R[], same: (run: R) => unknown, by: (run: R) => string): R[] =>
  [...Map.groupBy(runs, same).values()].flatMap((group) => {
    const sorted = [...group].sort((a, b) => numberOf(by(a)) - numberOf(by(b)));
    return sorted[Math.floor((sorted.length - 1) / 2)] ?? [];
  });

interface Rounds {
  readonly sent: Awaited<ReturnType<typeof sends>>[];
  readonly fanned: Awaited<ReturnType<typeof fanOut>>[];
  readonly created: Awaited<ReturnType<typeof contacts>>[];
  /** The keys that took most units, of each round. */
  readonly hottest: Readonly<Record<string, string | number>>[];
}

const hottestOf = ({ laws }: Lawful, scale: number) =>
  laws
    .statistics()
    .hottest.slice(0, HOTTEST)
    .map((use) => ({ scale, ...use, partition: use.partition.split('#')[0] ?? '' }));

const measureRounds = async (): Promise<Rounds> => {
  const rounds: Rounds = { sent: [], fanned: [], created: [], hottest: [] };
  for (const scale of Array.from({ length: ROUNDS }, () => SCALES).flat()) {
    const lawful = await startLawful(scale);
    try {
      for (const connections of CONNECTIONS) {
        rounds.sent.push(await sends(lawful, scale, connections));
        console.log('laws:', rounds.sent.at(-1));
      }
      rounds.hottest.push(...hottestOf(lawful, scale));
      // Scaled, they would measure the table's limits alone, which callers that repeat at once never come below.
      if (scale === 1) {
        rounds.fanned.push(await fanOut(lawful, scale));
        rounds.created.push(await contacts(lawful));
        console.log('laws:', rounds.fanned.at(-1), rounds.created.at(-1));
      }
    } finally {
      await lawful.stop();
    }
  }
  return rounds;
};

const middleSends = ({ sent }: Rounds) =>
  middleOf(
    sent,
    ({ scale, connections }) => `${scale} ${connections}`,
    (one) => one['accepted/s'],
  );
const only = () => 0;

const textOf = (
  rounds: Rounds,
): string => `One wallet's sends (\`POST /v2/sms/messages\`, sandbox) behind the laws of docs/table-laws.md, their limits divided by \`scale\`. Scaled, the table as a
whole has no limit: it is one that has grown with its traffic, and the limits are those of each partition key. Of ${ROUNDS} rounds the one in the middle by what it accepted.

${columns(middleSends(rounds))}

Before an organization's sends were spread over lanes (commit 7587362, 2026-11-23, this bench on this machine), the scaled run accepted 6.50 a second of
1 connection, 5.00 of 4 (60.8 % refused), 3.00 of 16 (92.6 %) and 3.75 of 64 (96.3 %); with the limits as they are 39.0, 57.3, 71.0 and 96.8 (p95 3,560 ms).
The scaled figures times ${SCALED} are what the documented limits of a partition key would take, as far as this model of them goes; nothing here ran on AWS.

The keys that took most units of the last round's sends, warm-up included:

${columns(rounds.hottest.slice(-HOTTEST * SCALES.length))}

${CONSUMERS} consumers give one subscription ${BATCHES} batches of ${EVENTS} events each; a batch that failed is given again.

${columns(middleOf(rounds.fanned, only, (one) => one['events/s']))}

${CONTACTS.callers} callers of one organization create ${CONTACTS.each} contacts each.

${columns(middleOf(rounds.created, only, (one) => one['contacts/s']))}`;

const verdictsOf = (rounds: Rounds): Verdict[] => {
  const refused = rounds.sent.filter(({ scale, connections }) => scale === 1 && connections === 64);
  const worst = (all: readonly { readonly 'refused, %': string }[]) =>
    Math.max(...all.map((one) => Number(one['refused, %'])));
  const most = middleSends(rounds).filter((one) => one.scale === SCALED && Number(one['refused, %']) < 1);
  const perSecond = Math.max(...most.map((one) => numberOf(one['accepted/s'])));
  const abandoned = Math.max(...rounds.fanned.map((one) => Number(one['tries given up, %'])));
  return [
    verdict('sends of one wallet refused at 64 connections behind the laws', worst(refused), '<', 1, ' %'),
    verdict(
      'sends of one wallet with less than 1 % refused, limits ÷ 20, times 20',
      perSecond * SCALED,
      '≥',
      1_000,
      ' /s',
    ),
    verdict(`batches that ${CONSUMERS} consumers of one subscription gave up`, abandoned, '<', 1, ' %'),
    verdict(`contacts refused of ${CONTACTS.callers} callers of one organization`, worst(rounds.created), '<', 1, ' %'),
  ];
};

/** Behind the laws of DynamoDB: what is refused of one wallet's sends, of one subscription's events and of one organization's contacts. */
export const benchLaws = async (): Promise<Section> => {
  const rounds = await measureRounds();
  return { title: "Behind DynamoDB's laws", verdicts: verdictsOf(rounds), text: textOf(rounds) };
};
