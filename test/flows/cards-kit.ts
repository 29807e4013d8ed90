import { expect } from 'vitest';
import type { Messaging } from '../support/api.ts';

const PATH = '/cards';
const STAGES = [
  { nome: 'Contato' },
  { nome: 'Proposta', camposObrigatorios: ['valor', 'atributos.origem'] },
  { nome: 'Ganho', tipo: 'ganho' },
  { nome: 'Perdido', tipo: 'perdido' },
];

/** A client with a pipeline, and the ids of its stages in their order. */
export const beginCards = async (messaging: Messaging, estagios: readonly object[] = STAGES) => {
  const { id: organizationId, test: client } = await messaging.tenant();
  const pipeline = (await client.post('/pipelines', { nome: 'Vendas', estagios })).body;
  const [one = '', two = '', three = '', four = ''] = pipeline.estagios.map(({ id }: { id: string }) => id as string);
  const stages = [one, two, three, four] as const;
  const create = async (fields: object = {}) => {
    const answer = await client.post(PATH, { pipelineId: pipeline.id, titulo: 'Renovação', ...fields });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const patch = (id: string, body: object) => client.call('PATCH', `${PATH}/${id}`, { body });
  const move = (id: string, estagioId: string | undefined, more: object = {}) =>
    client.post(`${PATH}/${id}/move`, { estagioId, ...more });
  const board = async () => (await client.get(`/pipelines/${pipeline.id}/board`)).body;
  return { organizationId, client, pipeline, stages, create, patch, move, board };
};
export const contactOf = async (client: Awaited<ReturnType<typeof beginCards>>['client'], at = 0) =>
  (await client.post('/contacts', { phone: `+55119${86_100_000 + at}` })).body.id as string;
export const titles = (stage: { cards: { titulo: string }[] }) => stage.cards.map(({ titulo }) => titulo);
