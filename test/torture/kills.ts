import {
  type KillLab,
  killAll,
  STEP_NAMES,
  sendAs,
  startKillLab,
  timesTaken,
  untilResolved,
  type Victim,
} from '../support/kill.ts';
import { faultOf, OUTCOMES, rowOf } from '../support/kill-outcomes.ts';
import { checkMoney } from '../support/money.ts';
import { type Part, type PartOptions, type Report, randomOf, shuffled } from './part.ts';

/** Messages that stand at each step when their process is killed. */
const PER_STEP = 4;
const RESOLVED_WITHIN_MS = 120_000;

/** A round's victims: an organization of its own, since a key has a rate, and recipients of their own. */
const victimsOf = async (lab: KillLab, round: number, random: () => number, most: number): Promise<Victim[]> => {
  const caller = await lab.organization();
  const steps = shuffled(
    STEP_NAMES.flatMap((step) => Array.from({ length: PER_STEP }, () => step)),
    random,
  );
  return steps.slice(0, most).map((step, at) => {
    const subscriber = String(round * STEP_NAMES.length * PER_STEP + at).padStart(7, '0');
    return { ...caller, step, key: `key-${round}-${at}`, to: `+551198${subscriber}` };
  });
};

/** When a victim's hold was resolved (ms). */
const resolvedAt = async (lab: KillLab, victim: Victim): Promise<number> => {
  const row = await rowOf(lab, victim);
  return Date.parse(String((row?.hold === 'released' ? row.failedAt : row?.sentAt) ?? new Date(0).toISOString()));
};

/** The retry of every caller: a first send where nothing was sent, else a replay. One text each, in the end. */
const retry = async (lab: KillLab, victim: Victim): Promise<void> => {
  const { status, body } = await sendAs(victim);
  const replayed = OUTCOMES[victim.step].taken === 1;
  if (status !== 201 || body.replayed !== replayed) throw new Error(`${victim.step}: the retry was answered ${status}`);
  const times = timesTaken(lab, victim);
  if (times !== 1) throw new Error(`${victim.step}: ${times} texts after the retry`);
};

const verify = async (lab: KillLab, victims: readonly Victim[]): Promise<void> => {
  for (const victim of victims) {
    const fault = await faultOf(lab, victim);
    if (fault) throw new Error(fault);
  }
  for (const victim of victims) await retry(lab, victim);
  for (const organizationId of new Set(victims.map((victim) => victim.organizationId)))
    await checkMoney(lab.table, organizationId);
};

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  const lab = await startKillLab();
  const random = randomOf(seed);
  const all: { victim: Victim; killedAt: number }[] = [];
  try {
    let rounds = 0;
    for (; all.length < count && !late(); rounds++) {
      await lab.start();
      const victims = await victimsOf(lab, rounds, random, count - all.length);
      await killAll(lab, victims);
      const killedAt = Date.now();
      all.push(...victims.map((victim) => ({ victim, killedAt })));
    }
    await lab.start();
    const victims = all.map(({ victim }) => victim);
    await untilResolved(lab, victims, RESOLVED_WITHIN_MS);
    const waits = await Promise.all(
      all.map(async ({ victim, killedAt }) => (await resolvedAt(lab, victim)) - killedAt),
    );
    const slowest = Math.max(...waits);
    if (slowest > RESOLVED_WITHIN_MS)
      throw new Error(`a message was resolved ${slowest} ms after its process was killed`);
    await verify(lab, victims);
    const figures = {
      'processes killed': rounds,
      steps: STEP_NAMES.length,
      'slowest resolution, s': Math.round(slowest / 1000),
      'lost, doubled or mischarged': 0,
    };
    return { done: all.length, figures };
  } finally {
    await lab.close();
  }
};

/** Messages whose process is killed (SIGKILL) while they stand at a step; the seed chooses which step each stands at. */
export const kills: Part = { whole: 2_000, unit: 'messages killed at a step', run };
