import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { keyFileOf } from '../infra/local/stages.ts';
import { parseId } from '../shared/domain/core/ids.ts';
import { apiClient, type Client } from '../test/support/api.ts';
import { layOut } from './audience-base.ts';
import { draftCampaign, everybody, posted, untilSent } from './campaign-runs.ts';
import { GROWN, startCluster } from './cluster.ts';
import type { LoadResult } from './load.ts';
import { fundedOrganization, runLoadInThread, tablesAt } from './processes.ts';
import { withBusyShare } from './processor-share.ts';
import { ROUNDS } from './record.ts';
import { figure, median } from './report.ts';
import { sendPlan } from './send.ts';

/** Processes that answer requests, and that work on campaigns. */
const APIS = 4;
const WORKERS = 2;
/** Whoever sends beside the campaign: connections, and the wait between an answer and the next request, in ms. */
const LOAD = { connections: 8, thinkMs: 200 };
/** Recipients of each campaign: more than are sent to while it is measured. */
const RECIPIENTS = Number(process.env.BESIDE ?? 3_000);
/** How many of them a minute: the first leaves most of the processors' time to the senders, so that it shows what the table adds; the second takes most of it. */
const RATES = (process.env.BESIDE_PER_MINUTE ?? '600,3000').split(',').map(Number);
const WARM_MS = 2_000;
const MEASURE_MS = Number(process.env.MEASURE_MS ?? 8_000);
/** The sandbox reports what became of a message 3 s after it left. */
const OUTCOMES_MS = 5_000;
/** Recipients of the sandbox that end without a receipt: a thousand, since a recipient's messages share a partition of an index. */
const SILENT = '+551199{nnn}0099';
/** The lowest priority: deployed, workers have processors of their own, and take none of those who answer. */
const LOWEST = 19;

/** Single sends of the campaign's own organization, and of another one. */
const SENDERS = ['own', 'other'] as const;
type Sender = (typeof SENDERS)[number];
interface Run extends LoadResult {
  /** Share of the machine's processor time that was used meanwhile. */
  readonly busy: number;
}
interface Measured {
  /** Recipients a minute of the campaign. */
  readonly rate: number;
  readonly sender: Sender;
  readonly alone: Run;
  readonly beside: Run;
  /** Recipients of the campaign a second meanwhile. */
  readonly perSecond: number;
}

const progressOf = async (client: Client, id: string) => (await client.get(`/v2/campaigns/${id}`)).body.progress;

/** A campaign under way while something is measured; how many of its messages left a second. It has come to rest afterwards. */
const duringCampaign = async <T>(client: Client, segmentId: string, perMinute: number, work: () => Promise<T>) => {
  const id = await draftCampaign(client, segmentId, { perMinute });
  await posted(client, `/v2/campaigns/${id}/start`);
  await untilSent(client, id, 1);
  const [{ sent: before }, startedAt] = [await progressOf(client, id), performance.now()];
  const result = await work();
  const { sent } = await progressOf(client, id);
  const perSecond = (sent - before) / ((performance.now() - startedAt) / 1000);
  await posted(client, `/v2/campaigns/${id}/cancel`);
  await untilSent(client, id);
  await pause(OUTCOMES_MS);
  return { result, perSecond };
};

export const ABOUT_BESIDE = `${APIS} processes that answer requests and ${WORKERS} that work on campaigns, at the lowest priority of the machine, on one table behind the laws of docs/table-laws.md that has grown with its traffic. A
campaign to ${figure(RECIPIENTS)} contacts at ${RATES.map(figure).join(' or ')} a minute; beside it \`POST /v2/sms/messages\` of route otp over ${LOAD.connections} connections, ${LOAD.thinkMs} ms between an answer and the next request, by the campaign's own organization or another one.
Medians of ${ROUNDS} rounds, ${MEASURE_MS / 1000} s each.`;

/** Single sends alone, and beside a campaign that runs, at each rate in turn. */
export const measureBeside = async (): Promise<readonly Measured[]> => {
  const cluster = await startCluster({ apis: APIS, workers: WORKERS, laws: { table: GROWN } });
  const runs: Measured[] = [];
  try {
    const { endpoint } = cluster.store;
    const own = await fundedOrganization(endpoint);
    const other = await fundedOrganization(endpoint);
    const keyFile = keyFileOf(cluster.folder);
    await layOut(tablesAt(endpoint).test, keyFile, parseId('organization', own.organizationId), RECIPIENTS);
    const [port = 0, ...otherPorts] = await cluster.startOthers();
    for (const pid of cluster.workers()) setPriority(pid, LOWEST);
    const client = apiClient(`http://127.0.0.1:${port}`, own.keys.test);
    const segmentId = await everybody(client);
    const load = (key: string) =>
      runLoadInThread({
        ...sendPlan(key, SILENT, 'otp'),
        ...LOAD,
        port,
        otherPorts,
        warmMs: WARM_MS,
        measureMs: MEASURE_MS,
        method: 'POST',
      });
    const loads = async () => ({
      own: await withBusyShare(() => load(own.keys.test)),
      other: await withBusyShare(() => load(other.keys.test)),
    });
    const turns = Array.from({ length: ROUNDS }, (_, at) => RATES.map((rate) => ({ rate, round: at + 1 }))).flat();
    for (const { rate, round } of turns) {
      const alone = await loads();
      const { result: beside, perSecond } = await duringCampaign(client, segmentId, rate, loads);
      for (const sender of SENDERS) {
        runs.push({ rate, sender, alone: alone[sender], beside: beside[sender], perSecond });
        console.log(
          `campaigns: round ${round}, ${rate} a minute, ${sender}: alone p95 ${figure(alone[sender].p95)} ms, beside ${figure(beside[sender].p95)} ms, ${JSON.stringify(beside[sender].statuses)}; campaign ${figure(perSecond)}/s; processors busy ${figure(100 * alone[sender].busy)} and ${figure(100 * beside[sender].busy)} %`,
        );
      }
    }
  } finally {
    await cluster.stop();
  }
  return runs;
};

/** What each sender noticed of a campaign at each rate, as medians. */
export const noticed = (all: readonly Measured[]) =>
  [...Map.groupBy(all, ({ rate, sender }) => `${rate} ${sender}`).values()].flatMap((runs) => {
    const of = (pick: (run: Measured) => number) => median(runs.map(pick));
    const [first] = runs;
    if (!first) return [];
    return {
      rate: first.rate,
      sender: first.sender,
      alone: of(({ alone }) => alone.p95),
      beside: of(({ beside }) => beside.p95),
      ratio: of(({ alone, beside }) => beside.p95 / alone.p95),
      p50: { alone: of(({ alone }) => alone.p50), beside: of(({ beside }) => beside.p50) },
      sends: of(({ beside }) => beside.perSecond),
      refused: of(({ beside }) => 100 * (1 - (beside.statuses['201'] ?? 0) / beside.requests)),
      perSecond: of(({ perSecond }) => perSecond),
      busy: { alone: of(({ alone }) => 100 * alone.busy), beside: of(({ beside }) => 100 * beside.busy) },
    };
  });
