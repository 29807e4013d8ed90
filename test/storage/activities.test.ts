import { describe, expect, test } from 'vitest';
import {
  changeActivity,
  completeActivity,
  createActivity,
  deleteActivity,
  findActivity,
} from '../../shared/domain/activities/activities.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { accepted } from '../support/accepted.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { use } from '../support/use.ts';
import { activityStage } from './activity-stage.ts';

const stage = await use(activityStage());
const { world } = stage;
const { activityPorts: ports } = stage;
const at = (minutes: number) => isoTime(world.now + minutes * 60_000);
const change = (id: Id<'activity'>, fields: Parameters<typeof changeActivity>[3]) =>
  changeActivity(ports, stage.actor, id, fields);
const totals = async () => {
  const { organizationId } = stage.actor;
  return [
    await readCount(world.table, organizationId, 'openActivities'),
    await readCount(world.table, organizationId, 'doneActivities'),
  ];
};
const contact = () => stage.create({ phone: '+5511988887010' });
const refused = (outcome: unknown) =>
  isRefusal(outcome as Refusal) ? (outcome as Refusal).details : expect.fail('a refusal');

describe('an activity', () => {
  test('is read as it was created, and counted by its state', async () => {
    const open = await stage.act({ venceEm: at(60), lembreteMinutos: 10, descricao: 'Com anexo' });
    const done = await stage.act({ concluida: true });
    expect(await stage.activityNow(open.id)).toEqual(open);
    expect(done.completedAt).toBe(world.now);
    expect(await totals()).toEqual([1, 1]);
    accepted(await completeActivity(ports, stage.actor, open.id));
    expect(await totals()).toEqual([0, 2]);
    accepted(await change(done.id, { concluida: false }));
    expect(await totals()).toEqual([1, 1]);
    expect(await deleteActivity(ports, stage.actor, done.id)).toBeUndefined();
    expect(await totals()).toEqual([0, 1]);
  });

  test('may name only what exists, and the refusal names the field', async () => {
    const links = [
      ['cardId', newId('card')],
      ['contatoId', newId('contact')],
      ['empresaId', newId('company')],
    ] as const;
    const known = await stage.act();
    for (const [field, id] of links) {
      const created = await createActivity(ports, stage.actor, { tipo: 'outro', titulo: 'x', [field]: id });
      expect(refused(created)).toMatchObject({ meta: { code: 'VINCULO_INVALIDO', campo: field } });
      expect(refused(await change(known.id, { [field]: id })).errors).toMatchObject([{ path: field }]);
    }
    const nobody = { ...ports, isActiveAccount: async () => false };
    const person = { tipo: 'outro', titulo: 'x', responsavelId: newId('account') } as const;
    expect(refused(await createActivity(nobody, stage.actor, person)).errors).toMatchObject([
      { path: 'responsavelId' },
    ]);
    expect(await totals()).toEqual([1, 0]);
  });

  test('keeps a responsible account that is no longer active until another is named', async () => {
    const id = newId('account');
    const activity = await stage.act({ responsavelId: id });
    const nobody = { ...ports, isActiveAccount: async () => false };
    expect(
      accepted(await changeActivity(nobody, stage.actor, activity.id, { responsavelId: id, titulo: 'y' })).title,
    ).toBe('y');
    expect(
      refused(await changeActivity(nobody, stage.actor, activity.id, { responsavelId: newId('account') })),
    ).toBeDefined();
  });

  test('needs a due time for a reminder', async () => {
    const created = await createActivity(ports, stage.actor, { tipo: 'outro', titulo: 'x', lembreteMinutos: 5 });
    expect(refused(created).errors).toMatchObject([{ path: 'lembreteMinutos' }]);
  });

  test('that a change leaves as it is writes nothing', async () => {
    const activity = await stage.act({ venceEm: at(60) });
    world.now += 1_000;
    expect(accepted(await change(activity.id, { titulo: activity.title, venceEm: at(60 - 1 / 60) }))).toEqual(activity);
  });

  test('of another organization is not there', async () => {
    const { id } = await stage.act();
    const other = { organizationId: newId('organization'), env: 'test' } as const;
    for (const outcome of [
      await findActivity(ports, other, id),
      await changeActivity(ports, other, id, { titulo: 'x' }),
      await deleteActivity(ports, other, id),
    ])
      expect(isRefusal(outcome as Refusal) && (outcome as Refusal).name).toBe('NOT_FOUND');
    expect(await stage.activityNow(id)).toBeDefined();
  });

  test('keeps each of 20 concurrent changes, and is counted by its final state', async () => {
    const { id, version } = await stage.act();
    const changes = Array.from({ length: 20 }, (_, nth) =>
      nth % 2 === 0 ? change(id, { concluida: nth % 4 === 0 }) : change(id, { descricao: `nota ${nth}` }),
    );
    for (const outcome of await Promise.all(changes)) accepted(outcome);
    const after = await stage.activityNow(id);
    // Each note is written, and at least one completion; others may find the activity as they want it.
    expect(after?.version).toBeGreaterThanOrEqual(version + 11);
    expect(after?.description).toMatch(/^nota \d+$/);
    expect(await totals()).toEqual(after?.completedAt === undefined ? [1, 0] : [0, 1]);
  });

  test('is created, changed and deleted once, wherever its process ends', async () => {
    const { id: contatoId } = await contact();
    await crashEverywhere(world.table, async (table) => {
      const over = stage.activityPortsOver(table);
      const activity = accepted(await createActivity(over, stage.actor, { tipo: 'outro', titulo: 'x', contatoId }));
      accepted(await completeActivity(over, stage.actor, activity.id));
      await deleteActivity(over, stage.actor, activity.id);
    });
    const [open, done] = await totals();
    const { items, total } = await stage.listed();
    expect([total, items.length]).toEqual([(open ?? 0) + (done ?? 0), total]);
  });
});

