import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { Author } from '../../shared/domain/journeys/contacts-shown.ts';
import { createJourney, type DefinitionPorts } from '../../shared/domain/journeys/define.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';
import { triggerOf } from '../../shared/domain/journeys/trigger.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { lineageRows } from '../../shared/storage/journeys/journey-rows.ts';
import { journeyStore } from '../../shared/storage/journeys/journey-store.ts';
import { accepted } from '../support/accepted.ts';
import { definition, passo } from '../support/journeys/build.ts';
import { takeEvents } from '../support/takers.ts';

export const storeOver = (table: Table) =>
  journeyStore(table, {
    raised: () => {},
    sealer: { seal: async (_, __, value) => `sealed ${value}`, open: async (_, __, sealed) => sealed.slice(7) },
  });

/** The rules of journeys over a table; what they name is always there. */
export const portsOver = (table: Table, clock: () => number = Date.now): DefinitionPorts => ({
  clock,
  store: storeOver(table),
  refusal: () => undefined,
  check: async () => undefined,
  newSecret: () => 'whsec_secret',
  seal: async (_, __, secret) => `sealed ${secret}`,
  enqueue: () => {},
});

/** A caller of an organization that takes all events. */
export const newCaller = async (table: Table): Promise<Author> => {
  const organizationId = newId('organization');
  await takeEvents(table, 'test', organizationId);
  return { organizationId, env: 'test', credentialId: newId('apiKey'), scopes: new Set(['contacts:read', 'pii:full']) };
};

export const ON_SIGN_UP: Partial<JourneyDefinition> = { gatilho: { tipo: 'evento', nome: 'cadastro' } };
export const simple = (fields: Partial<JourneyDefinition> = {}): JourneyDefinition =>
  definition([passo('enviar', { canal: 'sms', texto: 'Oi' })], [], { ...ON_SIGN_UP, ...fields });

/** A draft of an organization. */
export const draft = async (table: Table, caller: Author, fields: Partial<JourneyDefinition> = {}) =>
  accepted(await createJourney(portsOver(table), caller, simple(fields))).journey;

/** The triggers of an organization's journeys, as they are stored. */
export const triggersOf = async (table: Table, organizationId: Id<'organization'>): Promise<string[]> => {
  const rows = await table.queryAll({
    partition: KEYS.journeyTrigger(organizationId, '', '', '').pk,
    consistent: true,
  });
  return rows.map(({ journeyId }) => String(journeyId)).toSorted();
};

export const lineageAt = async (table: Table, rootId: Id<'journey'>) => {
  const row = await table.get(KEYS.journeyLineage(rootId));
  return row && lineageRows.read(row);
};

/** Inconsistencies of an organization's journeys: triggers, lines and the count must match the versions. */
export const inconsistencies = async (
  table: Table,
  { organizationId }: Pick<Author, 'organizationId'>,
): Promise<string[]> => {
  const all = await storeOver(table).all(organizationId);
  const wrong: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown) => {
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) wrong.push(`${what}: ${one}, not ${other}`);
  };
  const triggers = all.flatMap((journey) => (triggerOf(journey) ? [journey.id as string] : [])).toSorted();
  compare('triggers', await triggersOf(table, organizationId), triggers);
  compare('count', await readCount(table, organizationId, 'journeys'), all.length);
  for (const [rootId, versions] of Map.groupBy(all, (journey) => journey.rootId)) {
    const lineage = await lineageAt(table, rootId);
    const drafts = versions.filter(({ status }) => status === 'rascunho').map(({ id }) => id);
    const running = versions.filter((one) => one.status !== 'rascunho' && !one.entriesClosed).map(({ id }) => id);
    compare('drafts', lineage?.draftId ? [lineage.draftId] : [], drafts);
    compare('running', lineage?.runningId ? [lineage.runningId] : [], running);
  }
  return wrong;
};
