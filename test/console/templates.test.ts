import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { connectNumber } from '../flows/support.ts';
import type { Tenant } from '../support/api.ts';
import { listening } from '../support/loopback.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
/** Another site: what is asked of it, by path. */
const startSite = async () => {
  const requested: string[] = [];
  const site = createServer(({ url = '' }, response) => {
    requested.push(url);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Elsewhere</title>');
  });
  return { requested, ...(await listening(site)) };
};
const elsewhere = await use(startSite());

const ATTACK = '<img src=x onerror="document.title=\'attacked\'">';
const BODY = {
  type: 'BODY',
  payload: { text: 'Olá, *{{1}}*! O pedido {{2}} saiu.', example: { body_text: [['Ana', 'A-1842']] } },
};
const create = async ({ test: client }: Tenant, fields: object = {}) => {
  const numberId = await connectNumber(client);
  const template = { name: 'pedido_enviado', language: 'pt-BR', category: 'utility', components: [BODY] };
  const { status, body, text } = await client.post('/v2/templates', { numberId, ...template, ...fields });
  expect(status, text).toBe(201);
  return body;
};
const createEmail = async ({ test: client }: Tenant, fields: object = {}) => {
  const template = { name: 'Boas-vindas', subject: 'Oi, {{nome}}', source: '<p>Oi, {{nome}}!</p>' };
  const variables = [{ name: 'nome', example: 'Ana' }];
  const { status, body, text } = await client.post('/v2/email/templates', { ...template, variables, ...fields });
  expect(status, text).toBe(201);
  return body;
};
const contactOf = async ({ test: client }: Tenant, fields: object): Promise<string> => {
  const { status, body } = await client.post('/contacts', { phone: '+5511999990005', ...fields });
  expect(status).toBe(201);
  return body.id;
};
const confirm = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
};
/** The displayed HTML of a template: a frame in the preview's frame. */
const shown = (page: Page) => page.frameLocator('iframe.html-preview').frameLocator('iframe');
const idIn = (page: Page): string => page.url().replace(/.*\//, '');
const device = (page: Page) => page.locator('.device');

describe('templates', () => {
  test('are written where there was none, submitted, and shown with what Meta says of them', async () => {
    const tenant = await service.tenant();
    await connectNumber(tenant.test);
    const page = await service.signedIn(tenant, 'developer');
    await page.getByRole('link', { name: 'Modelos' }).click();
    await page.getByRole('heading', { name: 'Nenhum modelo aqui' }).waitFor();
    await inspect(page, 'templates-empty');
    await page.getByRole('link', { name: 'Novo modelo' }).click();
    await page.getByLabel(/^Número de WhatsApp/).selectOption({ index: 1 });
    await page.getByLabel(/^Nome/).fill('oferta_rejected');
    await page.getByLabel('Categoria').selectOption('marketing');
    await page.getByLabel('Texto', { exact: true }).fill('Oi, {{nome}}! *Só hoje*.');
    await page.getByLabel('Rodapé').fill('Responda SAIR');
    await page.getByRole('button', { name: 'Novo botão' }).click();
    await page.getByLabel('Texto do botão').fill('Quero');
    await page.getByRole('button', { name: 'Novo modelo' }).click();
    await page
      .getByRole('alert')
      .getByText(/components\.0\.payload\.example/)
      .first()
      .waitFor();
    await page.getByLabel('Exemplo de {{nome}}').fill('Ana');
    await device(page).getByText('Oi, Ana!').waitFor();
    expect(await device(page).locator('strong').allTextContents()).toEqual(['Só hoje']);
    await inspect(page, 'template-new');
    await page.getByRole('button', { name: 'Novo modelo' }).click();
    await page.getByRole('heading', { name: 'oferta_rejected', level: 1 }).waitFor();
    const id = idIn(page);
    expect((await tenant.test.get(`/v2/templates/${id}`)).body.components).toEqual([
      {
        type: 'BODY',
        payload: {
          text: 'Oi, {{nome}}! *Só hoje*.',
          example: { body_text_named_params: [{ param_name: 'nome', example: 'Ana' }] },
        },
      },
      { type: 'FOOTER', payload: { text: 'Responda SAIR' } },
      { type: 'BUTTONS', payload: { buttons: [{ type: 'QUICK_REPLY', text: 'Quero' }] } },
    ]);
    await confirm(page, 'Enviar para aprovação');
    await page.getByText('A Meta rejeitou este modelo').waitFor();
    await page.getByText('INVALID_FORMAT').waitFor();

    await page.getByRole('link', { name: 'Editar' }).click();
    await page.getByLabel('Rodapé').fill('');
    await page.getByText('Tudo em JSON: mídia, carrossel, oferta').click();
    const json = page.getByLabel('Componentes');
    const components = await json.inputValue();
    await json.fill('[{');
    await page.getByText('Isto não é JSON.').waitFor();
    await page.evaluate("document.querySelectorAll('details').forEach((section) => { section.open = false; })");
    await page.getByRole('button', { name: 'Salvar' }).click();
    // Not submitted: the browser opens the section and shows the field that is in the way.
    const inFocus = () => page.evaluate("document.activeElement.getAttribute('aria-invalid')");
    await expect.poll(inFocus, PATIENCE).toBe('true');
    await json.fill(components);
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('Rascunho').waitFor();
    const changed = (await tenant.test.get(`/v2/templates/${id}`)).body;
    expect([changed.status, changed.version, changed.components.length]).toEqual(['draft', 2, 2]);
    await confirm(page, 'Apagar');
    await page.getByRole('heading', { name: 'Nenhum modelo aqui' }).waitFor();
    expectNoFaults(page);
  });

  test('are shown as on each device, an SMS counted by the service, and filled with a contact', async () => {
    const tenant = await service.tenant();
    const { id } = await create(tenant, {
      components: [
        { type: 'HEADER', payload: { format: 'TEXT', text: 'Pedido' } },
        BODY,
        { type: 'BUTTONS', payload: { buttons: [{ type: 'URL', text: 'Ver', url: 'https://loja.example/p' }] } },
      ],
    });
    await tenant.test.call('POST', `/v2/templates/${id}/submit`);
    const contactId = await contactOf(tenant, { name: 'Bia', attributes: { 2: 'B-7' } });
    const page = await service.signedInAt('/console/templates', tenant);
    await page.getByRole('link', { name: 'pedido_enviado' }).waitFor();
    await inspect(page, 'templates');
    await page.getByLabel('Situação').selectOption('rejected');
    await page.getByText('Nenhum modelo corresponde aos filtros.').waitFor();
    await page.goto(`/console/templates/${id}`);
    await device(page).getByText('O pedido A-1842 saiu.').waitFor();
    expect(await device(page).innerText()).toContain('Pedido');
    expect(await device(page).innerText()).toContain('Ver');
    expect(await device(page).locator('a').count()).toBe(0);
    await inspect(page, 'template');
    await page.getByLabel('Identificador do contato').fill(contactId);
    await page.getByRole('button', { name: 'Preencher' }).click();
    await page.getByText('Com os dados de Bia.').waitFor();
    await device(page).getByText('O pedido B-7 saiu.').waitFor();
    await page.getByRole('region', { name: 'O que este envio faria' }).getByText('Custa').waitFor();
    await page.getByText('SMS', { exact: true }).click();
    await device(page).getByText('Olá, *Bia*!').waitFor();
    const expected = (await tenant.test.post('/v2/sms/preview', { body: 'Olá, *Bia*! O pedido B-7 saiu.' })).body;
    await device(page)
      .getByText(`${expected.segments} partes · ${expected.length} caracteres · ${expected.encoding}`)
      .waitFor();
    await inspect(page, 'template-sms');
    await page.getByText('Push', { exact: true }).click();
    await device(page).getByText('Seu aplicativo').waitFor();
    await inspect(page, 'template-push');
    expectNoFaults(page);
  });

  test('of e-mail are written in MJML, filled by the service with a contact, and changed', async () => {
    const tenant = await service.tenant();
    const contactId = await contactOf(tenant, { name: 'Bia <b>' });
    const page = await service.signedInAt('/console/templates/email', tenant);
    await page.getByRole('heading', { name: 'Nenhum modelo de e-mail' }).waitFor();
    await page.getByRole('link', { name: 'Novo modelo' }).click();
    await page.getByLabel(/^Nome/).fill('Boas-vindas');
    await page.getByLabel(/^Assunto/).fill('Oi, {{nome}}');
    await page.getByLabel('Formato').selectOption('mjml');
    const mjml = (text: string) =>
      `<mjml lang="pt"><mj-head><mj-title>Oi</mj-title></mj-head><mj-body><mj-section><mj-column><mj-text color="#111111" font-family="Arial">${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;
    await page.getByLabel(/^Conteúdo/).fill('<mjml><mj-body><mj-nothing /></mj-body></mjml>');
    await page.getByRole('button', { name: 'Nova variável' }).click();
    await page.getByLabel('Nome da variável').fill('nome');
    await page.getByLabel('Exemplo', { exact: true }).fill('Ana');
    await page.getByRole('button', { name: 'Novo modelo' }).click();
    await page.getByRole('alert').getByText('source').first().waitFor();
    await page.getByLabel(/^Conteúdo/).fill(mjml('Olá, {{nome}}!'));
    await page.getByRole('button', { name: 'Novo modelo' }).click();
    await shown(page).getByText('Olá, Ana!').waitFor();
    await inspect(page, 'email-template');
    await page.getByLabel('Identificador do contato').fill(contactId);
    await page.getByRole('button', { name: 'Preencher', exact: true }).click();
    await shown(page).getByText('Olá, Bia <b>!').waitFor();
    expect(await page.locator('[data-subject]').innerText()).toBe('Oi, Bia <b>');
    await page.getByRole('link', { name: 'Editar' }).click();
    await page.getByLabel(/^Conteúdo/).fill(mjml('Até logo, {{nome}}!'));
    await page.getByRole('button', { name: 'Salvar' }).click();
    await shown(page).getByText('Até logo, Ana!').waitFor();
    await page.goto('/console/templates/email');
    await page.getByRole('link', { name: 'Boas-vindas' }).click();
    expectNoFaults(page);
    await confirm(page, 'Apagar');
    await page.getByRole('heading', { name: 'Nenhum modelo de e-mail' }).waitFor();
  });

  test('show markup in what they hold as text, also on a phone, and no button to who may only read', async () => {
    const tenant = await service.tenant();
    const { id } = await create(tenant, {
      components: [
        { type: 'BODY', payload: { text: `${ATTACK} *${ATTACK}* {{1}} fim`, example: { body_text: [[ATTACK]] } } },
        { type: 'FOOTER', payload: { text: '<script>document.title=1</script>' } },
      ],
    });
    const email = await createEmail(tenant, { name: ATTACK, subject: ATTACK });
    const page = await service.signedInAt(`/console/templates/${id}`, tenant, 'viewer', PHONE);
    await device(page).getByText('<script>document.title=1</script>').waitFor();
    await page.getByText('Push', { exact: true }).click();
    await device(page).getByText('Seu aplicativo').waitFor();
    await inspect(page, 'template-phone');
    await page.goto(`/console/templates/email/${email.id}`);
    await shown(page).getByText('Oi, Ana!').waitFor();
    expect(await page.locator('[data-subject]').innerText()).toBe(ATTACK);
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.title()).not.toBe('attacked');
    for (const name of ['Apagar', 'Enviar para aprovação'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expect(await page.getByRole('link', { name: 'Editar' }).count()).toBe(0);
    expectNoFaults(page);
  });
});

describe('the HTML of a template', () => {
  const url = elsewhere.url;
  const HARM = `<html><head>
    <meta http-equiv="refresh" content="0;url=${url}/refresh">
    <base href="${url}/base/">
    <link rel="stylesheet" href="${url}/style.css">
    <style>@import url("${url}/import.css"); p { width: 222px }</style>
    <script>parent.postMessage('x', '*'); top.document.title = 'attacked'; location = '${url}/script'</script>
    <script src="${url}/script.js"></script></head>
    <body onload="top.location='${url}/onload'">
    <p>Oi, {{nome}}!</p>
    <img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="" onload="location='${url}/img'" onerror="location='${url}/img'">
    <svg onload="location='${url}/svg'"></svg>
    <iframe src="${url}/frame" title="x"></iframe><object data="${url}/object"></object><embed src="${url}/embed">
    <video src="${url}/video" autoplay></video>
    <form action="${url}/form" method="get"><input name="q" value="1" autofocus onfocus="this.form.submit()"><button>Enviar</button></form>
    <a href="${url}/link">Aqui</a> <a href="${url}/top" target="_top">Acima</a>
    <a href="${url}/blank" target="_blank">Fora</a> <a href="javascript:top.document.title='attacked'">Script</a>
    </body></html>`;

  test('is shown with its own styles, and can do nothing: no script, request, form, or way out', async () => {
    const tenant = await service.tenant();
    const { id } = await createEmail(tenant, { source: HARM });
    const page = await service.entered(tenant);
    const windows: string[] = [];
    page.context().on('page', (opened) => windows.push(opened.url()));
    await page.goto(`/console/templates/email/${id}`);
    const text = shown(page).getByText('Oi, Ana!');
    await text.waitFor();
    const address = page.url();
    for (const name of ['Aqui', 'Acima', 'Fora', 'Script']) await shown(page).getByText(name, { exact: true }).click();
    await shown(page).getByRole('button', { name: 'Enviar' }).click();
    // Whatever the content began would be under way before the service answers another three times.
    for (let call = 0; call < 3; call++) {
      await page.getByRole('button', { name: 'Preencher e mostrar' }).click();
      await text.waitFor();
    }
    expect(await page.title()).toBe('Boas-vindas · Console');
    expect(page.url()).toBe(address);
    expect(windows).toEqual([]);
    expect(elsewhere.requested).toEqual([]);
    const sandboxed = page.frameLocator('iframe.html-preview').locator('iframe');
    expect(await sandboxed.getAttribute('sandbox')).toBe('');
    expect(await page.locator('iframe.html-preview').getAttribute('sandbox')).toBe('allow-scripts');
    // No script of a test runs in it either: what its styles do is measured.
    expect((await text.boundingBox())?.width).toBe(222);
  });

  test('stands in a page without an origin, which only the console may frame, and which accepts content only from it', async () => {
    const page = await service.open();
    await page.goto(elsewhere.url);
    const opening = page.waitForEvent('popup');
    await page.evaluate(`window.opened = window.open('${service.url}/console/preview'); undefined`);
    const opened = await opening;
    // Read by scripts: Playwright does not always notice that a window has loaded which it did not open itself.
    const loaded = () => opened.evaluate('[location.pathname, document.readyState]');
    await expect.poll(loaded, PATIENCE).toEqual(['/console/preview', 'complete']);
    expect(await opened.evaluate('window.origin')).toBe('null');
    await opened.evaluate(
      "window.answered = new Promise((resolve) => addEventListener('message', () => resolve())); undefined",
    );
    await page.evaluate("window.opened.postMessage({ html: '<p>Eu</p>', title: 'x' }, '*')");
    await opened.evaluate('window.answered');
    expect(await opened.evaluate("document.querySelectorAll('iframe').length")).toBe(0);
    const { headers } = await service.anonymous.get('/console/preview');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});
