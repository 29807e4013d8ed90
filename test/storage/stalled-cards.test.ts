import { describe, expect, test } from 'vitest';
import { closeCard, moveCard } from '../../shared/domain/cards/moves.ts';
import { checkCard, type StalledPorts, sweepStages } from '../../shared/domain/cards/stalled.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { changeStage } from '../../shared/domain/pipelines/stages.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { isCard, PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { copiesIn, done, startSales } from './cards-kit.ts';

const world = await use(startWorld('test'));
const DAY_MS = 24 * 3_600_000;

const start = async () => {
  const stages = [
    { nome: 'Um', tempoMaximoDias: 2 },
    { nome: 'Dois', tempoMaximoDias: 5 },
    { nome: 'Fim', tipo: 'ganho' },
  ] as const;
  const sales = await startSales(world.table, () => world.now, stages);
  const ports: StalledPorts = {
    clock: () => world.now,
    store: sales.ports.cards.store,
    pipelines: sales.ports.pipelines.store,
    enqueueSweep: () => {},
  };
  /** Does the work that is due. */
  const work = async (): Promise<number> => {
    const items = await overdue(world.table, 'check_cards', world.now, 100);
    for (const item of items) {
      if (isCard(item)) await checkCard(ports, PARSE_KEY.card(item));
      else await sweepStages(ports, PARSE_KEY.pipeline(item));
    }
    return items.length;
  };
  const read = async (id: Id<'card'>) => {
    const card = await sales.ports.cards.store.read(sales.caller.organizationId, id);
    if (!card) throw new Error('There is no such card.');
    return card;
  };
  const histories = async (id: Id<'card'>) => {
    const rows = await world.table.queryAll({ partition: KEYS.card(id).pk, consistent: true });
    return rows.filter(({ act }) => act === 'parado').length;
  };
  return { ...sales, work, read, histories };
};

describe('a card that stays too long in its stage', () => {
  test('is marked once, by due work; moving it clears the mark', async () => {
    const { create, work, read, histories, stage, ports, caller } = await start();
    const { id } = await create();
    world.now += 2 * DAY_MS - 1;
    expect(await work()).toBe(0);
    world.now += 1;
    expect(await work()).toBe(1);
    expect(await read(id)).toMatchObject({ stalled: true });
    expect((await copiesIn(world.table, stage(0).id))[0]?.stalled).toBe(true);
    world.now += 10 * DAY_MS;
    expect(await work()).toBe(0);
    expect(await histories(id)).toBe(1);
    await done(moveCard(ports.cards, caller, id, { estagioId: stage(1).id }));
    expect((await read(id)).stalled).toBe(false);
    world.now += 5 * DAY_MS;
    await work();
    expect(await read(id)).toMatchObject({ stalled: true });
    expect(await histories(id)).toBe(2);
  });

  test('is not marked again by a check of its stage after the limit changed', async () => {
    const { create, work, read, histories, stage, pipeline, ports, caller } = await start();
    const { id } = await create();
    world.now += 3 * DAY_MS;
    await work();
    expect(await histories(id)).toBe(1);
    const ids = { id: pipeline.id, stageId: stage(0).id };
    await done(changeStage(ports.pipelines, caller, ids, { tempoMaximoDias: 1 }));
    await work();
    expect([(await read(id)).stalled, await histories(id)]).toEqual([true, 1]);
    // Checks the stage once more, later, so that the due rows are the next test's.
    do world.now += DAY_MS;
    while ((await work()) > 0);
  });

  test('is checked at the time due before its move, and then when its new stay exceeds the limit', async () => {
    const { create, work, read, stage, ports, caller } = await start();
    const { id } = await create();
    world.now += DAY_MS;
    await done(moveCard(ports.cards, caller, id, { estagioId: stage(1).id }));
    world.now += DAY_MS;
    expect(await work()).toBe(1);
    expect((await read(id)).stalled).toBe(false);
    world.now += 4 * DAY_MS - 1;
    expect(await work()).toBe(0);
    world.now += 1;
    await work();
    expect((await read(id)).stalled).toBe(true);
  });

  test('is not marked once it is won', async () => {
    const { create, work, read, ports, caller } = await start();
    const { id } = await create();
    await done(closeCard(ports.cards, caller, id, 'ganho'));
    world.now += 9 * DAY_MS;
    expect(await work()).toBe(1);
    expect(await read(id)).toMatchObject({ stalled: false, status: 'ganho' });
    expect(await work()).toBe(0);
  });

  test("is checked again when its stage's limit changes, until no process moves cards by the old one", async () => {
    const { create, work, read, stage, pipeline, ports, caller } = await start();
    const { id } = await create();
    const change = (tempoMaximoDias: number | null) =>
      done(changeStage(ports.pipelines, caller, { id: pipeline.id, stageId: stage(0).id }, { tempoMaximoDias }));
    world.now += DAY_MS;
    await change(1);
    expect(await work()).toBe(1);
    expect((await read(id)).stalled).toBe(true);
    expect(await work()).toBe(0);
    await change(30);
    await work();
    expect((await read(id)).stalled).toBe(false);
    world.now += 60_000;
    expect(await work()).toBe(1);
    expect(await work()).toBe(0);
    await change(null);
    await work();
    expect((await read(id)).checkAt).toBeUndefined();
    world.now += 90 * DAY_MS;
    await work();
    expect((await read(id)).stalled).toBe(false);
  });
});
