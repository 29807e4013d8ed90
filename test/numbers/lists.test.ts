import { describe, expect, test } from 'vitest';
import { archiveFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { listFlows } from '../../shared/domain/channels/whatsapp/flows/list.ts';
import { deleteFlow, publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { flowView } from '../../shared/domain/channels/whatsapp/flows/views.ts';
import { disconnectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { accepted } from '../support/accepted.ts';
import { aFlow, aNumber, aTemplate, tenant, useNumbers } from './kit.ts';

const { world, ports } = await useNumbers('test');

const CATEGORIES = ['marketing', 'utility'] as const;
const LANGUAGES = ['pt-BR', 'en-US', 'es-ES'] as const;
const templateAt = (actor: Actor, numberId: Id<'number'>, turn: number) =>
  aTemplate(ports, actor, {
    numberId,
    category: CATEGORIES[turn % 2] ?? 'utility',
    language: LANGUAGES[turn % 3] ?? 'pt-BR',
  });
const flowAt = (actor: Actor, numberId: Id<'number'>, turn: number) =>
  aFlow(ports, actor, {
    numberId,
    name: `fluxo${turn}`,
    platformCategories: turn % 2 ? ['SURVEY', 'OTHER'] : ['OTHER'],
  });

/** Each list by a page function over one organization. */
const listsOf = ({ organizationId: id }: Actor) => ({
  numbers: (skip: number, limit: number) => ports.numbers.page(id, {}, { skip, limit }),
  templates: (skip: number, limit: number) => ports.templates.page(id, {}, { skip, limit }),
  flows: (skip: number, limit: number) => ports.flows.page(id, {}, { skip, limit }),
});

test('a page of 200 flows ends where the answer would exceed what Lambda returns, and the next one begins there', async () => {
  const actor = await tenant(world);
  const { id: numberId } = await aNumber(ports, actor);
  const { flowJson } = await aFlow(ports, actor, { numberId });
  const [screen] = flowJson.screens;
  const big = { ...flowJson, screens: [{ ...screen, data: { words: 'palavra '.repeat(12_000) } }] } as typeof flowJson;
  for (let turn = 0; turn < 70; turn++) await aFlow(ports, actor, { numberId, flowJson: big });
  const pages: string[][] = [];
  for (let skip = 0; skip < 71; skip += pages.at(-1)?.length ?? 71) {
    const page = await listFlows(ports.flows, actor, {}, { skip, limit: 200 });
    expect(page.total).toBe(71);
    expect(Buffer.byteLength(JSON.stringify(page.items.map(flowView)))).toBeLessThan(6_000_000);
    pages.push(page.items.map(({ id }) => id));
  }
  expect(pages.length).toBeGreaterThan(1);
  expect(new Set(pages.flat()).size).toBe(71);
});

describe('a list', () => {
  test('shows what was created in the same millisecond once over its pages, in one order', async () => {
    const actor = await tenant(world);
    const { id: numberId } = await aNumber(ports, actor);
    const turns = Array.from({ length: 11 }, (_, turn) => turn);
    await Promise.all(
      turns.flatMap((turn) => [
        aNumber(ports, actor),
        templateAt(actor, numberId, turn),
        flowAt(actor, numberId, turn),
      ]),
    );
    for (const [name, page] of Object.entries(listsOf(actor))) {
      const whole = (await page(0, 50)).items.map(({ id }) => id);
      const parts: string[] = [];
      for (let skip = 0; skip < 15; skip += 4) {
        const { items, total } = await page(skip, 4);
        expect([name, total]).toEqual([name, whole.length]);
        parts.push(...items.map(({ id }) => id));
      }
      expect([name, parts]).toEqual([name, whole]);
      expect([name, new Set(whole).size]).toEqual([name, name === 'numbers' ? 12 : 11]);
      expect((await page(50, 4)).items).toEqual([]);
    }
  });

  test('of templates matches every combination of its filters, with the exact total', async () => {
    const actor = await tenant(world);
    const [one, two] = [await aNumber(ports, actor), await aNumber(ports, actor)];
    for (let turn = 0; turn < 12; turn++) {
      world.now += 1;
      const { id } = await templateAt(actor, turn % 4 < 2 ? one.id : two.id, turn);
      if (turn % 5 < 2) accepted(await submitTemplate(ports, actor, id));
    }
    const { items: all } = await ports.templates.page(actor.organizationId, {}, { skip: 0, limit: 50 });
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort((a, b) => b - a));
    for (const status of [undefined, 'draft', 'approved'] as const)
      for (const category of [undefined, ...CATEGORIES])
        for (const language of [undefined, ...LANGUAGES])
          for (const numberId of [undefined, one.id, two.id]) {
            const filter = { status, category, language, numberId };
            const wanted = all.filter((each) =>
              Object.entries(filter).every(
                ([name, value]) => value === undefined || each[name as keyof typeof filter] === value,
              ),
            );
            const found = await ports.templates.page(actor.organizationId, filter, { skip: 1, limit: 2 });
            expect([filter, found]).toEqual([filter, { items: wanted.slice(1, 3), total: wanted.length }]);
          }
  });

  test('of flows matches every combination of its filters, with the exact total', async () => {
    const actor = await tenant(world);
    const [one, two] = [await aNumber(ports, actor), await aNumber(ports, actor)];
    for (let turn = 0; turn < 12; turn++) {
      world.now += 1;
      const { id } = await flowAt(actor, turn % 4 < 2 ? one.id : two.id, turn);
      if (turn % 3 === 0) accepted(await publishFlow(ports, actor, id));
      if (turn % 3 === 1) accepted(await archiveFlow(ports, actor, id));
    }
    const { items: all } = await ports.flows.page(actor.organizationId, {}, { skip: 0, limit: 50 });
    for (const status of [undefined, 'draft', 'active', 'archived'] as const)
      for (const platformStatus of [undefined, 'PUBLISHED', 'DRAFT'] as const)
        for (const category of [undefined, 'SURVEY', 'OTHER', 'SIGN_IN'] as const)
          for (const numberId of [undefined, one.id]) {
            const wanted = all.filter(
              (each) =>
                (status ?? each.status) === each.status &&
                (platformStatus === undefined || platformStatus === each.platformStatus) &&
                (category === undefined || each.platformCategories.includes(category)) &&
                (numberId ?? each.numberId) === each.numberId,
            );
            const filter = { status, platformStatus, category, numberId };
            const found = await ports.flows.page(actor.organizationId, filter, { skip: 0, limit: 3 });
            expect([filter, found]).toEqual([filter, { items: wanted.slice(0, 3), total: wanted.length }]);
          }
  });

  test('that changes while it is read has an exact total afterwards', async () => {
    const actor = await tenant(world);
    const { id: numberId } = await aNumber(ports, actor);
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    await Promise.all(
      turns.map(async (turn) => {
        const [number, template, flow] = await Promise.all([
          aNumber(ports, actor),
          templateAt(actor, numberId, turn),
          flowAt(actor, numberId, turn),
        ]);
        for (const page of Object.values(listsOf(actor))) expect((await page(0, 3)).total).toBeGreaterThan(0);
        if (turn % 3 > 0) return;
        await Promise.all([
          disconnectNumber(ports, actor, number.id),
          deleteTemplate(ports, actor, template.id),
          deleteFlow(ports, actor, flow.id),
        ]);
      }),
    );
    const totals = await Promise.all(Object.values(listsOf(actor)).map(async (page) => (await page(0, 1)).total));
    expect(totals).toEqual([9, 8, 8]);
  });
});
