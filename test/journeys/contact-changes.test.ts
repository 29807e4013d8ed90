import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { EnginePorts } from '../../shared/domain/journeys/engine-ports.ts';
import { moveDueRun } from '../../shared/domain/journeys/move-run.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await useContendedTable();
const now = Date.parse('2026-03-10T12:00:00Z');

test('a condition sees the tags and attributes that the steps before it gave the contact', async () => {
  const own = journeysOver(table, () => now, new Outside());
  const tenant = await newOrganization(table);
  const has = (filter: object) => ({ filterTree: { kind: 'leaf', filter } }) as never;
  const journey = await activeJourney(own, tenant, {
    passos: [
      passo('etiqueta', { adicionar: 'vip' }),
      passo('condicao', has({ field: 'tag', operator: 'is', value: 'vip' }), 'tem_etiqueta'),
      passo('atributo', { chave: 'plano', valor: 'ouro' }),
      passo('condicao', has({ field: 'attribute', operator: 'is', key: 'plano', value: 'ouro' }), 'tem_plano'),
    ],
    ligacoes: ligacoes('etiqueta > tem_etiqueta', 'tem_etiqueta sim> atributo', 'atributo > tem_plano'),
  });
  let [contact] = (await addContacts(table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: contact.id, cause: { key: 'entry', at: now } }]);
  const ports: EnginePorts = {
    ...own.ports,
    contactOf: async () => contact,
    perform: async (_, effect) => {
      if (effect.kind === 'tag') contact = { ...contact, tags: [...contact.tags, ...effect.add] };
      if (effect.kind === 'attribute')
        contact = { ...contact, attributes: { ...contact.attributes, [effect.key]: effect.value } };
      return { kind: 'done' };
    },
  };
  const before = await own.runsOf(journey, contact.id);
  await moveDueRun(ports, before?.run.id as never);
  const after = await own.runsOf(journey, contact.id);
  expect(after?.history.map(({ step, result }) => `${step} ${result}`)).toEqual([
    'etiqueta feito',
    'tem_etiqueta sim',
    'atributo feito',
    'tem_plano sim',
  ]);
});
