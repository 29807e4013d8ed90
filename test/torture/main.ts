import { campaigns } from './campaigns.ts';
import { journeys } from './journeys.ts';
import { kills } from './kills.ts';
import { lanes } from './lanes.ts';
import { members } from './members.ts';
import { model } from './model.ts';
import type { Part } from './part.ts';
import { pdus } from './pdus.ts';
import { queues } from './queues.ts';
import { races } from './races.ts';
import { webhooks } from './webhooks.ts';

/**
 * `npm run torture [-- model=100000 lanes=100000 members=1000 kills=2000 races=1000 queues=50000 webhooks=50000 campaigns=1000 journeys=200000 pdus=1000000]`: all parts as a
 * whole, or these, with these counts.
 */
const PARTS: Readonly<Record<string, Part>> = {
  model,
  lanes,
  members,
  kills,
  races,
  queues,
  webhooks,
  campaigns,
  journeys,
  pdus,
};

/** SEED=… repeats a run; SECONDS=… ends each part after that time, wherever it is. */
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000_000);
const seconds = Number(process.env.SECONDS ?? Number.POSITIVE_INFINITY);

const USAGE = `Parts: ${Object.entries(PARTS)
  .map(([name, { whole, unit }]) => `${name}=${whole} (${unit})`)
  .join(', ')}. SEED and SECONDS are numbers.`;
const exit = (why: string): never => {
  console.error(`${why}\n${USAGE}`);
  process.exit(1);
};

const chosenOf = (text: string): [string, number] => {
  const [name = '', count] = text.split('=');
  const part = PARTS[name] ?? exit(`There is no part ${name}.`);
  const wanted = count === undefined ? part.whole : Number(count);
  return Number.isInteger(wanted) && wanted > 0 ? [name, wanted] : exit(`${text}: the count must be a whole number.`);
};

const formatted = (value: string | number) => (typeof value === 'number' ? value.toLocaleString('en-US') : value);

const runPart = async (name: string, count: number): Promise<boolean> => {
  const part = PARTS[name] ?? exit(name);
  const startedAt = performance.now();
  const took = () => (performance.now() - startedAt) / 1000;
  try {
    const { done, figures } = await part.run({ count, seed, late: () => took() > seconds });
    const more = Object.entries(figures).map(([what, value]) => `${what}: ${formatted(value)}`);
    console.log(
      `${name}: ${formatted(done)} ${part.unit} (of ${formatted(count)}); ${more.join('; ')}; ${took().toFixed(1)} s`,
    );
    return true;
  } catch (error) {
    console.error(`${name}: FAILED after ${took().toFixed(1)} s (SEED=${seed})`, error);
    return false;
  }
};

if (!Number.isInteger(seed) || Number.isNaN(seconds)) exit('SEED and SECONDS must be numbers.');
const chosen =
  process.argv.length > 2
    ? process.argv.slice(2).map(chosenOf)
    : Object.entries(PARTS).map(([name, { whole }]): [string, number] => [name, whole]);
console.log(`SEED=${seed}`);
let failed = 0;
for (const [name, count] of chosen) if (!(await runPart(name, count))) failed += 1;
process.exit(failed > 0 ? 1 : 0);
