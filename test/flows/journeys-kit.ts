import { expect } from 'vitest';
import type { Client } from '../support/api.ts';

export const JOURNEYS = '/v2/journeys';

/** A step that sends an SMS. */
export const sms = (chave: string, texto = 'Oi') => ({ chave, tipo: 'enviar', config: { canal: 'sms', texto } });
export const wait = (chave: string) => ({ chave, tipo: 'esperar', config: { horas: 1 } });
export const webhook = (chave: string, url: string, cabecalhos?: readonly object[]) => ({
  chave,
  tipo: 'webhook',
  config: { url, ...(cabecalhos ? { cabecalhos } : {}) },
});

/** A step as callers write it. */
export interface WrittenStep {
  readonly chave: string;
  readonly [field: string]: unknown;
}
/** Steps one after the other. */
export const line = (...passos: readonly WrittenStep[]) => ({
  passos,
  ligacoes: passos.slice(1).map(({ chave }, at) => ({ de: passos[at]?.chave, para: chave })),
});

/** A definition that any organization may create. */
export const definition = (fields: object = {}) => ({
  name: 'Boas-vindas',
  gatilho: { tipo: 'evento', nome: 'cadastro' },
  reentrada: 'nunca',
  ...line(sms('oi')),
  ...fields,
});

/** Calls on journeys that are expected to succeed. */
export const journeysOf = (client: Client) => {
  const act = (id: string, act: string, body: object = {}) => client.post(`${JOURNEYS}/${id}/${act}`, body);
  const did = async (id: string, name: string, body?: object) => {
    const answer = await act(id, name, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  return {
    act,
    did,
    async create(fields: object = {}) {
      const answer = await client.post(JOURNEYS, definition(fields));
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    get: (id: string) => client.get(`${JOURNEYS}/${id}`),
    patch: (id: string, body: object) => client.call('PATCH', `${JOURNEYS}/${id}`, { body }),
    remove: (id: string) => client.call('DELETE', `${JOURNEYS}/${id}`),
    list: async () => (await client.get(JOURNEYS)).body.items,
  };
};