describe('a list of activities', () => {
  const titles = async (...given: Parameters<typeof stage.listed>) =>
    (await stage.listed(...given)).items.map(({ title }) => title);

  test('is in the order of when they are due, open and done together, those that never are last', async () => {
    await stage.act({ titulo: 'sem data 1' });
    world.now += 1_000;
    await stage.act({ titulo: 'sem data 2', concluida: true });
    await stage.act({ titulo: 'terceira', venceEm: at(30) });
    await stage.act({ titulo: 'primeira', venceEm: at(-30), concluida: true });
    await stage.act({ titulo: 'segunda', venceEm: at(10) });
    const all = ['primeira', 'segunda', 'terceira', 'sem data 1', 'sem data 2'];
    expect(await stage.listed()).toMatchObject({ total: 5 });
    expect(await titles()).toEqual(all);
    for (let skip = 0; skip < 6; skip++)
      expect(await titles({}, { skip, limit: 2 })).toEqual(all.slice(skip, skip + 2));
    expect(await titles({ isCompleted: false })).toEqual(['segunda', 'terceira', 'sem data 1']);
    expect(await titles({ from: world.now })).toEqual(['segunda', 'terceira']);
    expect(await titles({ to: world.now + 10 * 60_000 })).toEqual(['primeira', 'segunda']);
    expect(await titles({ from: world.now + 1, to: world.now })).toEqual([]);
  });

  test('is what all of its filters say, alone and together', async () => {
    const [{ id: contatoId }, cardId, empresaId] = [await contact(), await stage.makeCard(), await stage.makeCompany()];
    const responsavelId = newId('account');
    const values = {
      cardId,
      contatoId,
      empresaId,
      responsavelId,
      concluida: true,
      tipo: 'reuniao',
      venceEm: at(5),
    } as const;
    const names = Object.keys(values) as (keyof typeof values)[];
    // Every third subset of the fields, so that each pair is with and without each other one.
    const subsets = Array.from({ length: 2 ** names.length }, (_, bits) => bits).filter((bits) => bits % 3 === 0);
    const made = new Map<string, number>();
    for (const bits of subsets) {
      const chosen = names.filter((_, nth) => bits & (1 << nth));
      await stage.act({ titulo: `${bits}`, ...Object.fromEntries(chosen.map((name) => [name, values[name]])) });
      made.set(`${bits}`, bits);
    }
    const filters = {
      cardId: { cardId },
      contatoId: { contactId: contatoId },
      empresaId: { companyId: empresaId },
      responsavelId: { responsibleId: responsavelId },
      concluida: { isCompleted: true },
      tipo: { type: 'reuniao' },
      venceEm: { from: world.now, to: world.now + 3_600_000 },
    } as const;
    for (let bits = 0; bits < 2 ** names.length; bits++) {
      const wanted = names.filter((_, nth) => bits & (1 << nth));
      const filter = Object.assign({}, ...wanted.map((name) => filters[name]));
      const expected = [...made].filter(([, has]) => (has & bits) === bits).map(([title]) => title);
      const { items, total } = await stage.listed(filter, { skip: 0, limit: 200 });
      expect([wanted, total, items.map(({ title }) => title).toSorted()]).toEqual([
        wanted,
        expected.length,
        expected.toSorted(),
      ]);
    }
  });

  test('contains nothing of another organization, even by the id of its card or without a filter', async () => {
    const cardId = await stage.makeCard();
    await stage.act({ cardId });
    for (const filter of [{ cardId }, {}])
      expect(await ports.store.page(newId('organization'), filter, { skip: 0, limit: 10 })).toEqual({
        items: [],
        total: 0,
      });
  });

  test('loses the activities of a card with the card, and its total with them', async () => {
    const cardId = await stage.makeCard();
    const { id } = await stage.act({ titulo: 'do cartão', cardId, tipo: 'reuniao' });
    await stage.act({ titulo: 'outra', tipo: 'reuniao' });
    await stage.removeCard(cardId);
    for (const filter of [{}, { isCompleted: false }, { type: 'reuniao' } as const])
      expect(await stage.listed(filter)).toMatchObject({ items: [{ title: 'outra' }], total: 1 });
    expect(await stage.listed({ cardId })).toEqual({ items: [], total: 0 });
    expect(await stage.activityNow(id)).toBeUndefined();
    expect(isRefusal((await change(id, { titulo: 'x' })) as Refusal)).toBe(true);
  });
});

