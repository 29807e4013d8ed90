import type { Section } from './report.ts';
import { writeResults } from './report.ts';

/** The sections in the order of the document; loaded when run. */
const SECTIONS: Readonly<Record<string, () => Promise<Section>>> = {
  send: async () => (await import('./send.ts')).benchSend(),
  channels: async () => (await import('./channels.ts')).benchChannels(),
  preview: async () => (await import('./preview.ts')).benchPreview(),
  bulk: async () => (await import('./bulk.ts')).benchBulk(),
  push: async () => (await import('./push.ts')).benchPush(),
  deliveries: async () => (await import('./deliveries.ts')).benchDeliveries(),
  dispatch: async () => (await import('./dispatch.ts')).benchDispatch(),
  profile: async () => (await import('./profile.ts')).benchProfile(),
  capacity: async () => (await import('./capacity.ts')).benchCapacity(),
  list: async () => (await import('./list.ts')).benchList(),
  laws: async () => (await import('./laws.ts')).benchLaws(),
  cold: async () => (await import('./cold.ts')).benchCold(),
  build: async () => (await import('./build.ts')).benchBuild(),
};

/** `npm run bench [-- send channels preview bulk push deliveries dispatch profile capacity list laws cold build]`: measures, and writes RESULTS.md. */
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(', ')}. Sections: ${Object.keys(SECTIONS).join(', ')}.`);
  process.exit(1);
}
const done = new Map<string, Section>();
for (const [name, run] of Object.entries(SECTIONS)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const section = await run();
  done.set(name, section);
  for (const { what, measured, goal, holds } of section.verdicts)
    console.log(`${holds ? 'holds' : 'MISSED'}: ${what}: ${measured} (goal ${goal})`);
}
console.log(`Written: ${writeResults(Object.keys(SECTIONS), done)}`);
process.exit(0);
