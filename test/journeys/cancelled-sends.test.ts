import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import type { StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await useContendedTable();
const now = Date.parse('2026-03-10T12:00:00Z');

test('a message that two workers sent while its run was cancelled is in the history once, and counts as no second visit', async () => {
  const outside = new Outside();
  const own = journeysOver(table, () => now, outside);
  const tenant = await newOrganization(table);
  const passos = [passo('enviar', { canal: 'sms', texto: 'Oi' }), passo('sair', {})];
  const journey = await activeJourney(own, tenant, { passos, ligacoes: ligacoes('enviar > sair') });
  const [contact] = (await addContacts(table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: contact.id, cause: { key: 'entry', at: now } }]);
  const runOf = async () => (await own.runsOf(journey, contact.id)) as StoredRun;
  const { id } = (await runOf()).run;
  let workers = 0;
  const cancelled = Promise.withResolvers<void>();
  const perform: typeof own.ports.perform = async (context, effect) => {
    const result = await outside.perform(context, effect);
    if (++workers === 2) {
      await moveRun(own.ports, id, { kind: 'cancel', reason: 'operador' });
      cancelled.resolve();
    }
    await cancelled.promise;
    return result;
  };
  const work = () => moveRun({ ...own.ports, perform }, id, { kind: 'due' });
  await Promise.all([work(), work()]);
  await work();
  const stored = await runOf();
  expect(stored.run.status).toBe('cancelada');
  const history = await own.ports.runs.historyOf(stored);
  expect(history.map(({ step, result }) => `${step} ${result}`)).toEqual(['enviar cancelada', 'enviar enviada']);
  expect(history.at(-1)?.messageId).toMatch(/^msg_/);
  expect(await own.counts(journey)).toMatchObject({ '': { canceladas: 1 }, enviar: { entraram: 1, sairam: 1 } });
});
