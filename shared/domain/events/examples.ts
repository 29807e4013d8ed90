import type { EventType } from './catalogue.ts';

const message = {
  id: 'msg_4hJ9sKq2LmN8pRt5VwXz1',
  channel: 'whatsapp',
  to: '+55119****4321',
  route: 'utility',
  contactId: 'cnt_4hJ9sKq2LmN8pRt5VwXz1',
  campaignId: 'black-friday',
  metadata: { orderId: '1042' },
};
const sms = { ...message, channel: 'sms', route: 'premium' };
const email = { ...message, channel: 'email', to: 'm***@example.com', route: 'email' };
const rcs = { ...message, channel: 'rcs', route: 'easy_rcs' };
const instagram = { ...message, channel: 'instagram', to: '17****0000', route: 'session' };
const at = '2026-03-02T14:05:09.120Z';
const url = 'https://loja.example/pedido/1042';
/** For our own short links; e-mail providers report clicks without a count. */
const click = { url, click: 1 };
const key = { keyId: 'key_4hJ9sKq2LmN8pRt5VwXz1', name: 'Checkout' };
const contact = { contactId: message.contactId, phone: '+55119****4321', source: 'api' };
const card = {
  cardId: 'crd_4hJ9sKq2LmN8pRt5VwXz1',
  pipelineId: 'pip_4hJ9sKq2LmN8pRt5VwXz1',
  estagioId: 'stg_4hJ9sKq2LmN8pRt5VwXz1',
  contatoId: contact.contactId,
  empresaId: 'emp_4hJ9sKq2LmN8pRt5VwXz1',
  status: 'aberto',
};
const campaign = { campaignId: 'cmp_4hJ9sKq2LmN8pRt5VwXz1', campaignTag: 'black-friday', name: 'Black Friday' };
const journey = { journeyId: 'jor_4hJ9sKq2LmN8pRt5VwXz1', versao: 2, versaoDe: 'jor_9xJ9sKq2LmN8pRt5VwXz1' };
const membership = { segmentId: 'seg_4hJ9sKq2LmN8pRt5VwXz1', contactId: message.contactId, at };

/**
 * Example `data` of each event type: sent by `POST /webhooks/{id}/test` and shown in the OpenAPI document. A type without an example does
 * not compile.
 */
