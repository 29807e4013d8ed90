import { keyFileOf } from '../infra/local/stages.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Client } from '../test/support/api.ts';
import { timed } from './audience.ts';
import { layOut } from './audience-base.ts';
import { ABOUT_BESIDE, measureBeside, noticed } from './campaign-beside.ts';
import { draftCampaign, everybody, posted, SMS } from './campaign-runs.ts';
import { measureSending } from './campaign-sending.ts';
import { fundedOrganization, type Service, startService } from './processes.ts';
import { batchesOf, callAgain } from './raw-calls.ts';
import { columns, figure, median, type Section, verdict } from './report.ts';

/** Sizes of the bases that are previewed; a whole run has `CAMPAIGN=10000,1000000`. */
const SIZES = (process.env.CAMPAIGN ?? '10000').split(',').map(Number);
const REPEATS = 5;
/** Recipients of the campaign whose sending is measured. */
const RECIPIENTS = Number(process.env.RECIPIENTS ?? 1_000);
const GOAL = { previewMs: 10_000, beside: 1.2 };

const MESSAGES = {
  SMS,
  'e-mail': { channel: 'email', text: 'Oi {{contact.name|amigo}}\nHoje tudo com 30% off.' },
} as const;

/** Previews of a campaign: the first, which finds nothing kept, and the median of more; beside the same calls of the table without a service. What looks for lost work scans: that is no call of the preview. */
const measurePreview = async (service: Service, client: Client, segmentId: string, message: object) => {
  const id = await draftCampaign(client, segmentId, { message });
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

const HOW = `Bases of contacts as in "The audience", each with a segment that every contact is in; the whole service in processes, its engine in memory, through the counting proxy. The first preview finds no counts kept; then
medians of ${REPEATS}. The floor makes the calls of each again, side by side where they were.`;
const HOW_SENT = `A campaign of SMS to a base of ${figure(RECIPIENTS)} contacts, from its start until all of its messages left for the sandbox; with all that is done meanwhile, sends and reports included. The floor makes the same calls of the table
again on an engine of its own that holds what the table held before, without a service: those at once that were at once.`;

const previewRows = (size: number, name: string, measured: Awaited<ReturnType<typeof measurePreview>>) => ({
  Contacts: figure(size),
  Operation: `preview, ${name}`,
  'ms, first': figure(measured.firstMs),
  ms: figure(measured.ms),
  'ms, floor': figure(measured.floorMs),
  'RRU, first': figure(measured.firstUnits),
  'RRU (engine)': figure(measured.readUnits),
  'Round trips': figure(measured.trips),
});

/** Previews by a segment that everybody is in, as the base grows. */
const measurePreviews = async () => {
  const service = await startService({ counted: true, inMemory: true, env: {} });
  const rows: Record<string, string>[] = [];
  let slowest = { size: 0, ms: 0 };
  try {
    for (const size of SIZES) {
      const { organizationId, keys } = await fundedOrganization(service.store.endpoint);
      const seconds = await layOut(service.table, keyFileOf(service.store.folder), organizationId, size);
      console.log(`campaigns: ${size} contacts laid out in ${Math.round(seconds)} s`);
      const client = service.clientOf(keys.test);
      const segmentId = await everybody(client);
      for (const [name, message] of Object.entries(MESSAGES)) {
        const measured = await measurePreview(service, client, segmentId, message);
        console.log(`campaigns: ${size}: preview, ${name}:`, measured);
        if (measured.firstMs > slowest.ms) slowest = { size, ms: measured.firstMs };
        rows.push(previewRows(size, name, measured));
      }
    }
  } finally {
    await service.stop();
  }
  return { rows, slowest };
};

const SENDER_NAMES = { own: "the campaign's organization", other: 'another organization' };
type Noticed = ReturnType<typeof noticed>[number];
const besideRow = ({ rate, sender, alone, beside, ratio, p50, sends, refused, perSecond, busy }: Noticed) => ({
  'Recipients a minute': figure(rate),
  'Single sends of': SENDER_NAMES[sender],
  'p50 ms, alone': figure(p50.alone),
  'p50 ms, beside': figure(p50.beside),
  'p95 ms, alone': figure(alone),
  'p95 ms, beside': figure(beside),
  Ratio: figure(ratio),
  'Sends/s': figure(sends),
  'Refused, %': figure(refused),
  'Campaign, recipients/s': figure(perSecond),
  'Processors busy, %': `${figure(busy.alone)}, then ${figure(busy.beside)}`,
});
const besideVerdict = ({ rate, sender, ratio }: Noticed) =>
  verdict(
    `p95 of single otp sends of ${SENDER_NAMES[sender]} beside a campaign of ${figure(rate)} a minute, relative to alone`,
    ratio,
    '≤',
    GOAL.beside,
    '×',
  );

/** Cost of campaigns: previews as the base grows, recipients a second beside their calls alone, and what single sends notice of one that runs. */
export const benchCampaigns = async (): Promise<Section> => {
  const { rows, slowest } = await measurePreviews();
  const sending = await measureSending(RECIPIENTS);
  console.log('campaigns: sending:', sending);
  const beside = noticed(await measureBeside());
  const { perSecond, floorPerSecond, trips, refused, writeUnits, readUnits } = sending;
  const sent = columns([
    {
      'Recipients/s': figure(perSecond),
      'Floor, recipients/s': figure(floorPerSecond),
      'Calls each': figure(trips),
      'WRU each (engine)': figure(writeUnits),
      'RRU each (engine)': figure(readUnits),
      'Refused in the floor, %': figure(refused),
    },
  ]);
  return {
    title: 'Campaigns',
    rounds: REPEATS,
    verdicts: [
      verdict(`The slowest first preview, of ${figure(slowest.size)} contacts`, slowest.ms, '<', GOAL.previewMs, ' ms'),
      ...beside.map(besideVerdict),
    ],
    text: [HOW, columns(rows), HOW_SENT, sent, ABOUT_BESIDE, columns(beside.map(besideRow))].join('\n\n'),
  };
};
