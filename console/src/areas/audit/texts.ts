import { defineTexts } from '../../app/texts.ts';

export const texts = defineTexts(
  {
    title: 'Auditoria',
    description: 'Quem mudou o quê, quando e de onde. Guardada por 400 dias, sem dados pessoais nem segredos.',
    filters: 'Filtros da auditoria',
    emptyTitle: 'Nada registrado aqui',
    empty:
      'Cada mudança de configuração entra aqui no mesmo instante em que acontece: chaves, pessoas, webhooks, remetentes.',
    fields: { actor: 'Quem', action: 'Ação', object: 'Objeto', from: 'De', to: 'Até' },
    columns: { at: 'Quando', actor: 'Quem', action: 'Ação', object: 'Objeto', ip: 'De onde', details: 'Detalhes' },
    actionHint: 'Como key.created',
    operator: 'Operação do serviço',
    kinds: { key: 'chave', account: 'pessoa', operator: 'operação' },
  },
  {
    title: 'Audit log',
    description: 'Who changed what, when and from where. Kept for 400 days, without personal data or secrets.',
    filters: 'Audit filters',
    emptyTitle: 'Nothing entered here',
    empty: 'Each change of a setting is entered here the moment it happens: keys, people, webhooks, senders.',
    fields: { actor: 'Who', action: 'Action', object: 'Object', from: 'From', to: 'Until' },
    columns: { at: 'When', actor: 'Who', action: 'Action', object: 'Object', ip: 'From where', details: 'Details' },
    actionHint: 'Such as key.created',
    operator: 'Operator of the service',
    kinds: { key: 'key', account: 'person', operator: 'operator' },
  },
);