describe('activity.due', () => {
  test('is raised once at the reminder and once at the due time, however often its work is done', async () => {
    const card = await stage.makeCard();
    const { id } = await stage.act({ venceEm: at(60), lembreteMinutos: 15, cardId: card });
    await stage.tell(id);
    expect([stage.toldOf(id), await stage.isDue(id)]).toEqual([[], false]);
    world.now += 45 * 60_000;
    expect(await stage.isDue(id)).toBe(true);
    await Promise.all(Array.from({ length: 8 }, () => stage.tell(id)));
    expect(stage.toldOf(id)).toEqual(['lembrete']);
    world.now += 15 * 60_000;
    await Promise.all(Array.from({ length: 8 }, () => stage.tell(id)));
    await stage.tell(id);
    expect(stage.toldOf(id)).toEqual(['lembrete', 'vencimento']);
    expect(await stage.isDue(id)).toBe(false);
    expect(stage.eventsOf(id)[0]?.data).toEqual({
      activityId: id,
      tipo: 'tarefa',
      momento: 'lembrete',
      venceEm: at(0),
      cardId: card,
    });
  });

  test('is raised immediately, and once, for an activity that is overdue when it is created or changed, without its reminder', async () => {
    const created = await stage.act({ venceEm: at(-24 * 60), lembreteMinutos: 15 });
    const changed = await stage.act({ venceEm: at(60), lembreteMinutos: 15 });
    accepted(await change(changed.id, { venceEm: at(-1) }));
    for (const { id } of [created, changed]) {
      expect(await stage.isDue(id)).toBe(true);
      // Its work is not late: it was not there before.
      expect((await world.table.get(KEYS.activity(id)))?.dueAt).toBe(world.now);
      await Promise.all(Array.from({ length: 8 }, () => stage.tell(id)));
      expect([stage.toldOf(id), await stage.isDue(id)]).toEqual([['vencimento'], false]);
    }
    const done = await stage.act({ venceEm: at(-1), concluida: true });
    accepted(await change(done.id, { concluida: false }));
    await stage.tell(done.id);
    expect([stage.toldOf(done.id), await stage.isDue(done.id)]).toEqual([[], false]);
  });

  test('is raised for both moments by a worker that comes after both', async () => {
    const { id } = await stage.act({ venceEm: at(60), lembreteMinutos: 15 });
    world.now += 2 * 3_600_000;
    await stage.tell(id);
    expect(stage.toldOf(id)).toEqual(['lembrete', 'vencimento']);
  });

  test('is raised again after another date, and not for a completed or deleted activity', async () => {
    const [moved, done, gone] = [
      await stage.act({ venceEm: at(10) }),
      await stage.act({ venceEm: at(10) }),
      await stage.act({ venceEm: at(10) }),
    ];
    accepted(await completeActivity(ports, stage.actor, done.id));
    await deleteActivity(ports, stage.actor, gone.id);
    world.now += 10 * 60_000;
    for (const { id } of [moved, done, gone]) await stage.tell(id);
    accepted(await change(moved.id, { venceEm: at(5) }));
    world.now += 5 * 60_000;
    for (const { id } of [moved, done, gone]) await stage.tell(id);
    expect([moved, done, gone].map(({ id }) => stage.toldOf(id))).toEqual([['vencimento', 'vencimento'], [], []]);
  });

  test('is raised once where its process ends between any two calls', async () => {
    const { id } = await stage.act({ venceEm: at(1), lembreteMinutos: 1 });
    world.now += 60_000;
    const crashes = await crashEverywhere(world.table, (table) => stage.tell(id, table));
    expect(crashes).toBeGreaterThan(1);
    expect(await stage.storedEventsOf(id)).toEqual(['vencimento']);
  });
});
