import { describe, expect, test } from 'vitest';
import type { EmailTemplate, TemplateSavePorts } from '../../shared/domain/channels/email/template.ts';
import {
  changeTemplate,
  createTemplate,
  deleteTemplate,
  findTemplate,
  type NewTemplate,
  renderSavedTemplate,
} from '../../shared/domain/channels/email/templates.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal, type Refusal } from '../../shared/domain/core/errors.ts';
import { emailTemplateStore } from '../../shared/storage/email/templates.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const ports: TemplateSavePorts = {
  clock: () => world.now,
  store: emailTemplateStore(world.table),
  compileMjml: async (source) => ({ kind: 'html', html: `<i>${source}</i>` }),
};

const NEW: NewTemplate = { name: 'um', subject: 'Oi {{nome}}', format: 'html', source: '<p>{{nome}}</p>' };
const create = async (actor: Actor, over: Partial<NewTemplate> = {}) =>
  accepted(await createTemplate(ports, actor, { ...NEW, ...over }));
const total = async ({ organizationId }: Actor) =>
  (await ports.store.page(organizationId, undefined, { skip: 0, limit: 1 })).total;

const loseNextAnswer = () => world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));

describe('when the answer to its commit was lost', () => {
  test('a creation is one template, counted once, under its own name', async () => {
    const actor = await world.organization();
    loseNextAnswer();
    const { id } = await create(actor);
    expect(await total(actor)).toBe(1);
    expect(await ports.store.named(actor.organizationId, 'um')).toBe(id);
  });

  test('a change is made once', async () => {
    const actor = await world.organization();
    const { id } = await create(actor);
    loseNextAnswer();
    expect(accepted(await changeTemplate(ports, actor, id, { name: 'dois', subject: 'Novo' }))).toMatchObject({
      version: 2,
    });
    expect(accepted(await findTemplate(ports, actor, id))).toMatchObject({ name: 'dois', subject: 'Novo', version: 2 });
    expect(await ports.store.named(actor.organizationId, 'um')).toBeUndefined();
  });

  test('a deletion is made once, and is answered as one', async () => {
    const actor = await world.organization();
    const { id } = await create(actor);
    loseNextAnswer();
    expect(await deleteTemplate(ports, actor, id)).toBeUndefined();
    expect(await total(actor)).toBe(0);
    expect(isRefusal(await deleteTemplate(ports, actor, id))).toBe(true);
  });
});

test('variables of up to 25,000 bytes together are kept; more is refused and names them', async () => {
  const actor = await world.organization();
  const variables = (bytes: number) => [
    { name: 'v', example: 'é'.repeat((bytes - JSON.stringify([{ name: 'v', example: '' }]).length) / 2) },
  ];
  const { id } = await create(actor, { variables: variables(25_000) });
  expect(accepted(await findTemplate(ports, actor, id)).variables).toEqual(variables(25_000));
  const refusal = await changeTemplate(ports, actor, id, { variables: variables(25_002) });
  expect(refusal).toMatchObject({ name: 'VALIDATION_ERROR', details: { errors: [{ path: 'variables' }] } });
});

describe('concurrent changes', () => {
  test('of different fields are all kept, each with a version of its own', async () => {
    const actor = await world.organization();
    const { id } = await create(actor);
    const changes = [{ subject: 'A' }, { source: '<p>B</p>' }, { text: 'C' }, { variables: [{ name: 'd' }] }];
    const outcomes = await Promise.all(changes.map((change) => changeTemplate(ports, actor, id, change)));
    const versions = outcomes.map((outcome) => accepted(outcome as EmailTemplate | Refusal).version);
    expect(versions.sort()).toEqual([2, 3, 4, 5]);
    expect(accepted(await findTemplate(ports, actor, id))).toMatchObject({
      subject: 'A',
      html: '<p>B</p>',
      text: 'C',
      variables: [{ name: 'd' }],
      version: 5,
    });
  });

  test('to one name end with one holder', async () => {
    const actor = await world.organization();
    const made = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => create(actor, { name })));
    const outcomes = await Promise.all(made.map(({ id }) => changeTemplate(ports, actor, id, { name: 'x' })));
    const [winner, ...more] = outcomes.flatMap((outcome) => (isRefusal(outcome) ? [] : [outcome.id]));
    expect(more).toEqual([]);
    expect(await ports.store.named(actor.organizationId, 'x')).toBe(winner);
  });

  test('and deletions leave nothing of the template behind', async () => {
    const actor = await world.organization();
    const { id } = await create(actor);
    await Promise.all([
      ...Array.from({ length: 10 }, (_, at) => changeTemplate(ports, actor, id, { name: `nome ${at}` })),
      ...Array.from({ length: 3 }, () => deleteTemplate(ports, actor, id)),
    ]);
    expect(isRefusal(await findTemplate(ports, actor, id))).toBe(true);
    expect(await total(actor)).toBe(0);
    for (const name of ['um', ...Array.from({ length: 10 }, (_, at) => `nome ${at}`)])
      expect(await ports.store.named(actor.organizationId, name)).toBeUndefined();
  });
});

describe('a saved template', () => {
  test('is rendered by its id or its name, in its own organization alone', async () => {
    const [actor, stranger] = [await world.organization(), await world.organization()];
    const { id } = await create(actor, { name: 'Confirmação', format: 'mjml', source: 'Oi {{nome}}' });
    const expected = { templateId: id, subject: 'Oi <b>', html: '<i>Oi &lt;b&gt;</i>', text: 'Oi <b>' };
    for (const key of [id, 'Confirmação', 'Confirmac\u0327a\u0303o'])
      expect(await renderSavedTemplate(ports, actor.organizationId, key, { nome: '<b>' })).toEqual(expected);
    for (const key of [id, 'Confirmação'])
      expect(await renderSavedTemplate(ports, stranger.organizationId, key, {})).toBeUndefined();
    expect(await renderSavedTemplate(ports, actor.organizationId, 'outro', {})).toBeUndefined();
  });

  test('is read as it was written, whatever it contains', async () => {
    const actor = await world.organization();
    const source = `<p>${'ç€ 🙂 \u0001'.repeat(20_000)}</p>`;
    const { id } = await create(actor, { source, text: 'Oi' });
    expect(accepted(await findTemplate(ports, actor, id))).toMatchObject({ source, html: source, text: 'Oi' });
  });
});
