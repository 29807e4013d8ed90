import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BatchGetItemInput } from '@aws-sdk/client-dynamodb';
import { freePort } from '../infra/local/engines.ts';
import { AWS_DEFAULTS } from '../infra/local/stages.ts';
import type { CountedCall } from './counting-proxy.ts';
import { ended, type Measured, type Store, startService, startStackProcess } from './processes.ts';
import { ROUNDS } from './record.ts';
import { columns, figure, type Section, verdict } from './report.ts';
import { measureAll, medians, postPlan, type Runs } from './send.ts';
import type { Plan, Variant } from './variant.ts';

const PATH = '/v1/messages/preview';
const CONNECTIONS = [1, 16, 64];
/** Previews before the recorded one; prices, settings and routes are cached by then. */
const WARM_UP_CALLS = 20;
const BODY = { channel: 'sms', to: '+5511999990005', text: 'Your order is on its way.' };
const [PREVIEW, SAME_CALLS, ONE_BY_ONE] = ['preview', 'floor', 'floor, row by row'] as const;
const FLOORS = [SAME_CALLS, ONE_BY_ONE] as const;
/** Goal: p95 and throughput at 16 connections as ratios to each floor; the same as for a send. */
const GOAL = { connections: 16, p95: 1.5, throughput: 0.7 };

/** An engine with an organization, and the reads of a preview: the fewest of several, since some also refresh cached prices. */
interface Ground {
  readonly store: Store;
  readonly plan: Plan;
  readonly reads: readonly CountedCall[];
}
const prepare = async (): Promise<Ground> => {
  const { store, proxy, running, keys, client } = await startService({ counted: true });
  let reads: readonly CountedCall[] | undefined;
  for (let turn = 0; turn < 2 * WARM_UP_CALLS; turn++) {
    proxy.reset();
    const { status, text } = await client.post(PATH, BODY);
    if (status !== 200) throw new Error(`a preview was answered ${status}: ${text}`);
    const { calls } = proxy.taken();
    if (turn >= WARM_UP_CALLS && calls.length < (reads?.length ?? Number.POSITIVE_INFINITY)) reads = calls;
  }
  await running.stop();
  await proxy.close();
  return { store, plan: postPlan(keys.test, PATH, BODY), reads: reads ?? [] };
};

const stack = ({ store, plan }: Ground): Variant => ({
  name: PREVIEW,
  status: '200',
  async start() {
    const running = await startStackProcess({ dataDir: store.folder, dynamodbEndpoint: store.endpoint });
    return { ...running, enginePid: store.pid, plan };
  },
});

type Read = Pick<CountedCall, 'action' | 'body'>;
/** Splits a BatchGetItem into one call per row. */
const oneByOne = ({ action, body }: Read): readonly Read[] => {
  if (action !== 'BatchGetItem') return [{ action, body }];
  const { RequestItems = {} }: BatchGetItemInput = JSON.parse(body);
  return Object.entries(RequestItems).flatMap(([TableName, { Keys = [], ConsistentRead }]) =>
    Keys.map((Key) => ({ action: 'GetItem', body: JSON.stringify({ TableName, Key, ConsistentRead }) })),
  );
};

const floor = (name: string, { store }: Ground, reads: readonly Read[]): Variant => ({
  name,
  status: '200',
  async start() {
    const port = await freePort();
    const calls = JSON.stringify(reads.map(({ action, body }) => ({ action, body })));
    const child = fork(join(import.meta.dirname, 'preview-floor.ts'), [store.endpoint, String(port), calls], {
      env: { ...process.env, ...AWS_DEFAULTS },
    });
    await once(child, 'message');
    const running: Measured = { port, pid: child.pid ?? 0, enginePid: store.pid, stop: () => ended(child) };
    return { ...running, plan: { path: '/', headers: {}, body: '{}' } };
  },
});

const ratioTo = (runs: Runs, floor: string, connections: number, of: 'perSecond' | 'p95' | 'cpu'): number =>
  medians(runs, PREVIEW, connections)[of] / medians(runs, floor, connections)[of];

const rowsOf = (runs: Runs) =>
  CONNECTIONS.flatMap((connections) =>
    [PREVIEW, ...FLOORS].map((name) => {
      const own = medians(runs, name, connections);
      const ratio = (of: 'perSecond' | 'p95' | 'cpu') =>
        name === PREVIEW ? '' : figure(ratioTo(runs, name, connections, of));
      return {
        Connections: connections,
        What: name,
        'Throughput of a preview ÷ its': ratio('perSecond'),
        'p95 of a preview ÷ its': ratio('p95'),
        'CPU of a preview ÷ its': ratio('cpu'),
        'Previews/s': figure(own.perSecond),
        'p50 ms': figure(own.p50),
        'p95 ms': figure(own.p95),
        'p99 ms': figure(own.p99),
        'CPU ms a preview': figure(own.cpu),
      };
    }),
  );

/** Beside the floor that makes the same calls; an easier one shows where a preview saves, and is no goal. */
const verdictsOf = (runs: Runs): Section['verdicts'] => {
  const ratio = (of: 'perSecond' | 'p95') => ratioTo(runs, SAME_CALLS, GOAL.connections, of);
  const what = (of: string) => `${of} at ${GOAL.connections} connections, relative to the ${SAME_CALLS}`;
  return [
    verdict(what('p95 of a preview'), ratio('p95'), '≤', GOAL.p95, '×'),
    verdict(what('previews/s'), ratio('perSecond'), '≥', GOAL.throughput, '×'),
  ];
};

const measured = async (ground: Ground): Promise<Runs> => {
  try {
    const { reads } = ground;
    const floors = [floor(SAME_CALLS, ground, reads), floor(ONE_BY_ONE, ground, reads.flatMap(oneByOne))];
    return await measureAll('preview', [stack(ground), ...floors], CONNECTIONS);
  } finally {
    await ground.store.stop();
  }
};

/** Preview of a message, beside its reads alone. */
export const benchPreview = async (): Promise<Section> => {
  const ground = await prepare();
  const runs = await measured(ground);
  const calls = ground.reads.map(({ action }) => action).join(', ');
  const how = `The local stack serves \`POST ${PATH}\` of an SMS with a test key over keep-alive connections. Its reads were taken from a preview once prices, settings and
routes were cached (they are read again every few seconds): ${calls}. The floor (\`bench/preview-floor.ts\`) is a bare HTTP server that makes the same reads of the same rows
in the same engine and does nothing else: the difference is the cost of gateway, credential, contract, rules and log. \`${ONE_BY_ONE}\` reads each of these rows by a call of its own, in
sequence, like a server that does not batch its reads. Runs alternate, each in a process of its own; medians of ${ROUNDS} rounds (\`ROUNDS\` and \`MEASURE_MS\` change that).`;
  return {
    title: 'A preview',
    verdicts: verdictsOf(runs),
    text: `${how}\n\n${columns(rowsOf(runs))}`,
  };
};
