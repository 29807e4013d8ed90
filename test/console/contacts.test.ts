import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { EVIL, expectInert, expectNoFaults, inspect, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

let phones = 0;
const contact = async ({ test: client }: Pick<Tenant, 'test'>, fields: Record<string, unknown> = {}) => {
  const phone = `+55119${String(80_000_000 + ++phones)}`;
  const { status, body } = await client.post('/contacts', { phone, ...fields });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { readonly id: string; readonly phone: string };
};
const row = (page: Page, text: string) => page.locator('tbody tr').filter({ hasText: text });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();
const dialog = (page: Page) => page.getByRole('dialog');
const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).click();
/** The download behind a button or a link. */
const saved = async (page: Page, click: () => Promise<void>): Promise<string> => {
  const waiting = page.waitForEvent('download');
  await click();
  return readFile(await (await waiting).path(), 'utf8');
};

describe('the list of contacts', () => {
  test('teaches while it is empty, and a contact is created with what the service finds wrong in its place', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Contatos' }).click();
    await page.getByRole('heading', { name: 'Nenhum contato ainda' }).waitFor();
    await inspect(page, 'contacts-empty');
    await page.getByRole('button', { name: 'Novo contato' }).click();
    await dialog(page).getByLabel('Telefone').fill('123');
    await dialog(page).getByLabel('Nome', { exact: true }).fill('João Ávila');
    await confirm(page, 'Novo contato');
    const phone = dialog(page).getByRole('textbox', { name: /Telefone/ });
    await expect.poll(() => phone.getAttribute('aria-invalid'), PATIENCE).toBe('true');
    await inspect(page, 'contact-create');
    await phone.fill('+5511987650001');
    await dialog(page).getByLabel('CPF').fill('529.982.247-25');
    await dialog(page).getByRole('button', { name: 'Acrescentar atributo' }).click();
    await dialog(page).getByLabel('Nome do atributo').fill('pontos');
    await dialog(page).getByLabel('Valor').fill('30');
    await confirm(page, 'Novo contato');
    await page.getByRole('heading', { name: 'João Ávila' }).waitFor();
    const { body } = await tenant.test.get('/contacts');
    expect(body.items).toMatchObject([{ name: 'João Ávila', phone: '+5511987650001', attributes: { pontos: 30 } }]);
    await page.goto('/console/contacts');
    await page.getByRole('button', { name: 'Novo contato' }).click();
    await dialog(page).getByLabel('Telefone').fill('+5511987650001');
    await confirm(page, 'Novo contato');
    await dialog(page).getByRole('link', { name: 'Ver o contato que já o tem' }).click();
    await page.getByRole('heading', { name: 'João Ávila' }).waitFor();
  });

  test('finds by name without accents, by phone and by e-mail while one types, and by every filter', async () => {
    const tenant = await service.tenant();
    const joao = await contact(tenant, { name: 'João Ávila', email: 'avila@loja.example', tags: ['vip'] });
    const bia = await contact(tenant, { name: 'Bia Melo', externalId: 'c-7', optIn: { status: 'denied' } });
    const page = await service.signedInAt('/console/contacts', tenant, 'admin');
    await row(page, 'João').waitFor();
    await inspect(page, 'contacts');
    const shown = () =>
      page.evaluate<string[]>("[...document.querySelectorAll('tbody tr')].map((row) => row.getAttribute('data-row'))");
    const search = page.getByRole('searchbox', { name: 'Buscar' });
    for (const [text, id] of [
      ['joao avila', joao.id],
      ['melo', bia.id],
      [joao.phone.slice(-8), joao.id],
      ['avila@loja', joao.id],
    ] as const) {
      await search.fill(text);
      await expect.poll(() => new URL(page.url()).searchParams.get('q'), PATIENCE).toBe(text);
      await expect.poll(shown, { ...PATIENCE, message: text }).toEqual([id]);
    }
    await search.fill('');
    await expect.poll(async () => (await shown()).length, PATIENCE).toBe(2);
    await page.getByLabel('Consentimento').selectOption('denied');
    await expect.poll(shown, PATIENCE).toEqual([bia.id]);
    for (const [query, ids] of [
      ['tag=vip', [joao.id]],
      ['externalId=c-7', [bia.id]],
      ['source=webhook', []],
      [`updatedSince=2099-01-01T00:00:00.000Z`, []],
    ] as const) {
      await visit(page, `/console/contacts?${query}`);
      if (ids.length === 0) await page.getByRole('heading', { name: 'Ninguém aqui' }).waitFor();
      await expect.poll(shown, { ...PATIENCE, message: query }).toEqual(ids);
    }
    expectNoFaults(page);
  });

  test('shows a viewer masked contacts, and neither a search by them nor what the role cannot do', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, { name: 'Bia Melo' });
    const page = await service.signedInAt('/console/contacts', tenant, 'viewer', PHONE);
    await row(page, 'Bia').getByText('****').first().waitFor();
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Novo contato' }).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'contacts-phone');
    await visit(page, `/console/contacts/${id}?tab=privacy`);
    await page.getByText('Nenhum documento guardado.').waitFor();
    for (const name of ['Editar', 'Unir com outro', 'Apagar esta pessoa', 'Baixar em JSON', 'Revelar'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  });
});

