import * as z from 'zod';
import { createActivity } from '../../shared/domain/activities/activities.ts';
import type { Activity } from '../../shared/domain/activities/activity.ts';
import type { ActivityFields } from '../../shared/domain/activities/fields.ts';
import { publishMoments } from '../../shared/domain/activities/moments.ts';
import type { ActivityPorts } from '../../shared/domain/activities/ports.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { activityStore, momentStore } from '../../shared/storage/activities/activities.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { tombstoneWrite } from '../../shared/storage/crm/tombstones.ts';
import { COMPANY_SHARDS } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { overdue } from '../support/index-entries.ts';
import { mergeStage } from './contact-merge-stage.ts';

const eventData = z.object({ data: z.record(z.string(), z.unknown()) });

/** A stage with contacts whose activities are stored; cards and companies are the rows that links refer to. */
export const activityStage = async () => {
  const stage = await mergeStage();
  const { world } = stage;
  const raised: DomainEvent[] = [];
  const portsOver = (table: Table): ActivityPorts => ({
    clock: () => world.now,
    store: activityStore(table),
    isActiveAccount: async () => true,
  });
  const momentsOver = (table: Table) => ({
    clock: () => world.now,
    ...momentStore(table, (events) => void raised.push(...events)),
  });
  const org = () => stage.actor.organizationId;
  const ports = portsOver(world.table);
  return Object.assign(stage, {
    activityPorts: ports,
    activityPortsOver: portsOver,
    act: async (fields: Partial<ActivityFields> = {}): Promise<Activity> =>
      accepted(await createActivity(ports, stage.actor, { tipo: 'tarefa', titulo: 'Enviar contrato', ...fields })),
    activityNow: (id: Id<'activity'>) => ports.store.read(org(), id),
    listed: (filter: Parameters<typeof ports.store.page>[1] = {}, page = { skip: 0, limit: 50 }) =>
      ports.store.page(org(), filter, page),
    /** The work of a worker. */
    tell: (id: Id<'activity'>, table = world.table) => publishMoments(momentsOver(table), id),
    isDue: async (id: Id<'activity'>) =>
      (await overdue(world.table, 'tell_activity', world.now, 1_000)).some(({ pk }) => pk === KEYS.activity(id).pk),
    /** The due times in an activity's stored events. */
    storedEventsOf: async (id: Id<'activity'>) => {
      const rows = await world.table.getMany(await overdue(world.table, 'publish_event', world.now, 10_000));
      const datas = rows.map((row) => eventData.parse(row).data);
      return datas.filter(({ activityId }) => activityId === id).map(({ momento }) => momento);
    },
    /** The due times in an activity's events. */
    toldOf: (id: Id<'activity'>) =>
      raised.filter(({ data }) => data.activityId === id).map(({ data }) => String(data.momento)),
    eventsOf: (id: Id<'activity'>) => raised.filter(({ data }) => data.activityId === id),
    makeCard: async (): Promise<Id<'card'>> => {
      const id = newId('card');
      await world.table.write({ put: { ...KEYS.card(id), org: org() } });
      return id;
    },
    removeCard: async (id: Id<'card'>): Promise<void> => {
      await world.table.transact([
        { delete: KEYS.card(id) },
        tombstoneWrite({ organizationId: org(), id, at: world.now }),
      ]);
    },
    makeCompany: async (): Promise<Id<'company'>> => {
      const id = newId('company');
      const shards = Array.from({ length: COMPANY_SHARDS }, (_, shard) => KEYS.companyCounts(id, shard));
      await world.table.putMany(shards.map((key) => ({ ...key, org: org() })));
      return id;
    },
  });
};
