const WELCOME = {
  passos: [
    {
      chave: 'boas_vindas',
      tipo: 'enviar',
      rotulo: 'Boas-vindas',
      config: { canal: 'sms', texto: 'Olá, {{contato.nome|cliente}}! Seu cadastro está pronto.' },
    },
    { chave: 'compra', tipo: 'esperar_evento', config: { evento: 'compra', prazo: { dias: 3 } } },
    { chave: 'cliente', tipo: 'etiqueta', config: { adicionar: 'cliente' } },
    { chave: 'lembrete', tipo: 'enviar', config: { canal: 'sms', texto: 'Ainda em dúvida? Fale com a gente.' } },
  ],
  ligacoes: [
    { de: 'boas_vindas', para: 'compra' },
    { de: 'compra', para: 'cliente', quando: 'evento' },
    { de: 'compra', para: 'lembrete', quando: 'tempo_esgotado' },
  ],
};

/** Values of the examples of journeys. */
export const JOURNEY_EXAMPLES = {
  'journeys.create': {
    body: {
      name: 'Boas-vindas',
      gatilho: { tipo: 'evento', nome: 'cadastro' },
      ...WELCOME,
      reentrada: 'apos_concluir',
      intervaloReentradaHoras: 72,
      meta: { evento: 'compra' },
    },
  },
  'journeys.simulate': {
    body: {
      contato: { name: 'Ana', phone: '+5511999990005' },
      eventos: [{ nome: 'compra', apos: { horas: 30 } }],
      mensagens: [{ passo: 'boas_vindas', status: 'entregue' }],
    },
  },
  'journeys.change': { body: { name: 'Boas-vindas 2', meta: null } },
} as const;
