import { describe, expect, test } from 'vitest';
import { FILES, filled } from '../media/files.ts';
import { use } from '../support/use.ts';
import { column } from './board-kit.ts';
import { expectNoFaults, inspect, made, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>'"><svg/onload=window.hit=1>`;

const startCard = async (fields: object = {}) => {
  const tenant = await service.tenant();
  const pipeline = await made(tenant, '/pipelines', { nome: 'Vendas' });
  const { id } = await made(tenant, '/cards', { pipelineId: pipeline.id, titulo: 'Fornos', ...fields });
  const path = `/console/pipelines/${pipeline.id}/cards/${id}`;
  return { tenant, id, path, card: async () => (await tenant.test.get(`/cards/${id}`)).body };
};

describe('a card', () => {
  test('is changed, won, reopened, lost with its reason, moved and deleted, and shows its history', async () => {
    const { tenant, path, card } = await startCard();
    await made(tenant, '/v2/companies', { nome: 'Padaria Sol' });
    const page = await service.signedInAt(path, tenant);
    await page.getByRole('button', { name: 'Editar' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Valor').fill('99.9');
    await dialog.getByRole('combobox', { name: 'Empresa' }).fill('padaria');
    await page.getByRole('option', { name: 'Padaria Sol' }).click();
    await inspect(page, 'card-edit');
    await dialog.getByRole('button', { name: 'Salvar' }).click();
    await page.getByRole('link', { name: 'Padaria Sol' }).waitFor();
    expect(await card()).toMatchObject({ valor: 99.9, empresaId: expect.stringMatching(/^emp_/) });

    await page.getByRole('button', { name: 'Marcar como ganho' }).click();
    await page.getByRole('button', { name: 'Reabrir' }).click();
    expect((await card()).status).toBe('ganho');
    await dialog.getByRole('button', { name: 'Reabrir' }).click();
    await page.getByRole('button', { name: 'Marcar como perdido' }).click();
    expect((await card()).status).toBe('aberto');
    await dialog.getByLabel('Motivo da perda').fill('Preço');
    await dialog.getByRole('button', { name: 'Marcar como perdido' }).click();
    await expect.poll(card, PATIENCE).toMatchObject({ status: 'perdido', motivoPerda: 'Preço' });
    await page.getByRole('definition').filter({ hasText: 'Preço' }).waitFor();
    await page.getByRole('button', { name: 'Mover' }).click();
    await dialog.getByLabel('Estágio').selectOption({ label: 'Proposta' });
    await dialog.getByRole('button', { name: 'Mover' }).click();
    await expect.poll(async () => (await card()).status, PATIENCE).toBe('aberto');
    const acts = page.getByRole('table', { name: 'Histórico' }).locator('tbody tr td:nth-child(2)');
    await expect
      .poll(() => acts.allTextContents(), PATIENCE)
      .toEqual(['Reaberto', 'Perdido', 'Reaberto', 'Ganho', 'Alterado', 'Criado']);
    await inspect(page, 'card');
    await page.getByRole('button', { name: 'Excluir negócio' }).click();
    await dialog.getByRole('button', { name: 'Excluir' }).click();
    await page.getByRole('heading', { name: 'Vendas' }).waitFor();
    expect((await card()).status).toBe(404);
    expectNoFaults(page);
  });

  test('has activities with the moments at which they are due, which are completed', async () => {
    const { tenant, path, id } = await startCard();
    const page = await service.signedInAt(path, tenant);
    await page.getByRole('button', { name: 'Nova atividade' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tipo').selectOption('ligacao');
    await dialog.getByLabel('Título').fill('Ligar para o Rui');
    await dialog.getByLabel('Prazo').fill('2020-01-31T10:30');
    await inspect(page, 'activity-create');
    await dialog.getByRole('button', { name: 'Nova atividade' }).click();
    await page.getByText('Ligação: Ligar para o Rui').waitFor();
    await page.getByText('Atrasada').waitFor();
    const activities = async () => (await tenant.test.get('/activities', { cardId: id })).body.items;
    expect(await activities()).toMatchObject([{ venceEm: '2020-01-31T13:30:00.000Z', concluida: false }]);
    await page.getByRole('button', { name: 'Concluir' }).click();
    await page.getByText('Concluída').waitFor();
    expect(await activities()).toMatchObject([{ concluida: true }]);
    await page.getByRole('button', { name: 'Excluir Ligar para o Rui' }).click();
    await page.getByText('Nenhuma atividade.', { exact: false }).waitFor();
  });

  test('keeps files: one is uploaded past the API, saved under its name, and deleted', async () => {
    const { tenant, path, id } = await startCard();
    const page = await service.signedInAt(path, tenant);
    const buffer = filled(FILES.pdf, 100_000);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Enviar arquivo' }).click();
    await (await chooser).setFiles({ name: 'Proposta São João.pdf', mimeType: 'application/pdf', buffer });
    await page.getByRole('cell', { name: 'Proposta São João.pdf', exact: true }).waitFor();
    expect((await tenant.test.get(`/cards/${id}/files`)).body.items).toMatchObject([{ tamanho: buffer.length }]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Baixar Proposta São João.pdf' }).click();
    expect((await download).suggestedFilename()).toBe('Proposta São João.pdf');
    await page.getByRole('button', { name: 'Excluir Proposta São João.pdf' }).click();
    await page.getByText('Nenhum arquivo.', { exact: false }).waitFor();
    expectNoFaults(page);
  });

  test('whose every field holds markup shows it as text, on its board too', async () => {
    const evil = { titulo: EVIL, atributos: { nota: EVIL, link: 'javascript:alert(1)' } };
    const { tenant, path, id } = await startCard(evil);
    await made(tenant, '/activities', { cardId: id, tipo: 'tarefa', titulo: EVIL, descricao: EVIL });
    expect((await tenant.test.post(`/cards/${id}/lost`, { motivoPerda: EVIL })).status).toBe(200);
    const page = await service.entered(tenant, 'viewer');
    const board = path.replace(/\/cards.*/, '');
    for (const shown of [path, board]) {
      await page.goto(shown);
      if (shown === board) await column(page, 'Perdido').scrollIntoViewIfNeeded();
      await page.getByText('<img src=x', { exact: false }).first().waitFor();
      expect(await page.evaluate("'hit' in window")).toBe(false);
      expect(await page.locator('img[src="x"], a[href^="javascript"]').count()).toBe(0);
      expectNoFaults(page);
    }
    await page.goto(path);
    await page.getByText('Tarefa: <img', { exact: false }).waitFor();
    await inspect(page, 'card-viewer');
  });
});
