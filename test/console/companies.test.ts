import { describe, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { validCnpj } from '../support/companies.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { expectNoFaults, inspect, made, PATIENCE, startConsole, visit } from './kit.ts';

const service = await use(startConsole());

const company = (tenant: Tenant, body: Record<string, unknown>) => made(tenant, '/v2/companies', body);
const companies = async ({ test: client }: Tenant) => (await client.get('/v2/companies')).body.items;
const masked = (cnpj: string) => cnpj.replace(/^(.{2})(.{3})(.{3})(.{4})(.{2})$/, '$1.$2.$3/$4-$5');
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>'"><svg/onload=window.hit=1>`;

describe('companies', () => {
  test('are made where there was none, with a CNPJ that is masked as one types it, and changed', async () => {
    const tenant = await service.tenant();
    const [numeric, letters] = [validCnpj(2), validCnpj(3)];
    const page = await service.signedIn(tenant);
    await page.getByRole('link', { name: 'Empresas' }).click();
    await page.getByRole('heading', { name: 'Nenhuma empresa aqui' }).waitFor();
    await inspect(page, 'companies-empty');
    await page.getByRole('button', { name: 'Nova empresa' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill('Padaria Sol');
    await dialog.getByLabel('CNPJ').pressSequentially(letters.toLowerCase());
    expect(await dialog.getByLabel('CNPJ').inputValue()).toBe(masked(letters));
    await dialog.getByLabel('Site').fill('https://sol.example');
    await dialog.getByLabel('Outros atributos').fill('porte = médio\nlojas = 3');
    await dialog.getByLabel('Responsável').selectOption({ label: 'Ana Souza' });
    await inspect(page, 'company-create');
    await dialog.getByRole('button', { name: 'Nova empresa' }).click();
    await page.getByRole('heading', { name: 'Padaria Sol' }).waitFor();
    expect(await companies(tenant)).toMatchObject([
      { nome: 'Padaria Sol', cnpj: letters, site: 'https://sol.example', atributos: { porte: 'médio', lojas: 3 } },
    ]);

    await page.getByRole('button', { name: 'Editar' }).click();
    // A change that another person writes meanwhile stays.
    const path = page.url().replace(/.*\/companies/, '/v2/companies');
    expect((await tenant.test.call('PATCH', path, { body: { segmento: 'Padarias' } })).status).toBe(200);
    await dialog.getByLabel('CNPJ').fill(numeric);
    await dialog.getByLabel('Site').fill('');
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    await page.getByText(masked(numeric)).waitFor();
    const [changed] = await companies(tenant);
    const kept = { nome: 'Padaria Sol', segmento: 'Padarias', atributos: { porte: 'médio', lojas: 3 } };
    expect(changed).toMatchObject({ ...kept, cnpj: numeric });
    expect(changed).not.toHaveProperty('site');
    expectNoFaults(page);
  });

  test('are listed by name, and found by a part of it and by their CNPJ', async () => {
    const tenant = await service.tenant();
    const cnpj = validCnpj(5);
    for (const nome of ['Zinco Metais', 'árvore Livros']) await company(tenant, { nome });
    await company(tenant, { nome: 'Mercado Azul', cnpj });
    const page = await service.signedInAt('/console/companies', tenant);
    const names = () => page.locator('tbody tr td:first-child').allTextContents();
    await expect.poll(names, PATIENCE).toEqual(['árvore Livros', 'Mercado Azul', 'Zinco Metais']);
    await inspect(page, 'companies');
    for (const [q, found] of [
      ['ARVORE', 'árvore Livros'],
      [masked(cnpj), 'Mercado Azul'],
    ] as const) {
      await page.getByLabel('Nome ou CNPJ').fill(q);
      await expect.poll(names, PATIENCE).toEqual([found]);
    }
  });

  test('that are refused say why, and nothing is made', async () => {
    const tenant = await service.tenant();
    await company(tenant, { nome: 'A', cnpj: validCnpj(8) });
    const page = await service.signedInAt('/console/companies', tenant);
    await page.getByRole('button', { name: 'Nova empresa' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill('B');
    await dialog.getByLabel('CNPJ').fill(validCnpj(8));
    await dialog.getByRole('button', { name: 'Nova empresa' }).click();
    await dialog.getByRole('alert').getByText(/^req_/).waitFor();
    expect(await companies(tenant)).toHaveLength(1);
  });

  test('show their contacts, deals, messages and counts, and go with exactly those', async () => {
    const tenant = await service.tenant();
    const { id } = await company(tenant, { nome: 'Padaria Sol' });
    const contact = { phone: '+5511999990005', name: 'Rui Costa', companyId: id, papelNaEmpresa: 'decisor' };
    const { id: contactId } = await made(tenant, '/contacts', contact);
    const { id: pipelineId } = await made(tenant, '/pipelines', { nome: 'Vendas' });
    for (const [titulo, valor] of [
      ['Fornos', 1200.5],
      ['Vitrines', 300],
    ])
      await made(tenant, '/cards', { pipelineId, titulo, valor, empresaId: id });
    const sent = await tenant.test.send({ contactId, body: 'A proposta segue hoje.' });
    expect(sent.status).toBe(201);
    const page = await service.signedInAt(`/console/companies/${id}`, tenant);
    await page.getByRole('link', { name: 'Rui Costa' }).waitFor();
    await page.getByRole('link', { name: 'Vitrines' }).waitFor();
    await page.getByText('A proposta segue hoje.').waitFor();
    await page.getByText('1.500,50').waitFor();
    await inspect(page, 'company');
    await page.getByRole('button', { name: 'Excluir' }).click();
    await page.getByText('1 contatos e 2 negócios ficam').waitFor();
    await inspect(page, 'company-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Excluir' }).click();
    await page.getByRole('heading', { name: 'Nenhuma empresa aqui' }).waitFor();
    expect((await tenant.test.get(`/v2/companies/${id}`)).status).toBe(404);
    expect((await tenant.test.get('/cards')).body.total).toBe(2);
  });

  test('come out of a sheet, and each row that is refused says why and can be corrected', async () => {
    const tenant = await service.tenant();
    await company(tenant, { nome: 'Antiga', cnpj: validCnpj(10) });
    const page = await service.signedInAt('/console/companies', tenant);
    await page.getByRole('link', { name: 'Importar empresas' }).click();
    const rows = page.getByLabel('Linhas');
    await rows.fill('Nome,porte\n');
    await rows.fill(
      ['nome;cnpj;porte', `Antiga SA;${validCnpj(10)};grande`, '"Nova; e boa";;pequena', 'Errada;123;'].join('\n'),
    );
    await page.getByRole('button', { name: 'Importar 3 linhas' }).click();
    await page.getByText('1 criadas, 1 atualizadas, 1 recusadas.').waitFor();
    await page.locator('[data-row="3"]').getByText('Errada').waitFor();
    await inspect(page, 'companies-import');
    await page.getByRole('button', { name: 'Ficar só com as recusadas' }).click();
    expect(await rows.inputValue()).toBe('nome;cnpj;porte\nErrada;123;');
    await rows.fill(`nome;cnpj;porte\nErrada;${validCnpj(12)};`);
    await page.getByRole('button', { name: 'Importar 1 linhas' }).click();
    await page.getByText('1 criadas, 0 atualizadas, 0 recusadas.').waitFor();
    expect(await companies(tenant)).toMatchObject([
      { nome: 'Antiga SA', atributos: { porte: 'grande' } },
      { nome: 'Errada' },
      { nome: 'Nova; e boa', atributos: { porte: 'pequena' } },
    ]);
    await rows.fill(['nome', ...Array.from({ length: 501 }, (_, row) => `E${row}`)].join('\n'));
    await page.getByText('São 501 linhas; cabem 500 por vez.').waitFor();
    expect(await page.getByRole('button', { name: 'Importar 501 linhas' }).isDisabled()).toBe(true);
  });

  test('have attributes of the types that are defined', async () => {
    const tenant = await service.tenant();
    const page = await service.signedInAt('/console/companies/attributes', tenant);
    await page.getByRole('heading', { name: 'Nenhum atributo definido' }).waitFor();
    await page.getByRole('button', { name: 'Novo atributo' }).click();
    await page.getByLabel('Chave').fill('lojas');
    await page.getByLabel('Rótulo').fill('Quantas lojas');
    await page.getByLabel('Tipo').selectOption('number');
    await page.getByLabel('Obrigatório').check();
    await page.getByRole('button', { name: 'Salvar' }).click();
    await page.getByText('Salvo.').waitFor();
    await inspect(page, 'company-attributes');
    await page.goto('/console/companies');
    await page.getByRole('button', { name: 'Nova empresa' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill('Padaria Sol');
    await dialog.getByLabel('Quantas lojas').fill('12');
    await dialog.getByRole('button', { name: 'Nova empresa' }).click();
    await page.getByRole('heading', { name: 'Padaria Sol' }).waitFor();
    expect(await companies(tenant)).toMatchObject([{ atributos: { lojas: 12 } }]);
  });

  test('whose every field holds markup show it as text, on a phone too; a viewer is offered nothing to change', async () => {
    const tenant = await service.tenant();
    const fields = {
      nome: EVIL,
      segmento: EVIL,
      endereco: EVIL,
      atributos: { nota: EVIL, link: 'javascript:alert(1)' },
    };
    const { id } = await company(tenant, fields);
    const page = await service.entered(tenant, 'viewer', PHONE);
    for (const path of ['/console/companies', `/console/companies/${id}`]) {
      await visit(page, path);
      await page.getByText('<img src=x', { exact: false }).first().waitFor();
      expect(await page.evaluate("'hit' in window")).toBe(false);
      expect(await page.locator('img[src="x"], a[href^="javascript"]').count()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
      for (const name of ['Nova empresa', 'Editar', 'Excluir'])
        expect(await page.getByRole('button', { name }).count(), name).toBe(0);
      expectNoFaults(page);
    }
    await inspect(page, 'company-phone');
  });
});
