import { keyFileOf } from '../infra/local/stages.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Client } from '../test/support/api.ts';
import { layOut } from './audience-base.ts';
import { fundedOrganization, startService } from './processes.ts';
import { batchesOf, callAgain } from './raw-calls.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

/** Sizes of the bases whose every contact is in the segment. The base grows to a million with `CAMPAIGN=10000,1000000`. */
const SIZES = (process.env.CAMPAIGN ?? '10000').split(',').map(Number);
const REPEATS = 5;
/** Recipients of the campaign whose portions are sent. */
const RECIPIENTS = 1_000;
const GOAL_MS = 10_000;

const everybody = { field: 'channel', operator: 'has', value: 'whatsapp' };
const MESSAGES = {
  SMS: { channel: 'sms', text: 'Oi {{contact.name|amigo}}, hoje tudo com 30% off.' },
  'e-mail': { channel: 'email', text: 'Oi {{contact.name|amigo}}\nHoje tudo com 30% off.' },
} as const;

const posted = async (client: Client, path: string, body: object = {}) => {
  const answer = await client.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body;
};
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

type Service = Awaited<ReturnType<typeof startService>> & {
  readonly proxy: NonNullable<Awaited<ReturnType<typeof startService>>['proxy']>;
};

/** Previews of a campaign: the first, which finds nothing kept, and the median of more; beside the same calls of the table without a service. What looks for lost work scans: that is no call of the preview. */
const measurePreview = async (service: Service, client: Client, segmentId: string, message: object) => {
  const { id } = await posted(client, '/v2/campaigns', {
    name: 'Todos',
    message,
    audience: { segmentIds: [segmentId] },
  });
  const preview = () => posted(client, `/v2/campaigns/${id}/preview`);
  service.proxy.reset();
  const firstMs = await timed(preview);
  const { readUnits: firstUnits } = service.proxy.taken();
  const dynamodb = tableClient(service.proxy.endpoint);
  const rounds: { ms: number; floorMs: number; readUnits: number; trips: number }[] = [];
  for (let turn = 0; turn < REPEATS; turn++) {
    service.proxy.reset();
    const ms = await timed(preview);
    const { readUnits, trips, calls } = service.proxy.taken();
    const floorMs = await timed(async () => {
      for (const batch of batchesOf(calls.filter(({ action }) => action !== 'Scan')))
        await Promise.all(batch.map((call) => callAgain(dynamodb, call)));
    });
    rounds.push({ ms, floorMs, readUnits, trips });
  }
  dynamodb.destroy();
  const of = (name: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[name]));
  return { firstMs, firstUnits, ms: of('ms'), floorMs: of('floorMs'), readUnits: of('readUnits'), trips: of('trips') };
};

/** A campaign to the newest contacts, from its start until all are accepted and left. */
const measureSending = async (service: Service, client: Client) => {
  const contactIds: string[] = [];
  for (let skip = 0; contactIds.length < RECIPIENTS; skip += 200) {
    const { items } = (await client.get('/contacts', { limit: 200, skip, optInStatus: 'granted' })).body;
    contactIds.push(...items.map(({ id }: { id: string }) => id));
  }
  const audience = { contactIds: contactIds.slice(0, RECIPIENTS) };
  const { id } = await posted(client, '/v2/campaigns', { name: 'Mil', message: MESSAGES.SMS, audience });
  service.proxy.reset();
  const ms = await timed(async () => {
    await posted(client, `/v2/campaigns/${id}/start`);
    for (;;) {
      const { progress } = (await client.get(`/v2/campaigns/${id}`)).body;
      if (progress.sent >= RECIPIENTS) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  });
  const { writeUnits, readUnits } = service.proxy.taken();
  return {
    perSecond: (RECIPIENTS / ms) * 1000,
    writeUnits: writeUnits / RECIPIENTS,
    readUnits: readUnits / RECIPIENTS,
  };
};

const HOW = `Bases of contacts as in "The audience", each with a segment that every contact is in; the whole service in processes, its engine in memory, through the counting proxy. The first preview finds no counts kept; then
medians of ${REPEATS}. The floor makes the calls of each again, side by side where they were. Sending: a campaign of SMS to ${RECIPIENTS} contacts, from its start until all of its messages left for the sandbox; units of all that is done meanwhile, sends and reports included.`;

/** Cost of campaigns: previews as the base grows, and recipients a second. */
export const benchCampaigns = async (): Promise<Section> => {
  const service = await startService({ counted: true, inMemory: true, env: {} });
  const rows: Record<string, string>[] = [];
  const slowest: number[] = [];
  let sending: Awaited<ReturnType<typeof measureSending>> | undefined;
  try {
    for (const size of SIZES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      await layOut(service.table, keyFileOf(service.store.folder), organizationId, size);
      const client = service.clientOf(keys.test);
      const { id: segmentId } = await posted(client, '/v2/segments', { name: 'Todos', filters: [everybody] });
      for (const [name, message] of Object.entries(MESSAGES)) {
        const measured = await measurePreview(service, client, segmentId, message);
        console.log(`campaigns: ${size}: preview, ${name}:`, measured);
        slowest.push(measured.firstMs);
        rows.push({
          Contacts: figure(size),
          Operation: `preview, ${name}`,
          'ms, first': figure(measured.firstMs),
          ms: figure(measured.ms),
          'ms, floor': figure(measured.floorMs),
          'RRU, first': figure(measured.firstUnits),
          'RRU (engine)': figure(measured.readUnits),
          'Round trips': figure(measured.trips),
        });
      }
      sending ??= await measureSending(service, client);
      console.log('campaigns: sending:', sending);
    }
  } finally {
    await service.stop();
  }
  const { perSecond = Number.NaN, writeUnits = Number.NaN, readUnits = Number.NaN } = sending ?? {};
  const sent = `Sending: ${figure(perSecond)} recipients a second, ${figure(writeUnits)} write units and ${figure(readUnits)} read units each.`;
  const verdicts = [verdict('The slowest first preview of a campaign', Math.max(...slowest), '<', GOAL_MS, ' ms')];
  return { title: 'Campaigns', rounds: REPEATS, verdicts, text: `${HOW}\n\n${columns(rows)}\n\n${sent}` };
};