describe('a contact', () => {
  test('has its story: messages, what it did as a customer, activities and consent, each by its own part', async () => {
    const tenant = await service.tenant();
    const { body: company } = await tenant.test.post('/v2/companies', { nome: 'Loja Azul' });
    const optIn = { status: 'granted', source: 'loja' };
    const { id, phone } = await contact(tenant, { name: 'Bia Melo', companyId: company.id, optIn });
    const sent = await tenant.test.send({ to: phone, contactId: id });
    expect(sent.status, sent.text).toBe(201);
    const occurredAt = new Date().toISOString();
    const event = {
      name: 'compra',
      eventId: 'e-1',
      contact: { contactId: id },
      occurredAt,
      value: 129.9,
      currency: 'BRL',
    };
    expect((await tenant.test.post('/v2/events', event)).status).toBeLessThan(300);
    const page = await service.signedInAt(`/console/contacts/${id}`, tenant, 'admin');
    await page.getByText('Mensagem enviada').waitFor();
    await page.getByRole('link', { name: 'Loja Azul' }).waitFor();
    await page.getByText('Evento do cliente').waitFor();
    await page.getByText('R$ 129,90').waitFor();
    await page.getByRole('link', { name: 'logo depois desta mensagem' }).waitFor();
    await inspect(page, 'contact');

    await tab(page, 'Consentimento');
    await page.getByRole('button', { name: 'Registrar negativa' }).click();
    await dialog(page)
      .getByLabel(/Motivo/)
      .fill('pediu por telefone');
    await confirm(page, 'Registrar negativa');
    await row(page, 'pediu por telefone').getByText('Negou').waitFor();
    expect((await tenant.test.get(`/contacts/${id}`)).body.optIn.status).toBe('denied');
    // The contact and the history of its consent are two answers.
    await expect.poll(() => page.getByRole('button', { name: 'Registrar negativa' }).count(), PATIENCE).toBe(0);
    await inspect(page, 'contact-consent');
    await page.getByRole('button', { name: 'Registrar consentimento' }).click();
    await dialog(page)
      .getByLabel(/Onde foi dado/)
      .fill('balcão');
    await confirm(page, 'Registrar consentimento');
    await row(page, 'balcão').getByText('Deu').waitFor();

    await tab(page, 'Atividades');
    await page.getByRole('button', { name: 'Nova atividade' }).click();
    await dialog(page).getByLabel('Título').fill('Ligar na segunda');
    await confirm(page, 'Nova atividade');
    await row(page, 'Ligar na segunda').getByRole('button', { name: 'Concluir' }).click();
    await row(page, 'Ligar na segunda').getByText('Concluída').waitFor();
    await inspect(page, 'contact-activities');
    await tab(page, 'Negócios');
    await page.getByRole('heading', { name: 'Nenhum negócio' }).waitFor();
    await tab(page, 'Jornadas');
    await page.getByText('Nenhuma jornada existe ainda.').waitFor();
    expectNoFaults(page);
  });

  test('is changed field by field: what was left alone keeps what somebody else wrote meanwhile', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, { name: 'Bia', tags: ['vip'], attributes: { plano: 'ouro', pontos: 3 } });
    const page = await service.signedInAt(`/console/contacts/${id}`, tenant, 'admin');
    await page.getByRole('button', { name: 'Editar' }).click();
    await tenant.test.call('PATCH', `/contacts/${id}`, {
      body: { email: 'bia@loja.example', attributes: { cor: 'azul' } },
    });
    await dialog(page).getByLabel('Nome', { exact: true }).fill('Bia Melo');
    await dialog(page).getByRole('button', { name: 'Tirar o atributo plano' }).click();
    await confirm(page, 'Salvar');
    await page.getByRole('heading', { name: 'Bia Melo' }).waitFor();
    const { body } = await tenant.test.get(`/contacts/${id}`);
    expect(body).toMatchObject({ name: 'Bia Melo', email: 'bia@loja.example', tags: ['vip'] });
    expect(body.attributes).toEqual({ pontos: 3, cor: 'azul' });
  });

  test('shows documents masked, in clear only on request, which the audit log records; and masked again', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, { cpf: '52998224725' });
    const page = await service.signedInAt(`/console/contacts/${id}?tab=privacy`, tenant, 'admin');
    await page.getByText('***.982.247-**').waitFor();
    await page.getByRole('button', { name: 'Revelar' }).click();
    await page.getByText('52998224725').waitFor();
    await inspect(page, 'contact-privacy');
    await page.getByRole('button', { name: 'Ocultar' }).click();
    await page.getByText('***.982.247-**').waitFor();
    expect(await page.content()).not.toContain('52998224725');
    const { body } = await tenant.test.get('/v2/audit', { object: id });
    expect(JSON.stringify(body.items)).toContain('cpf');
  });

  test('is exported whole, put into a list, and shows the lists that have it', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, { name: 'Bia Melo' });
    await tenant.test.post('/v2/lists', { name: 'Clientes VIP' });
    const page = await service.signedInAt(`/console/contacts/${id}?tab=lists`, tenant, 'admin');
    await page.getByRole('button', { name: 'Pôr numa lista' }).click();
    // Until the lists are there, none is chosen, and the browser refuses the form.
    await expect.poll(() => dialog(page).getByRole('combobox').inputValue(), PATIENCE).not.toBe('');
    await confirm(page, 'Pôr numa lista');
    await expect.poll(() => dialog(page).count(), PATIENCE).toBe(0);
    await page.getByRole('button', { name: 'Mostrar listas e segmentos' }).click();
    await page.getByRole('link', { name: 'Clientes VIP' }).waitFor();
    await inspect(page, 'contact-lists');
    await tab(page, 'Dados pessoais');
    const text = await saved(page, () => page.getByRole('button', { name: 'Baixar em JSON' }).click());
    expect(JSON.parse(text)).toMatchObject({ contact: { id }, lists: [{ name: 'Clientes VIP' }], items: [] });
  });

  test('is merged with one that is like it, whose address then leads here', async () => {
    const tenant = await service.tenant();
    const stays = await contact(tenant, { name: 'Bia Melo', email: 'bia@loja.example' });
    const follows = await contact(tenant, { name: 'Beatriz', email: 'bia@loja.example', tags: ['vip'] });
    const page = await service.signedInAt(`/console/contacts/${stays.id}`, tenant, 'admin');
    await page.getByRole('button', { name: 'Unir com outro' }).click();
    await expect.poll(() => dialog(page).getByRole('radio').count(), PATIENCE).toBe(1);
    await dialog(page).getByRole('radio').check();
    await inspect(page, 'contact-merge');
    await confirm(page, 'Unir');
    await page.getByRole('definition').getByText(follows.phone).waitFor();
    await visit(page, `/console/contacts/${follows.id}`);
    await page.getByRole('link', { name: 'Ver o contato que ficou' }).click();
    await page.getByRole('heading', { name: 'Bia Melo' }).waitFor();
    await page.getByText('vip', { exact: true }).waitFor();
  });

  test('is erased once one has said that one knows what that does', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, { name: 'Bia Melo' });
    const page = await service.signedInAt(`/console/contacts/${id}?tab=privacy`, tenant, 'admin');
    await page.getByRole('button', { name: 'Apagar esta pessoa' }).click();
    await inspect(page, 'contact-erase');
    await confirm(page, 'Apagar esta pessoa');
    expect((await tenant.test.get(`/contacts/${id}`)).status).toBe(200);
    await dialog(page).getByLabel('Entendo que não há volta').check();
    await confirm(page, 'Apagar esta pessoa');
    await page.getByRole('heading', { name: 'Nenhum contato ainda' }).waitFor();
    expect((await tenant.test.get(`/contacts/${id}`)).status).toBe(404);
    expectNoFaults(page);
  });

  test('whose every field holds markup shows it as text, and runs none of it', async () => {
    const tenant = await service.tenant();
    const { id } = await contact(tenant, {
      name: EVIL.slice(0, 100),
      avatarUrl: 'https://elsewhere.example/x.png',
      tags: [EVIL.slice(0, 64), 'javascript:window.hit=1'],
      attributes: { [EVIL.slice(0, 60)]: EVIL, link: 'javascript:window.hit=1' },
    });
    await tenant.test.post(`/contacts/${id}/opt-out`, { reason: EVIL });
    await tenant.test.post('/activities', { tipo: 'tarefa', titulo: EVIL, contatoId: id });
    const page = await service.entered(tenant, 'admin');
    for (const path of ['', `/${id}`, `/${id}?tab=consent`, `/${id}?tab=activities`]) {
      await visit(page, `/console/contacts${path}`);
      await expectInert(page);
    }
  });
});

