const CONTACT = 'cnt_4hJ9sKq2LmN8pRt5VwXz1';
const PIPELINE = 'pip_4hJ9sKq2LmN8pRt5VwXz1';
const STAGE = 'stg_4hJ9sKq2LmN8pRt5VwXz1';
const OTHER_STAGE = 'stg_9xJ9sKq2LmN8pRt5VwXz1';
const CARD = 'crd_4hJ9sKq2LmN8pRt5VwXz1';

/** The examples of pipelines and cards. */
export const PIPELINE_EXAMPLES = {
  'pipelines.list': { query: { contagem: 'true', includeArchived: 'true' } },
  'pipelines.create': {
    body: {
      nome: 'Vendas B2B',
      estagios: [
        { nome: 'Contato', probabilidade: 10, tempoMaximoDias: 14 },
        { nome: 'Proposta', probabilidade: 50, camposObrigatorios: ['valor', 'dataPrevista'] },
        { nome: 'Ganho', tipo: 'ganho' },
        { nome: 'Perdido', tipo: 'perdido' },
      ],
    },
  },
  'pipelines.change': { body: { nome: 'Vendas para empresas' } },
  'pipelines.add-stage': { body: { nome: 'Contrato', probabilidade: 90 } },
  'pipelines.change-stage': { body: { tempoMaximoDias: 7, probabilidade: null } },
  'pipelines.order-stages': { body: { estagios: [STAGE, OTHER_STAGE] } },
  'pipelines.board': { query: { limit: '50' } },
  'pipelines.stage-cards': { query: { limit: '50' } },
  'cards.list': { query: { pipelineId: PIPELINE, status: 'aberto', limit: '50' } },
  'cards.create': {
    body: {
      pipelineId: PIPELINE,
      titulo: 'Renovação anual',
      valor: 12_500.5,
      contatoId: CONTACT,
      dataPrevista: '2026-06-30',
      atributos: { origem: 'feira', unidades: 40 },
    },
  },
  'cards.import': {
    body: {
      cartoes: [
        { pipelineId: PIPELINE, titulo: 'Renovação anual', valor: 12_500.5 },
        { id: CARD, valor: 9_900 },
      ],
    },
  },
  'cards.change': { body: { valor: 9_900, dataPrevista: null } },
  'cards.move': { body: { estagioId: STAGE, depoisDe: 'crd_9xJ9sKq2LmN8pRt5VwXz1' } },
  'cards.lost': { body: { motivoPerda: 'Preço' } },
  'cards.history': { query: { limit: '50' } },
} as const;