export const EVENT_EXAMPLES: Readonly<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'message.queued': { ...message, status: 'queued' },
  'message.sent': { ...message, status: 'sent' },
  'message.delivered': { ...message, status: 'delivered' },
  'message.read': { ...message, status: 'read' },
  'message.failed': { ...message, status: 'failed', reason: 'expired' },
  'message.received': {
    id: 'msg_9xJ9sKq2LmN8pRt5VwXz1',
    channel: 'whatsapp',
    from: '+55119****4321',
    type: 'text',
    payload: { text: 'Vi o anúncio. Ainda tem?' },
    receivedAt: at,
    contactId: message.contactId,
    origemDoLink: { fonte: 'meta', anuncio: '120210000000000000' },
  },
  'campaign.started': { ...campaign, startedAt: at, total: 1250 },
  'campaign.paused': { ...campaign, pausedAt: at, pausedBy: { reason: 'insufficient_funds', at } },
  'campaign.completed': {
    ...campaign,
    startedAt: at,
    completedAt: '2026-03-02T15:48:30.000Z',
    progress: { total: 1250, queued: 0, sent: 1200, delivered: 1184, read: 733, clicked: 96, failed: 16, skipped: 50 },
    coins: { captured: 780_000, held: 0 },
  },
  'journey.activated': { ...journey, ativadaEm: at },
  'journey.paused': {
    ...journey,
    pausadaPor: { motivo: 'saldo_insuficiente', passo: 'boas_vindas', em: at, rotulo: 'Boas-vindas' },
  },
  'journey.run_failed': {
    ...journey,
    runId: 'run_4hJ9sKq2LmN8pRt5VwXz1',
    contactId: message.contactId,
    passo: 'avisar_erp',
    motivo: 'webhook_falhou',
  },
  'number.quality_changed': {
    numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1',
    phoneNumberId: '106540352242922',
    qualityRating: 'yellow',
    previousRating: 'green',
  },
  'template.approved': { templateId: 'tpl_4hJ9sKq2LmN8pRt5VwXz1', name: 'order_shipped', language: 'pt-BR' },
  'template.rejected': {
    templateId: 'tpl_4hJ9sKq2LmN8pRt5VwXz1',
    name: 'order_shipped',
    language: 'pt-BR',
    rejectionReason: 'INVALID_FORMAT',
  },
  'contact.created': { ...contact, status: 'unknown' },
  'contact.opted_out': { ...contact, status: 'denied', reason: 'asked to stop' },
  'contact.merged': { contactId: contact.contactId, mergedContactId: 'cnt_9xJ9sKq2LmN8pRt5VwXz1' },
  'apikey.created': { ...key, scopes: ['sms:send'] },
  'apikey.rotated': { ...key, rotatedAt: at, oldSecretsValidUntil: '2026-03-03T14:05:09.120Z' },
  'sms.delivered': { ...sms, status: 'delivered' },
  'sms.failed': { ...sms, status: 'failed', reason: 'invalid_number' },
  'sms.undelivered': { ...sms, status: 'undelivered', reason: 'carrier_rejected' },
  'sms.received': {
    id: 'rpl_4hJ9sKq2LmN8pRt5VwXz1',
    messageId: 'msg_9xJ9sKq2LmN8pRt5VwXz1',
    channel: 'sms',
    inReplyTo: sms.id,
    from: '+55119****4321',
    body: 'Sim',
    route: 'premium',
    receivedAt: at,
  },
  'sms.clicked': { ...sms, status: 'delivered', ...click },
  'sms.destination_held': {
    channel: 'sms',
    prefix: '+447911',
    sends: 64,
    delivered: 2,
    heldUntil: '2026-03-02T15:05:09.120Z',
  },
  'email.delivered': { ...email, status: 'delivered' },
  'email.bounced': { ...email, status: 'bounced', reason: 'mailbox_full' },
  'email.complained': { ...email, status: 'complained', reason: 'complaint' },
  'email.opened': { ...email, status: 'delivered', at },
  'email.clicked': { ...email, status: 'delivered', at, url },
  'rcs.delivered': { ...rcs, status: 'delivered' },
  'rcs.read': { ...rcs, status: 'read' },
  'rcs.failed': { ...rcs, status: 'failed', reason: 'expired' },
  'rcs.clicked': { ...rcs, status: 'delivered', ...click },
  'wallet.low_balance': { balanceCoins: 49_600, lowBalanceCoins: 50_000 },
  'wallet.depleted': { balanceCoins: 0, lowBalanceCoins: 50_000 },
  'instagram.message.received': {
    id: 'msg_9xJ9sKq2LmN8pRt5VwXz1',
    channel: 'instagram',
    from: '17****0000',
    type: 'text',
    payload: { text: 'Tem no tamanho 38?' },
    receivedAt: at,
  },
  'instagram.message.sent': { ...instagram, status: 'sent' },
  'instagram.message.failed': { ...instagram, status: 'failed', reason: 'expired' },
  'ai.interaction': {
    id: 'ait_4hJ9sKq2LmN8pRt5VwXz1',
    contactId: message.contactId,
    phone: contact.phone,
    channel: 'whatsapp',
    model: 'atendente-2',
    role: 'assistant',
    text: 'Seu pedido chega amanhã.',
    messageId: message.id,
    metadata: message.metadata,
  },
  'segment.entered': membership,
  'segment.left': membership,
  'company.created': { companyId: card.empresaId },
  'company.updated': { companyId: card.empresaId, campos: ['nome', 'responsavelId'] },
  'company.deleted': { companyId: card.empresaId, contatosDesvinculados: 3, cartoesDesvinculados: 2 },
  'card.created': card,
  'card.moved': { ...card, estagioAnteriorId: 'stg_9xJ9sKq2LmN8pRt5VwXz1' },
  'card.won': { ...card, status: 'ganho', valor: 12_500.5, moeda: 'BRL' },
  'card.lost': { ...card, status: 'perdido', valor: 12_500.5, moeda: 'BRL' },
  'card.stalled': { ...card, estagioDesde: at, tempoMaximoDias: 14 },
  'activity.due': {
    activityId: 'atv_4hJ9sKq2LmN8pRt5VwXz1',
    tipo: 'ligacao',
    momento: 'lembrete',
    venceEm: '2026-03-02T14:30:00.000Z',
    cardId: card.cardId,
    contatoId: card.contatoId,
    empresaId: card.empresaId,
    responsavelId: 'acc_4hJ9sKq2LmN8pRt5VwXz1',
  },
  'import.completed': {
    jobId: 'imp_4hJ9sKq2LmN8pRt5VwXz1',
    status: 'completed',
    rows: 12_000,
    created: 11_200,
    updated: 780,
    ignored: 0,
    errors: 20,
  },
  'export.completed': { jobId: 'exp_4hJ9sKq2LmN8pRt5VwXz1', status: 'completed', rows: 48_213, format: 'csv' },
};
