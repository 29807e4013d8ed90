import { beforeAll, describe, expect, test } from 'vitest';
import { archiveFlow, createFlow, deleteFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { disconnectNumber } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { submitTemplate } from '../../shared/domain/channels/whatsapp/templates/submit.ts';
import { createTemplate, deleteTemplate } from '../../shared/domain/channels/whatsapp/templates/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { allowed, aNumber, portsOf, tenant } from './kit.ts';

let ports: ReturnType<typeof portsOf>['ports'];
const world = await use(startWorld('test'));
beforeAll(async () => {
  ({ ports } = portsOf(world));
});

const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
const layout = { type: 'SingleColumnLayout' as const, children: [] };
const flowJson = { version: '6.2', data_api_version: '3.0', screens: [{ id: 'A', terminal: true, layout }] };
const CATEGORIES = ['marketing', 'utility'] as const;
const LANGUAGES = ['pt-BR', 'en-US', 'es-ES'] as const;
const aTemplate = async (actor: Actor, numberId: Id<'number'>, turn: number) => {
  const [category, language] = [CATEGORIES[turn % 2] ?? 'utility', LANGUAGES[turn % 3] ?? 'pt-BR'];
  const wish = { numberId, name: `modelo${turn}`, language, category, components };
  return allowed(await createTemplate(ports, actor, wish));
};
const aFlow = async (actor: Actor, numberId: Id<'number'>, turn: number) => {
  const platformCategories = turn % 2 ? (['SURVEY', 'OTHER'] as const) : (['OTHER'] as const);
  return allowed(await createFlow(ports, actor, { numberId, name: `fluxo${turn}`, platformCategories, flowJson }));
};

/** Each list by a page function over one organization. */
const listsOf = ({ organizationId: id }: Actor) => ({
  numbers: (skip: number, limit: number) => ports.numbers.page(id, {}, { skip, limit }),
  templates: (skip: number, limit: number) => ports.templates.page(id, {}, { skip, limit }),
  flows: (skip: number, limit: number) => ports.flows.page(id, {}, { skip, limit }),
});

describe('a list', () => {
  test('of what was made in the same moment shows each once over its pages, in one order', async () => {
    const actor = await tenant(world);
    const { id: numberId } = await aNumber(ports, actor);
    const turns = Array.from({ length: 11 }, (_, turn) => turn);
    await Promise.all(
      turns.flatMap((turn) => [aNumber(ports, actor), aTemplate(actor, numberId, turn), aFlow(actor, numberId, turn)]),
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

  test('of templates by every combination of its filters is what a filter of the whole list gives, with its total', async () => {
    const actor = await tenant(world);
    const [one, two] = [await aNumber(ports, actor), await aNumber(ports, actor)];
    for (let turn = 0; turn < 12; turn++) {
      world.now += 1;
      const { id } = await aTemplate(actor, turn % 4 < 2 ? one.id : two.id, turn);
      if (turn % 5 < 2) allowed(await submitTemplate(ports, actor, id));
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
            expect([filter, found.total, found.items.map(({ id }) => id)]).toEqual([
              filter,
              wanted.length,
              wanted.slice(1, 3).map(({ id }) => id),
            ]);
          }
  });

  test('of flows by every combination of its filters is what a filter of the whole list gives, with its total', async () => {
    const actor = await tenant(world);
    const [one, two] = [await aNumber(ports, actor), await aNumber(ports, actor)];
    for (let turn = 0; turn < 12; turn++) {
      world.now += 1;
      const { id } = await aFlow(actor, turn % 4 < 2 ? one.id : two.id, turn);
      if (turn % 3 === 0) allowed(await publishFlow(ports, actor, id));
      if (turn % 3 === 1) allowed(await archiveFlow(ports, actor, id));
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
            expect([filter, found.total, found.items.map(({ id }) => id)]).toEqual([
              filter,
              wanted.length,
              wanted.slice(0, 3).map(({ id }) => id),
            ]);
          }
  });

  test('that changes while it is read has an exact total once it stands still', async () => {
    const actor = await tenant(world);
    const { id: numberId } = await aNumber(ports, actor);
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    await Promise.all(
      turns.map(async (turn) => {
        const [number, template, flow] = await Promise.all([
          aNumber(ports, actor),
          aTemplate(actor, numberId, turn),
          aFlow(actor, numberId, turn),
        ]);
        for (const page of Object.values(listsOf(actor))) expect((await page(0, 3)).total).toBeGreaterThan(0);
        if (turn % 3 > 0) return;
        await Promise.all([
          disconnectNumber(ports, actor, number.id),
          deleteTemplate(ports, actor, template.id),
          deleteFlow(ports, actor, flow.id, async () => undefined),
        ]);
      }),
    );
    const totals = await Promise.all(Object.values(listsOf(actor)).map(async (page) => (await page(0, 1)).total));
    expect(totals).toEqual([9, 8, 8]);
  });
});
