import type { Page } from 'playwright-core';
import { made, startConsole } from './kit.ts';

const STAGES = [
  { nome: 'Novo', probabilidade: 20, tempoMaximoDias: 1 },
  { nome: 'Proposta', probabilidade: 60, camposObrigatorios: ['valor', 'atributos.origem'] },
  { nome: 'Negociação' },
  { nome: 'Ganho', tipo: 'ganho' },
  { nome: 'Perdido', tipo: 'perdido' },
];
/** The fields that the stage Proposta requires. */
export const REQUIRED = { valor: 10, atributos: { origem: 'feira' } } as const;

/** A pipeline whose first stage has these cards, and what is where in it, as the service has it. */
export const startBoard = async (titles: readonly string[], fields: object = {}) => {
  const tenant = await (await startConsole()).tenant();
  const pipeline = await made(tenant, '/pipelines', { nome: 'Vendas', estagios: STAGES });
  const cards: { id: string }[] = [];
  for (const titulo of titles) cards.push(await made(tenant, '/cards', { pipelineId: pipeline.id, titulo, ...fields }));
  const path = `/console/pipelines/${pipeline.id}`;
  const card = (at: number) => tenant.test.get(`/cards/${cards[at]?.id}`).then(({ body }) => body);
  const stored = async () => {
    const { body } = await tenant.test.get(`/pipelines/${pipeline.id}/board`);
    return body.estagios.map(({ cards: held }: { cards: { titulo: string }[] }) => held.map(({ titulo }) => titulo));
  };
  return { tenant, pipeline, path, cards, card, stored };
};

/** The page's content, column by column. */
export const shown = (page: Page) =>
  page.evaluate<string[][]>(
    "[...document.querySelectorAll('[data-stage]')].map((stage) => [...stage.querySelectorAll('[data-card] p:first-child')].map((title) => title.textContent))",
  );
export const tile = (page: Page, title: string) => page.locator('[data-card]', { hasText: title });
export const column = (page: Page, name: string) => page.locator(`[data-stage][aria-label="${name}"]`);

/** Where the middle of something is. Throws if it is not on the page. */
export const middle = async (locator: ReturnType<Page['locator']>) => {
  const box = await locator.boundingBox();
  if (!box) throw new Error('It is not there.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
};
