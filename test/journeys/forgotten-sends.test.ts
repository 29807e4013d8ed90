import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { EnginePorts } from '../../shared/domain/journeys/engine-ports.ts';
import { moveDueRun } from '../../shared/domain/journeys/move-run.ts';
import { newOrganization } from '../lists/stage.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await use(startWorld('test'));
let now = 0;
const outside = new Outside();
const own = journeysOver(table, () => now, outside);

/** 21:59:50 in São Paulo: ten seconds before the journey's silence. */
const BEFORE_SILENCE = Date.parse('2026-03-11T00:59:50Z');

/** A run at a send whose worker ended before the silence began: once it had sent, or before. */
const left = async (hadSent: boolean) => {
  now = BEFORE_SILENCE;
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, {
    passos: [passo('enviar', { canal: 'sms', texto: 'Oi' }), passo('esperar', { dias: 1 })],
    ligacoes: ligacoes('enviar > esperar'),
    silencio: { inicio: '22:00', fim: '08:00' },
  });
  const [contact] = (await addContacts(table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: contact.id, cause: { key: 'entry', at: now } }]);
  const run = (await own.runsOf(journey, contact.id))?.run;
  if (!run) throw new Error('no run');
  const perform: EnginePorts['perform'] = async (context, effect) => {
    if (hadSent) await outside.perform(context, effect);
    throw new Error('the process ends');
  };
  await expect(moveDueRun({ ...own.ports, perform }, run.id)).rejects.toThrow('the process ends');
  now += 60_000;
  await moveDueRun(own.ports, run.id);
  const stored = await own.runsOf(journey, contact.id);
  const sends = [...outside.done.values()].filter(({ runId }) => runId === run.id);
  return { run: stored?.run, history: stored?.history, sends };
};

test('a run whose message was accepted by a crashed process records it immediately, although its repeat is within quiet hours', async () => {
  const { run, history, sends } = await left(true);
  expect(history).toMatchObject([{ step: 'enviar', result: 'enviada', messageId: expect.stringMatching(/^msg_/) }]);
  expect(run).toMatchObject({ step: 'esperar', wait: { kind: 'duration' } });
  expect(sends).toMatchObject([{ times: 1 }]);
});

test('a run whose message was not accepted waits until quiet hours end', async () => {
  const { run, history, sends } = await left(false);
  expect(history).toEqual([]);
  expect(run).toMatchObject({ step: 'enviar', wait: { kind: 'quiet' } });
  expect(sends).toEqual([]);
});
