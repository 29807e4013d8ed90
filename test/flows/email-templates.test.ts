import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Client, Tenant } from '../support/api.ts';
import { chanceOf } from '../support/chance.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const PATH = '/v2/email/templates';
const A_TEMPLATE = {
  name: 'pedido-enviado',
  subject: '{{nome}}, seu pedido {{pedido}} saiu',
  source: '<p>Olá, {{nome}}! Pedido <b>{{pedido}}</b>.</p>',
  variables: [{ name: 'nome', example: 'Ana' }, { name: 'pedido' }],
};
const MJML = (text: string) =>
  `<mjml><mj-body>\n<mj-section><mj-column>\n<mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
const MJML_HEAD = (head: string, body = '') => `<mjml><mj-head>${head}</mj-head><mj-body>${body}</mj-body></mjml>`;

let owner: Tenant;
let client: Client;
const messaging = await sharedMessaging();
const fresh = async () => {
  owner = await messaging.tenant();
  client = owner.test;
};
const create = (fields: object = {}) => client.post(PATH, { ...A_TEMPLATE, ...fields });
/** Waits until the clock shows another millisecond: of two templates that are created within one, either may be listed first. */
const anotherMillisecond = async () => {
  const now = Date.now();
  while (Date.now() === now) await turn();
};
const patch = (id: string, body: object) => client.call('PATCH', `${PATH}/${id}`, { body });
const remove = (id: string) => client.call('DELETE', `${PATH}/${id}`);
const render = (id: string, variables: object) => client.post(`${PATH}/${id}/render`, { variables });

describe('a template', () => {
  beforeAll(fresh);

  test('is stored as given, listed without its contents, changed in part and deleted', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...A_TEMPLATE,
      organizationId: owner.id,
      format: 'html',
      html: A_TEMPLATE.source,
      version: 1,
    });
    expect(body.id).toMatch(/^etpl_[0-9A-Za-z]{21}$/);
    expect((await client.get(`${PATH}/${body.id}`)).body).toEqual(body);
    const { source: _, html: __, ...summary } = body;
    expect((await client.get(PATH)).body).toEqual({ items: [summary], total: 1 });

    const changed = await patch(body.id, { subject: 'Novo', text: 'Oi, {{nome}}' });
    expect(changed.body).toEqual({
      ...body,
      subject: 'Novo',
      text: 'Oi, {{nome}}',
      version: 2,
      updatedAt: changed.body.updatedAt,
    });
    expect((await patch(body.id, { text: null })).body.text).toBeUndefined();
    const last = (await client.get(`${PATH}/${body.id}`)).body;
    expect(last).toMatchObject({ subject: 'Novo', version: 3 });
    expect((await patch(body.id, { subject: 'Novo', text: null })).body).toEqual(last);

    expect((await remove(body.id)).status).toBe(204);
    expectProblem(await client.get(`${PATH}/${body.id}`), 404);
    expectProblem(await remove(body.id), 404);
    expect((await client.get(PATH)).body).toEqual({ items: [], total: 0 });
  });

  test('can reuse the name of a deleted or renamed one only; otherwise 409 with the id of its owner', async () => {
    const first = (await create({ name: 'um' })).body;
    const second = (await create({ name: 'dois' })).body;
    const meta = { field: 'name', templateId: first.id };
    expectProblem(await create({ name: 'um' }), 409, { meta });
    expectProblem(await patch(second.id, { name: 'um' }), 409, { meta });
    expect((await patch(first.id, { name: 'três' })).status).toBe(200);
    expect((await patch(second.id, { name: 'um' })).status).toBe(200);
    expect((await remove(first.id)).status).toBe(204);
    expect((await create({ name: 'três' })).status).toBe(201);
  });

  test('is found by a part of its name, ignoring case and accents', async () => {
    await fresh();
    for (const name of ['Confirmação de pedido', 'confirmacao antiga', 'Boleto']) {
      await create({ name });
      await anotherMillisecond();
    }
    const names = async (query: Record<string, string | number>) => {
      const { body } = await client.get(PATH, query);
      return { names: body.items.map((item: { name: string }) => item.name), total: body.total };
    };
    expect(await names({ q: 'CONFIRMAÇÃO' })).toEqual({
      names: ['confirmacao antiga', 'Confirmação de pedido'],
      total: 2,
    });
    expect(await names({ q: 'confirma', limit: 1, skip: 1 })).toEqual({ names: ['Confirmação de pedido'], total: 2 });
    expect(await names({ limit: 1 })).toEqual({ names: ['Boleto'], total: 3 });
    expect(await names({ q: 'nada' })).toEqual({ names: [], total: 0 });
  });

  test.each([
    ['a subject of two lines', { subject: 'Oi\r\nBcc: x@y.example' }, 'subject'],
    ['a placeholder without a name', { source: '<p>a\n{{#if x}}</p>' }, 'source'],
    ['an unclosed placeholder', { text: 'Oi {{nome' }, 'text'],
    ['a variable declared twice', { variables: [{ name: 'a' }, { name: 'a' }] }, 'variables.1.name'],
    ['a malformed variable', { variables: [{ name: '1a' }] }, 'variables.0.name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['an unknown field', { html: '<p></p>' }, 'html'],
  ])('is refused with the path of the fault: %s', async (_, fields, path) => {
    expectProblem(await create({ name: 'faulty', ...fields }), 422, { errors: [path] });
  });

  test('created 200 times concurrently under one name is one: the rest are 409', async () => {
    await fresh();
    const answers = await Promise.all(Array.from({ length: 200 }, () => create({ name: 'corrida' })));
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectProblem(answer, 409, { meta: { field: 'name', templateId: made[0]?.body.id } });
    expect((await client.get(PATH)).body.total).toBe(1);
  });

  test('that does not fit a row when compressed is refused and not stored', async () => {
    await fresh();
    const chance = chanceOf(7);
    const noise = Array.from({ length: 60_000 }, () => chance.next().toString(36).slice(2, 8)).join('');
    expectProblem(await create({ source: `<p>${noise.slice(0, 290_000)}</p>`, text: noise.slice(0, 290_000) }), 422, {
      errors: ['source'],
    });
    expect((await client.get(PATH)).body).toEqual({ items: [], total: 0 });
    expect((await create({ source: `<p>${'Olá '.repeat(120_000)}</p>` })).status).toBe(201);
  });
});

describe('MJML', () => {
  beforeAll(fresh);

  test('is compiled when it is saved, with its placeholders', async () => {
    const { status, body } = await create({ format: 'mjml', source: MJML('Olá, {{nome}}') });
    expect(status).toBe(201);
    expect(body.source).toBe(MJML('Olá, {{nome}}'));
    expect(body.html).toMatch(/^<!doctype html>[\s\S]*Olá, \{\{nome\}\}/);
    const changed = (await patch(body.id, { source: MJML('Oi, {{nome}}') })).body;
    expect(changed.html).toContain('Oi, {{nome}}');
    expect((await render(body.id, { nome: '<b>' })).body.html).toContain('Oi, &lt;b&gt;');
    expect((await patch(body.id, { format: 'html', source: '<p>x</p>' })).body.html).toBe('<p>x</p>');
  });

  test('inlines styles marked inline', async () => {
    const style = '<mj-style inline="inline">.a, p b { color: red; background: url(https://x.example/a) }</mj-style>';
    const body = '<mj-section><mj-column><mj-text css-class="a">x</mj-text></mj-column></mj-section>';
    const answer = await create({ name: 'inline', format: 'mjml', source: MJML_HEAD(style, body) });
    expect(answer.status).toBe(201);
    expect(answer.body.html).toMatch(/class="a"[^>]*color: red/);
  });

  test.each([
    ['an unknown element', MJML('x</mj-text><mj-zz/><mj-text>'), /^line 3: .*mj-zz/],
    [
      'an invalid value, which is not repeated',
      MJML('x</mj-text><mj-text color="segredo">'),
      /^line 3: Attribute color/,
    ],
    ['an include', MJML('x</mj-text>\n<mj-include path="/etc/passwd" /><mj-text>'), /^line 4: mj-include/],
    ['html', '<p>x</p>', /one mjml element/],
    [
      'a selector of later siblings',
      MJML_HEAD('<mj-style inline="inline">/* { */ i ~ p ~ p { color: red }'),
      /must not use ~/,
    ],
    [
      'a selector with an argument',
      MJML_HEAD('<mj-style inline="inline">:has(p) { color: red }</mj-style>'),
      /must not use ~/,
    ],
    [
      'a path of later siblings',
      MJML_HEAD('<mj-html-attributes><mj-selector path="b > i ~ p"></mj-selector></mj-html-attributes>'),
      /must not use ~/,
    ],
    [
      'inline styles that take too long',
      MJML_HEAD(
        `<mj-style inline="inline">${'* { color: red } '.repeat(4_000)}</mj-style>`,
        '<mj-raw><b></b></mj-raw>'.repeat(100),
      ),
      /too much inline style/,
    ],
    [
      'elements too deep',
      `<mjml><mj-body>${'<mj-wrapper>'.repeat(3_500)}${'</mj-wrapper>'.repeat(3_500)}</mj-body></mjml>`,
      /deep/,
    ],
    ['an unclosed element', '<mjml>\n<mj-body>\n<mj-section></mj-body></mjml>', /^line 3: mj-section is not/],
    ['an unclosed document', '<mjml><mj-body></mj-body>', /^line 1: mjml is not closed/],
    ['a closing tag without its opening tag', MJML('x</mj-text></mj-button><mj-text>'), /^line 3: mj-button is cl/],
    ['a source that is too long', MJML('x'.repeat(100_001)), /at most/],
  ])('with a fault is refused with the line: %s', async (_, source, message) => {
    const answer = await create({ name: 'faulty', format: 'mjml', source });
    expectProblem(answer, 422, { errors: ['source'] });
    expect(answer.body.errors[0].message).toMatch(message);
    expect(answer.text).not.toMatch(/segredo|passwd/);
  });
});

describe('rendering', () => {
  beforeAll(fresh);

  test('escapes values in html only, keeps the subject on one line and makes the text', async () => {
    const { id } = (await create()).body;
    const { status, body } = await render(id, { nome: 'Ana\r\nBcc: x', pedido: '<script>"&' });
    expect(status).toBe(200);
    expect(body).toEqual({
      subject: 'AnaBcc: x, seu pedido <script>"& saiu',
      html: '<p>Olá, Ana\nBcc: x! Pedido <b>&lt;script&gt;&quot;&amp;</b>.</p>',
      text: 'Olá, Ana Bcc: x! Pedido <script>"&.',
    });
  });

  test('uses the example of a missing value or else nothing, and the saved text if there is one', async () => {
    const { id } = (await create({ name: 'b', text: '{{nome}}/{{pedido}}/{{outro}}' })).body;
    expect((await client.post(`${PATH}/${id}/render`, {})).body).toEqual({
      subject: 'Ana, seu pedido  saiu',
      html: '<p>Olá, Ana! Pedido <b></b>.</p>',
      text: 'Ana//',
    });
  });

  test('is refused if a value makes the e-mail too large', async () => {
    const { id } = (await create({ name: 'c', source: '{{a}}'.repeat(90_000) })).body;
    expectProblem(await render(id, { a: 'x'.repeat(10_000) }), 422, { errors: ['variables'] });
  });

  test('needs templates:read, and saving needs templates:write', async () => {
    const { id } = (await create({ name: 'd' })).body;
    const reader = await messaging.limited(client, ['templates:read']);
    expect((await reader.post(`${PATH}/${id}/render`, {})).status).toBe(200);
    expectProblem(await reader.post(PATH, A_TEMPLATE), 403);
    const writer = await messaging.limited(client, ['templates:write']);
    expectProblem(await writer.get(PATH), 403);
  });
});