describe('an import', () => {
  const CSV = [
    'Telefone;Nome;Cidade;Observação',
    '+5511987651001;"Ana; Souza";São Paulo;x',
    '+5511987651002;Bruno;"Rio ""de"" Janeiro";y',
    'errado;Carla;Recife;z',
  ].join('\r\n');
  const choose = (page: Page, text: string | Buffer, name = 'contatos.csv') =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

  test('reads the file, names the field of each column, and imports it; refused rows can be downloaded', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/contacts', tenant, 'admin');
    await page.getByRole('link', { name: 'Importar arquivo' }).click();
    await page.getByText('Nenhuma importação ainda.').waitFor();
    await choose(page, CSV);
    await page.getByText('Ana; Souza').first().waitFor();
    expect(await page.getByLabel('Preenche: Telefone').inputValue()).toBe('phone');
    expect(await page.getByLabel('Preenche: Cidade').inputValue()).toBe('attributes.Cidade');
    await page.getByLabel('Preenche: Observação').selectOption('');
    await page.getByLabel('Preenche: Telefone').selectOption('');
    await page.getByText('Uma coluna precisa preencher o telefone.').waitFor();
    expect(await page.getByRole('button', { name: 'Importar', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Preenche: Telefone').selectOption('phone');
    await inspect(page, 'contacts-import');
    await page.getByRole('button', { name: 'Importar', exact: true }).click();
    await page.getByText('Concluída').waitFor();
    const errors = await saved(page, () => page.getByRole('link', { name: 'Baixar as linhas com erro' }).click());
    expect(errors.trim().split('\r\n')).toHaveLength(2);
    expect(errors).toContain('4,');
    await inspect(page, 'contacts-imported');
    const { body } = await tenant.test.get('/contacts');
    // Rows of one import may be created within one millisecond, where their order is random.
    const [ana, bruno] = body.items.toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1));
    expect(body.items).toHaveLength(2);
    expect(bruno).toMatchObject({ name: 'Bruno', attributes: { Cidade: 'Rio "de" Janeiro' }, source: 'import' });
    expect(ana).toMatchObject({ name: 'Ana; Souza', attributes: { Cidade: 'São Paulo' } });
    expect(Object.keys(bruno.attributes)).toEqual(['Cidade']);
    await page.goto('/console/contacts/import');
    await page.locator('tbody tr').getByText('Concluída').waitFor();
    expectNoFaults(page);
  });

  test('refuses before anything is sent what is no UTF-8 or has no rows, and shows markup of a file as text', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/contacts/import', tenant, 'admin');
    await choose(page, Buffer.from('telefone,nome\n+5511987651001,Jo\xe3o\n', 'latin1'));
    await page.getByText('O arquivo não está em UTF-8.', { exact: false }).waitFor();
    await choose(page, 'telefone,nome\n');
    await page.getByText('O arquivo não tem linhas.').waitFor();
    await choose(page, `phone,"${EVIL.replaceAll('"', '""')}"\n+5511987651001,"${EVIL.replaceAll('"', '""')}"\n`);
    await expectInert(page);
    expect((await tenant.test.get('/contacts/import/jobs')).body.items).toEqual([]);
  });
});

test('all contacts are exported into a file', async () => {
  const tenant = await service.tenant();
  await contact(tenant, { name: 'Bia Melo' });
  const page = await service.signedInAt('/console/contacts', tenant, 'admin');
  await page.getByRole('button', { name: 'Exportar contatos' }).click();
  await confirm(page, 'Exportar contatos');
  const link = dialog(page).getByRole('link', { name: 'Baixar o arquivo' });
  await link.waitFor();
  await inspect(page, 'contacts-export');
  expect(await saved(page, () => link.click())).toContain('Bia Melo');
});
