import { isDeepStrictEqual } from 'node:util';
import { type Chance, chanceOf } from '../support/chance.ts';
import {
  type Caller,
  type KillLab,
  killAll,
  postReceipt,
  STEP_NAMES,
  startKillLab,
  untilResolved,
  type Victim,
} from '../support/kill.ts';
import { faultOf, outcomeOf, retried, retryOf, rowOf } from '../support/kill-outcomes.ts';
import { type Kind, OTHER_KINDS, recipientOf } from '../support/kill-steps.ts';
import { checkMoney } from '../support/money.ts';
import type { Part, PartOptions, Report } from './part.ts';

/** Messages that are at each step when their process is killed. */
const PER_STEP = 2;
/** Every step of SMS, and those of each other channel whose code differs. */
const KINDS: readonly Kind[] = [...STEP_NAMES.map((step): Kind => ({ channel: 'sms', step })), ...OTHER_KINDS];
const RESOLVED_WITHIN_MS = 120_000;

/** A round's victims, with recipients of their own: those of a step are of one organization, which may write them in one transaction. */
const victimsOf = (callers: readonly Caller[], round: number, chance: Chance, most: number): Victim[] => {
  const victims = KINDS.flatMap((kind, nth) => {
    const caller = callers[nth];
    return caller ? Array.from({ length: PER_STEP }, () => ({ ...caller, ...kind })) : [];
  });
  return chance
    .shuffled(victims)
    .slice(0, most)
    .map((victim, at): Victim => {
      const to = recipientOf(victim.channel, round * victims.length + at);
      return { ...victim, key: `key-${round}-${at}`, to };
    });
};

/** When a victim's hold was resolved (ms). */
const resolvedAt = async (lab: KillLab, victim: Victim): Promise<number> => {
  const row = await rowOf(lab, victim);
  return Date.parse(String((row?.hold === 'released' ? row.failedAt : row?.sentAt) ?? new Date(0).toISOString()));
};

/** The retry of every caller: a first send where certainly nothing was sent, else a replay, or indeterminate. */
const retry = async (lab: KillLab, victim: Victim): Promise<void> => {
  const found = await retried(lab, victim);
  if (!isDeepStrictEqual(found, retryOf(victim)))
    throw new Error(`${victim.channel} at ${victim.step}: the retry was answered ${JSON.stringify(found)}`);
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

/** Starts the process; the providers report what only they can prove, and repeat unanswered callbacks. */
const startAgain = async (lab: KillLab, reporting: readonly Victim[]): Promise<void> => {
  await lab.start();
  for (const victim of reporting) await postReceipt(lab, victim);
};

const run = async ({ count, seed, late }: PartOptions): Promise<Report> => {
  const lab = await startKillLab();
  const chance = chanceOf(seed);
  const all: { victim: Victim; killedAt: number }[] = [];
  try {
    let rounds = 0;
    let reporting: readonly Victim[] = [];
    await lab.start();
    const callers = await lab.organizations(KINDS.length);
    for (; all.length < count && !late(); rounds++) {
      const victims = victimsOf(callers, rounds, chance, count - all.length);
      await startAgain(lab, reporting);
      reporting = [...(await killAll(lab, victims)), ...victims.filter((each) => outcomeOf(each).reported)];
      const killedAt = Date.now();
      all.push(...victims.map((victim) => ({ victim, killedAt })));
    }
    await startAgain(lab, reporting);
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
      'steps of six channels': new Set(all.map(({ victim: { channel, step } }) => `${channel} ${step}`)).size,
      'slowest resolution, s': Math.round(slowest / 1000),
      'lost, doubled or mischarged': 0,
    };
    return { done: all.length, figures };
  } finally {
    await lab.close();
  }
};

/** Messages whose process is killed (SIGKILL) at a step of theirs, which the seed chooses. */
export const kills: Part = { whole: 2_000, unit: 'messages killed at a step', run };
