import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { journeysOf, line, sms, wait } from '../flows/journeys-kit.ts';
import type { Tenant } from '../support/api.ts';
import { use } from '../support/use.ts';
import { PHONE } from './browser.ts';
import { node, nodes, outline, panel } from './journey-page.ts';
import { expectNoFaults, inspect, PATIENCE, startConsole } from './kit.ts';

const service = await use(startConsole());

const ATTACK = '<img src=x onerror="document.title=\'attacked\'">';
const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Salvar', exact: true }).click();
  await page.getByText('Salvo.').waitFor();
};
const contactOf = async ({ test: client }: Tenant, phone = '+5511999990005'): Promise<string> => {
  const { status, body } = await client.post('/contacts', { phone, name: 'Ana' });
  expect(status).toBe(201);
  return body.id;
};
const GRAPH = {
  passos: [
    { ...sms('oi', 'Oi, {{contato.nome|cliente}}!'), rotulo: 'Boas-vindas' },
    { chave: 'compra', tipo: 'esperar_evento', config: { evento: 'compra', prazo: { dias: 2 } } },
    { chave: 'vip', tipo: 'etiqueta', config: { adicionar: 'vip' } },
    sms('lembrete', 'Volte sempre'),
  ],
  ligacoes: [
    { de: 'oi', para: 'compra' },
    { de: 'compra', para: 'vip', quando: 'evento' },
    { de: 'compra', para: 'lembrete', quando: 'tempo_esgotado' },
  ],
};

