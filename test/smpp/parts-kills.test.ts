import { expect, test } from 'vitest';
import { recoverSend } from '../../shared/domain/sending/recover.ts';
import { PARTS_WAIT_MS } from '../../shared/domain/smpp/assembly.ts';
import { chanceOf } from '../support/chance.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { checkMoney, messagesOf } from '../support/money.ts';
import { runProcesses } from '../support/run-processes.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { callsOf, duePartsOf, partOf, partsAccount, sharedProvider, workOffParts } from './parts-kit.ts';
import type { PartsWord, PartsWork } from './parts-process.ts';

const SEED = Number(process.env.SEED ?? 20_261_126);
const PROCESS = new URL('./parts-process.ts', import.meta.url);
const PROCESSES = 20;
const KILLED = 6;
const [MESSAGES, TOTAL] = [14, 5];

const { laws } = await useContendedTable();
const world = await use(startWorld('live', { at: laws.endpoint }));
world.candidates = () => ({ kind: 'ready', providers: [sharedProvider(world.table)] });

test(`twenty real processes take the parts of the same messages, each part in two of them, and six are killed with kill -9: each message ends once, is paid once if it was sent, and every part that is answered has one id (seed ${SEED})`, {
  timeout: 300_000,
}, async () => {
  const { organizationId, account, ports, reported } = await partsAccount(world);
  const chance = chanceOf(SEED);
  const parts = Array.from({ length: MESSAGES }, (_, reference) =>
    Array.from({ length: TOTAL }, (__, at) =>
      partOf(at + 1, { reference, total: TOTAL, text: `${reference}.${at + 1} ` }),
    ),
  ).flat();
  // Those that are killed have some parts, and those that are not have all of them, and some twice.
  const shares: (typeof parts)[] = Array.from({ length: PROCESSES }, () => []);
  for (const part of chance.shuffled(parts)) {
    shares[KILLED + chance.below(PROCESSES - KILLED)]?.push(part);
    shares[chance.below(PROCESSES)]?.push(part);
  }
  const common = { endpoint: laws.endpoint, now: world.now, account };
  const work = shares.map(
    (own, process): PartsWork => ({
      ...common,
      parts: own,
      // Those that are killed, at the first that they say, have come to anywhere in their parts.
      saysFrom: process < KILLED ? chance.below(Math.max(1, own.length)) : 0,
    }),
  );
  const words = await runProcesses<PartsWork, PartsWord>(PROCESS, work, KILLED);

  const ids = new Map<string, Set<string>>();
  for (const [process, own] of words.entries())
    for (const word of own) {
      if (!('outcome' in word)) continue;
      const part = shares[process]?.[word.at];
      const name = `${part?.reference}.${part?.number}`;
      // The state of a killed process's send is unknown to the others.
      if (word.outcome.kind === 'refused') expect(word.outcome.status).toBe('ESME_RSYSERR');
      else ids.set(name, (ids.get(name) ?? new Set()).add(word.outcome.messageId));
    }
  expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);

  for (let turn = 0; turn < 3; turn++) {
    world.now += PARTS_WAIT_MS;
    for (const { id, hold } of await messagesOf(world.table, organizationId))
      if (hold === 'open') await recoverSend(world.ports, id);
    await workOffParts(world, ports);
  }
  const { messages } = await checkMoney(world.table, organizationId);
  const captured = messages.filter(({ hold }) => hold === 'captured');
  const abandoned = messages.filter(({ reason }) => reason === 'abandoned');
  expect([captured.length + abandoned.length, messages.length, await reported()]).toEqual([MESSAGES, MESSAGES, []]);
  for (const { id } of captured) expect(await callsOf(world.table, id)).toBe(1);
  for (const { id } of abandoned) expect(await callsOf(world.table, id)).toBe(0);
  const whole = (reference: number) => Array.from({ length: TOTAL }, (_, at) => `${reference}.${at + 1} `).join('');
  expect(messages.map(({ content }) => (content as { text: string }).text).sort()).toEqual(
    Array.from({ length: MESSAGES }, (_, reference) => whole(reference)).sort(),
  );
  await expect.poll(() => duePartsOf(world), { timeout: 60_000 }).toEqual([]);
  console.log(`killed ${KILLED} of ${PROCESSES}: ${captured.length} sent, ${abandoned.length} abandoned`);
});
