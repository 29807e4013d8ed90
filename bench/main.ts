import { busyNow, ROUNDS, recordLine } from './record.ts';
import { type Section, writeResults } from './report.ts';

/** The sections in the order of the document; loaded when run. */
const SECTIONS: Readonly<Record<string, () => Promise<Section>>> = {
  send: async () => (await import('./send.ts')).benchSend(),
  channels: async () => (await import('./channels.ts')).benchChannels(),
  smpp: async () => (await import('./smpp.ts')).benchSmpp(),
  carrier: async () => (await import('./carrier.ts')).benchCarrier(),
  preview: async () => (await import('./preview.ts')).benchPreview(),
  bulk: async () => (await import('./bulk.ts')).benchBulk(),
  push: async () => (await import('./push.ts')).benchPush(),
  deliveries: async () => (await import('./deliveries.ts')).benchDeliveries(),
  dispatch: async () => (await import('./dispatch.ts')).benchDispatch(),
  profile: async () => (await import('./profile.ts')).benchProfile(),
  capacity: async () => (await import('./capacity.ts')).benchCapacity(),
  list: async () => (await import('./list.ts')).benchList(),
  campaigns: async () => (await import('./campaigns.ts')).benchCampaigns(),
  journeys: async () => (await import('./journeys.ts')).benchJourneys(),
  audience: async () => (await import('./audience.ts')).benchAudience(),
  crm: async () => (await import('./crm.ts')).benchCrm(),
  simulate: async () => (await import('./simulate.ts')).benchSimulate(),
  lists: async () => (await import('./lists.ts')).benchLists(),
  console: async () => (await import('./console.ts')).benchConsole(),
  laws: async () => (await import('./laws.ts')).benchLaws(),
  tenants: async () => (await import('./tenants.ts')).benchTenants(),
  queue: async () => (await import('./lost-queue.ts')).benchLostQueue(),
  hang: async () => (await import('./hang.ts')).benchHang(),
  cold: async () => (await import('./cold.ts')).benchCold(),
  build: async () => (await import('./build.ts')).benchBuild(),
};

/** Runs a section and puts its record below its heading. */
const measured = async (name: string, run: () => Promise<Section>): Promise<Section> => {
  const busyBefore = await busyNow();
  const section = await run();
  for (const { what, measured, goal, holds } of section.verdicts)
    console.log(`${holds ? 'holds' : 'MISSED'}: ${what}: ${measured} (goal ${goal})`);
  return { ...section, text: `${recordLine(name, section.rounds ?? ROUNDS, busyBefore)}\n\n${section.text}` };
};

/** `npm run bench [-- check | send channels …]`: measures all or the named sections, or none, and writes RESULTS.md. */
const CHECK = 'check';
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in SECTIONS) && name !== CHECK);
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. Sections: ${Object.keys(SECTIONS).join(', ')}; ${CHECK}.`);
  process.exit(1);
}
const isChosen = (name: string) => chosen.length === 0 || chosen.includes(name);
let stale: ReturnType<typeof writeResults> = new Map();
// Written after each, so that a later one that fails loses none.
for (const [name, run] of Object.entries(SECTIONS).filter(([each]) => isChosen(each)))
  stale = writeResults(Object.keys(SECTIONS), new Map([[name, await measured(name, run)]]));
if (isChosen(CHECK)) stale = writeResults(Object.keys(SECTIONS), new Map());
for (const [name, reasons] of stale) console.log(`stale: ${name}: ${reasons.join('; ')}`);
process.exit(chosen.includes(CHECK) && stale.size > 0 ? 1 : 0);