describe('journeys', () => {
  test('are made where there was none, step by step without a pointer, and saved as they were drawn', async () => {
    const tenant = await service.tenant();
    const page = await service.signedIn(tenant, 'admin');
    await page.getByRole('link', { name: 'Jornadas' }).click();
    await page.getByRole('heading', { name: 'Nenhuma jornada ainda' }).waitFor();
    await inspect(page, 'journeys-empty');
    await page.getByRole('button', { name: 'Nova jornada' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill('Carrinho');
    await dialog.getByLabel('Quem entra').selectOption('evento');
    await dialog.getByRole('textbox', { name: /^Evento/ }).fill('carrinho_abandonado');
    await inspect(page, 'journey-create');
    await dialog.getByRole('button', { name: 'Nova jornada' }).click();
    await page.getByRole('heading', { name: 'Carrinho', level: 1 }).waitFor();
    await node(page, 'fim').waitFor();

    await page.getByRole('button', { name: 'Novo passo' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Enviar mensagem' }).press('Enter');
    await panel(page, 'enviar_1').getByLabel('Texto da mensagem').fill('Oi, {{contato.nome|você}}!');
    await panel(page, 'enviar_1').getByRole('button', { name: 'Começar por este passo' }).press('Enter');
    await panel(page, 'enviar_1').getByLabel('segue').selectOption('fim');
    await panel(page, 'enviar_1').getByRole('button', { name: 'Pôr um passo aqui' }).press('Enter');
    await page.getByRole('menuitem', { name: 'Esperar', exact: true }).press('Enter');
    await panel(page, 'esperar_1').getByLabel('Prazo', { exact: true }).fill('2');
    await panel(page, 'esperar_1').getByLabel('Nome para pessoas').fill('Dois dias');
    await panel(page, 'esperar_1').getByLabel('Chave').fill('dois_dias');
    await panel(page, 'esperar_1').getByLabel('Chave').blur();
    await panel(page, 'dois_dias').waitFor();
    await expect.poll(() => nodes(page).count(), PATIENCE).toBe(3);
    await inspect(page, 'journey-edited');
    await save(page);
    const { body } = await tenant.test.get(page.url().replace(/.*\/journeys/, '/v2/journeys'));
    expect(body.passos).toEqual([
      { chave: 'enviar_1', tipo: 'enviar', config: { canal: 'sms', texto: 'Oi, {{contato.nome|você}}!' } },
      { chave: 'fim', tipo: 'sair', config: {} },
      { chave: 'dois_dias', tipo: 'esperar', rotulo: 'Dois dias', config: { dias: 2 } },
    ]);
    expect(body.ligacoes).toEqual([
      { de: 'enviar_1', para: 'dois_dias' },
      { de: 'dois_dias', para: 'fim' },
    ]);
    expectNoFaults(page);
  });

  test('are drawn: steps are connected by pointer, chosen and taken away by keyboard', async () => {
    const tenant = await service.tenant();
    const { create, get } = journeysOf(tenant.test);
    const { id } = await create(line(sms('a'), wait('b'), sms('c')));
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await expect.poll(() => nodes(page).count(), PATIENCE).toBe(3);
    await node(page, 'b').focus();
    await page.keyboard.press('Enter');
    await panel(page, 'b').waitFor();
    await node(page, 'b').focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => nodes(page).count(), PATIENCE).toBe(2);
    await outline(page, 'a').getByText('segue: Enviar mensagem').waitFor();

    const edge = page.locator('.react-flow__edge');
    expect(await edge.count()).toBe(1);
    await edge.focus();
    await page.keyboard.press('Delete');
    await expect.poll(() => edge.count(), PATIENCE).toBe(0);
    await outline(page, 'a').getByText('segue: termina').waitFor();
    await node(page, 'a')
      .locator('.react-flow__handle.source')
      .dragTo(node(page, 'c').locator('.react-flow__handle.target'));
    await expect.poll(() => edge.count(), PATIENCE).toBe(1);
    await save(page);
    const { body } = await get(id);
    expect(body.passos.map(({ chave }: { chave: string }) => chave)).toEqual(['a', 'c']);
    expect(body.ligacoes).toEqual([{ de: 'a', para: 'c' }]);
    expectNoFaults(page);
  });

  test('have rules: who enters and how often, silence, a cap and a goal, each of which can be cleared', async () => {
    const tenant = await service.tenant();
    const { create, get } = journeysOf(tenant.test);
    const { id } = await create({ meta: { evento: 'compra' }, tetoDeFrequencia: { mensagens: 3, dias: 7 } });
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await page.getByText('Regras da jornada').click();
    await page.getByRole('textbox', { name: /^Nome/ }).fill('Volta');
    await page.getByLabel('Quem entra').selectOption('manual');
    await page.getByLabel('Entrar de novo').selectOption('apos_concluir');
    await page.getByLabel('Horas desde que começou').fill('24');
    await page.getByLabel('Silêncio das').fill('22:00');
    await page.getByLabel('até as').fill('08:00');
    await page.getByLabel('No máximo mensagens por contato').fill('');
    await page.getByLabel('em dias').fill('');
    await page.getByLabel('Meta: nome do evento').fill('');
    await inspect(page, 'journey-rules');
    await save(page);
    const { body } = await get(id);
    expect(body).toMatchObject({
      name: 'Volta',
      gatilho: { tipo: 'manual' },
      reentrada: 'apos_concluir',
      intervaloReentradaHoras: 24,
      silencio: { inicio: '22:00', fim: '08:00' },
    });
    expect(body).not.toHaveProperty('meta');
    expect(body).not.toHaveProperty('tetoDeFrequencia');
  });

  test('say at the step and at the field what the service refused of them', async () => {
    const tenant = await service.tenant();
    const { create, get } = journeysOf(tenant.test);
    const { id } = await create(line(sms('oi')));
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await page.getByRole('button', { name: 'Novo passo' }).click();
    await page.getByRole('menuitem', { name: 'Webhook' }).click();
    await panel(page, 'webhook_1').getByLabel('Endereço (https)').fill('nenhum endereço');
    await outline(page, 'oi').getByRole('button').click();
    await panel(page, 'oi').getByLabel('segue').selectOption('webhook_1');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await page.getByRole('alert').getByText('passos.1.config.url').waitFor();
    await node(page, 'webhook_1').getByText('1 a corrigir').waitFor();
    await outline(page, 'webhook_1').getByText('1 a corrigir').waitFor();
    expect(await node(page, 'oi').getByText('a corrigir').count()).toBe(0);
    await outline(page, 'webhook_1').getByRole('button').click();
    const url = panel(page, 'webhook_1').getByLabel('Endereço (https)');
    expect(await url.getAttribute('aria-invalid')).toBe('true');
    await inspect(page, 'journey-refused');
    expect((await get(id)).body.passos).toHaveLength(1);
    await page.getByRole('button', { name: 'Descartar mudanças' }).click();
    await expect.poll(() => nodes(page).count(), PATIENCE).toBe(1);
    expect(await page.getByText('a corrigir').count()).toBe(0);
  });

  test('are activated, paused, resumed, changed as a next version, and archived', async () => {
    const tenant = await service.tenant();
    const { create, get } = journeysOf(tenant.test);
    const { id } = await create({ gatilho: { tipo: 'manual' }, ...line(sms('oi'), wait('um_dia')) });
    const contactId = await contactOf(tenant);
    const page = await service.entered(tenant);
    const confirm = async (name: string) => {
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    };
    await page.goto(`/console/journeys/${id}`);
    await confirm('Ativar');
    await page.getByText('Ativa', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pôr contatos' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(`${contactId}\ncnt_000000000000000000000`);
    await page.getByRole('dialog').getByRole('button', { name: 'Pôr contatos' }).click();
    await page.getByText('1 entraram.').waitFor();
    await page.getByText('o contato não existe').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pausar' }).click();
    await page.getByText('Pausada', { exact: true }).waitFor();
    await confirm('Retomar');
    await page.getByText('Ativa', { exact: true }).waitFor();

    await outline(page, 'oi').getByRole('button').click();
    await panel(page, 'oi').getByLabel('Texto da mensagem').fill('Olá');
    await page.getByRole('button', { name: 'Salvar como nova versão' }).click();
    await page.getByText('Versão 2', { exact: true }).waitFor();
    const next = page.url().replace(/.*\//, '');
    expect(next).not.toBe(id);
    expect((await get(next)).body).toMatchObject({ status: 'rascunho', versaoDe: id });
    await confirm('Apagar rascunho');
    await expect.poll(() => page.url(), PATIENCE).toMatch(/\/journeys$/);
    expect((await get(next)).status).toBe(404);
    await page.goto(`/console/journeys/${id}`);
    await confirm('Arquivar');
    await page.getByText('Uma versão arquivada fica como está.').waitFor();
    expect((await get(id)).body.status).toBe('arquivada');
    expectNoFaults(page);
  });

  test('show what came of each step, and the history of each run, which can be cancelled', async () => {
    const tenant = await service.tenant();
    const { create, did } = journeysOf(tenant.test);
    const { id } = await create({ gatilho: { tipo: 'manual' }, ...line(sms('oi'), wait('um_dia')) });
    await did(id, 'activate');
    await did(id, 'entries', { contactIds: [await contactOf(tenant)] });
    const page = await service.signedInAt(`/console/journeys/${id}`, tenant);
    await expect
      .poll(async () => (await tenant.test.get(`/v2/journeys/${id}/metrics`)).body.passos[1]?.esperando, PATIENCE)
      .toBe(1);
    await page.reload();
    await node(page, 'um_dia').getByText('1 aqui · 1 entraram').waitFor();
    await inspect(page, 'journey');
    await page.getByRole('link', { name: 'Execuções' }).click();
    await page.locator('tbody tr').first().waitFor();
    await inspect(page, 'journey-runs');
    await page.getByLabel('Situação').selectOption('erro');
    await page.getByRole('heading', { name: 'Nenhuma execução aqui' }).waitFor();
    await page.getByLabel('Situação').selectOption('ativa');
    await page.locator('tbody tr').first().getByRole('link').click();
    await page.getByText('Enviada').waitFor();
    await inspect(page, 'journey-run');
    await page.getByRole('button', { name: 'Cancelar execução' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancelar execução' }).click();
    await page.locator('dl').getByText('Cancelada').first().waitFor();
    expect(await page.getByRole('button', { name: 'Cancelar execução' }).count()).toBe(0);
    expectNoFaults(page);
  });

  test('are simulated on a clock that one moves, for a contact that is made up and for one that there is', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create(GRAPH);
    const contactId = await contactOf(tenant);
    const page = await service.signedInAt(`/console/journeys/${id}/simulate`, tenant);
    await page.getByRole('button', { name: 'Simular' }).click();
    const clock = page.getByRole('slider');
    await clock.waitFor();
    const texts = page.locator('[data-simulated-text]');
    expect(await texts.allTextContents()).toEqual(['Oi, Ana!']);
    await page.getByText('Está em: Esperar evento').waitFor();
    expect(await page.locator('[data-step="compra"]').getAttribute('data-mark')).toBe('now');
    await inspect(page, 'journey-simulation');
    await clock.focus();
    await page.keyboard.press('End');
    await page.getByText('Fim: Chegou ao fim').waitFor();
    expect(await texts.allTextContents()).toEqual(['Oi, Ana!', 'Volte sempre']);
    expect(await page.locator('[data-step="compra"]').getAttribute('data-mark')).toBe('done');
    await page.getByRole('button', { name: 'Passo anterior' }).click();
    await expect.poll(() => texts.allTextContents(), PATIENCE).toEqual(['Oi, Ana!']);

    await page.getByText('Um contato', { exact: true }).click();
    await page.getByLabel('Identificador do contato').fill(contactId);
    await page.getByLabel(/^Eventos/).fill('3h compra');
    await page.getByRole('button', { name: 'Simular' }).click();
    // Until the answer arrives the clock is still that of the simulation before.
    const markAtEnd = async () => {
      await clock.focus();
      await page.keyboard.press('End');
      return page.locator('[data-step="vip"]').getAttribute('data-mark');
    };
    await expect.poll(markAtEnd, PATIENCE).toBe('done');
    expect(await page.locator('[data-step="lembrete"]').getAttribute('data-mark')).toBeNull();
    expectNoFaults(page);
  });

  test('show markup in what they hold as text, and no button to who may only read', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create({
      name: ATTACK,
      gatilho: { tipo: 'etiqueta', nome: ATTACK },
      ...line({ ...sms('oi', ATTACK), rotulo: ATTACK }, { ...wait('depois'), rotulo: ATTACK }),
    });
    const page = await service.signedInAt('/console/journeys', tenant, 'viewer');
    await page.getByRole('link', { name: ATTACK }).click();
    await node(page, 'oi').getByText(ATTACK).first().waitFor();
    await outline(page, 'oi').getByRole('button').click();
    await page.goto(`/console/journeys/${id}/simulate`);
    await page.getByRole('button', { name: 'Simular' }).click();
    await page.locator('[data-simulated-text]').waitFor();
    expect(await page.locator('main img[src="x"]').count()).toBe(0);
    expect(await page.title()).not.toBe('attacked');
    await page.goto(`/console/journeys/${id}`);
    await nodes(page).first().waitFor();
    for (const name of ['Ativar', 'Apagar rascunho', 'Novo passo', 'Salvar'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expectNoFaults(page);
  });

  test('are read on a phone', async () => {
    const tenant = await service.tenant();
    const { create } = journeysOf(tenant.test);
    const { id } = await create(GRAPH);
    const page = await service.signedInAt('/console/journeys', tenant, 'owner', PHONE);
    await page.getByRole('link', { name: 'Boas-vindas' }).waitFor();
    await inspect(page, 'journeys-phone');
    await page.goto(`/console/journeys/${id}`);
    await nodes(page).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await inspect(page, 'journey-phone');
  });
});
