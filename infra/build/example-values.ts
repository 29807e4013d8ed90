import { CAMPAIGN_EXAMPLES } from './example-values-campaigns.ts';
import { JOURNEY_EXAMPLES } from './example-values-journeys.ts';
import { OPERATOR_EXAMPLES } from './example-values-operator.ts';
import { PIPELINE_EXAMPLES } from './example-values-pipelines.ts';

/** Values for an operation's example event, where the examples of its schemas do not suffice. */
export interface ExampleValues {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** For operations with a raw or streamed body. */
  readonly rawBody?: { readonly contentType: string; readonly text: string };
}

const VIP = { field: 'tag', operator: 'is', value: 'vip' };
const GOLD = { field: 'attribute', key: 'plano', operator: 'is', value: 'gold' };
const METADATA = { orderId: 'A-1842' } as const;

/** By operation id. Absent values come from the contract: required fields with their examples. */
export const EXAMPLE_VALUES: Readonly<Record<string, ExampleValues>> = {
  ...CAMPAIGN_EXAMPLES,
  ...JOURNEY_EXAMPLES,
  ...OPERATOR_EXAMPLES,
  ...PIPELINE_EXAMPLES,
  'companies.import': {
    body: {
      empresas: [
        {
          nome: 'Padaria Aurora',
          cnpj: '12.ABC.345/01DE-35',
          segmento: 'Alimentação',
          site: 'https://padaria.example.com',
          endereco: 'Rua das Flores, 10, São Paulo',
          atributos: { funcionarios: 12, cliente: true },
        },
      ],
    },
  },
  'v1.send': {
    body: {
      channel: 'whatsapp',
      to: '+5511999990005',
      template: 'pedido_enviado',
      variables: { nome: 'Ana' },
      fallback: [
        'rcs',
        { channel: 'sms', text: 'Seu pedido A-1842 saiu para entrega.', after: '30m', maxCoins: 2_000 },
      ],
      fallback_after: '10m',
      metadata: METADATA,
    },
  },
  'v1.preview': {
    body: { channel: 'sms', to: '+5511999990005', text: 'Seu pedido A-1842 saiu para entrega.', fallback: ['rcs'] },
  },
  'messages.create': {
    body: {
      channel: 'sms',
      to: '+5511999990005',
      type: 'text',
      payload: { text: 'Seu pedido A-1842 saiu para entrega.' },
      scheduledAt: '2026-03-02T14:05:09.120Z',
      metadata: METADATA,
    },
  },
  'messages.list': { query: { status: 'delivered', from: '2026-03-01T00:00:00.000Z', limit: '50', skip: '0' } },
  'messages.resend': { body: { payload: { text: 'Seu pedido A-1842 saiu para entrega.' }, metadata: METADATA } },
  'bulk.send': {
    body: {
      mode: 'permissive',
      messages: [
        {
          channel: 'sms',
          to: '+5511999990005',
          text: 'Seu pedido A-1842 saiu para entrega.',
          idempotencyKey: 'A-1842',
        },
        { channel: 'rcs', to: '+5511999990025', text: 'Seu pedido A-1843 saiu para entrega.', metadata: METADATA },
      ],
    },
  },
  'bulk.resend': {
    body: {
      items: [{ id: 'msg_4hJ9sKq2LmN8pRt5VwXz1', correction: { to: '+5511999990005' } }],
    },
  },
  'bulk.get': { params: { batchId: 'btc_4hJ9sKq2LmN8pRt5VwXz1' } },
  'sms.send': {
    body: { to: '+5511999990005', body: 'Seu pedido A-1842 saiu para entrega.', route: 'premium', metadata: METADATA },
  },
  'sms.preview': { body: { body: 'Seu pedido A-1842 saiu para entrega.', route: 'premium' } },
  'sms.list': { query: { status: 'delivered', from: '2026-03-01T00:00:00.000Z', limit: '50', skip: '0' } },
  'sms.list-replies': { query: { inReplyTo: 'msg_4hJ9sKq2LmN8pRt5VwXz1', limit: '50' } },
  'rcs.send': {
    body: {
      to: '+5511999990005',
      content: {
        card: {
          title: 'Seu pedido A-1842 saiu',
          description: 'Chega hoje até as 18 h.',
          fileUrl: 'https://cdn.loja.example/pedido.png',
          suggestions: [
            { kind: 'openUrl', label: 'Rastrear', url: 'https://loja.example/pedidos/A-1842' },
            { kind: 'reply', label: 'Está tudo certo' },
          ],
        },
      },
      route: 'easy_rcs',
      fallback: { text: 'Seu pedido A-1842 saiu para entrega.' },
      metadata: METADATA,
    },
  },
  'rcs.list': { query: { status: 'delivered', channel: 'rcs', limit: '50' } },
  'wallet.change': { body: { lowBalanceCoins: 50_000 } },
  'wallet.list-entries': { query: { limit: '50' } },
  'keys.change': { body: { name: 'Checkout', allowedIps: ['203.0.113.0/24'] } },
  'smpp.change': { body: { name: 'Billing gateway', window: 64 } },
  'keys.rotate': { body: { overlapHours: 24 } },
  'push.create-app': {
    body: {
      name: 'Loja Azul',
      // The example keys of RFC 8291, appendix A.
      vapid: {
        publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
        privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
        subject: 'mailto:push@loja.example',
      },
    },
  },
  'push.change-app': { body: { name: 'Loja Azul 2' } },
  'push.register-token': {
    body: {
      appId: 'app_4hJ9sKq2LmN8pRt5VwXz1',
      token: 'a1b2c3d4e5f60005',
      platform: 'ios',
      externalId: 'loja:42',
      userName: 'Ana Souza',
      topics: ['ofertas'],
    },
  },
  'push.send': {
    body: {
      title: 'Seu pedido saiu',
      body: 'Chega hoje até as 18 h.',
      deepLink: 'loja://pedidos/A-1842',
      actions: [{ label: 'Rastrear', link: 'https://loja.example/pedidos/A-1842' }],
      platforms: ['ios', 'android'],
      segment: 'all_opt_in',
    },
  },
  'push.list': { query: { status: 'sent', limit: '50' } },
  'contacts.create': {
    body: {
      phone: '+5511999991234',
      name: 'Ana Souza',
      email: 'ana@example.com',
      tags: ['cliente', 'vip'],
      attributes: { plano: 'ouro', compras: 12 },
      externalId: 'loja:42:8f14e45f',
      optIn: { status: 'granted', source: 'checkout' },
    },
  },
  'contacts.change': { body: { name: 'Ana Lima', attributes: { plano: 'prata', cidade: null } } },
  'contacts.consents': { query: { limit: '50' } },
  'contacts.export': { query: { limit: '100' } },
  'contacts.import': {
    body: {
      contatos: [
        { phone: '+5511999991234', name: 'Ana Souza', tags: ['cliente'] },
        { phone: '+5511999995678', externalId: 'loja:43' },
      ],
      onConflict: 'update',
    },
  },
  'contacts.merge': { body: { contactId: 'cnt_9xJ9sKq2LmN8pRt5VwXz1' } },
  'contact-imports.create': {
    body: { format: 'csv', onConflict: 'update', size: 48_213, mapping: { Telefone: 'phone', Nome: 'name' } },
  },
  'contact-imports.list': { query: { limit: '50' } },
  'export-jobs.list': { query: { limit: '50' } },
  'export-jobs.create': {
    body: {
      kind: 'messages',
      channel: 'sms',
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-06-30T23:59:59.999Z',
      format: 'csv',
    },
  },
  'contacts.opt-out': { body: { reason: 'asked by phone' } },
  'contacts.opt-in': { body: { source: 'checkout', ip: '203.0.113.7' } },
  'contacts.timeline': { query: { limit: '50' } },
  'segments.create': {
    body: {
      name: 'VIPs de São Paulo',
      description: 'Bought lately',
      filters: [VIP],
      filterTree: {
        kind: 'group',
        operator: 'or',
        nodes: [
          { kind: 'leaf', filter: VIP },
          { kind: 'leaf', filter: GOLD },
        ],
      },
    },
  },
  'segments.preview': { body: { filters: [VIP, GOLD] } },
  'segments.update': { body: { name: 'VIPs', filters: [VIP] } },
  'events.record': {
    body: {
      name: 'compra',
      eventId: 'pedido-A-1842',
      contact: { externalId: 'cliente-77' },
      value: 199.9,
      currency: 'BRL',
      properties: METADATA,
    },
  },
  'events.list': {
    query: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z', name: 'compra', limit: '50' },
  },
  'exports.whatsapp': { query: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z', limit: '500' } },
  'exports.messages': {
    query: { channel: 'sms', from: '2026-03-01T00:00:00.000Z', to: '2026-03-31T23:59:59.999Z', limit: '500' },
  },
  'lists.create': { body: { name: 'Clientes VIP', description: 'Quem comprou mais de três vezes no ano' } },
  'lists.change': { body: { name: 'Clientes ouro' } },
  'lists.add-members': { body: { externalIds: ['loja:42:8f14e45f'], phones: ['+5511999991234'] } },
  'lists.replace-members': { body: { externalIds: ['loja:42:8f14e45f'] } },
  'lists.remove-members': { body: { contactIds: ['cnt_4hJ9sKq2LmN8pRt5VwXz1'] } },
  'ai.report': {
    body: {
      contactId: 'cnt_4hJ9sKq2LmN8pRt5VwXz1',
      channel: 'whatsapp',
      model: 'atendente-2',
      role: 'assistant',
      text: 'Seu pedido A-1842 chega amanhã.',
      metadata: METADATA,
    },
  },
  'media.upload': {
    params: { numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1' },
    body: {
      filename: 'aviso.txt',
      mimeType: 'text/plain',
      dataBase64: 'U2V1IHBlZGlkbyBBLTE4NDIgc2FpdSBwYXJhIGVudHJlZ2EuCg==',
    },
  },
  'media.upload-binary': {
    params: { numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1' },
    query: { filename: 'aviso.txt' },
    rawBody: { contentType: 'text/plain', text: 'Seu pedido A-1842 saiu para entrega.\n' },
  },
  'media.begin-upload': {
    params: { numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1' },
  },
  'media.complete-upload': {
    params: { numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1', uploadId: 'upl_4hJ9sKq2LmN8pRt5VwXz1' },
  },
  'callbacks.receive': {
    params: { provider: 'twilio', kind: 'receipts' },
    rawBody: {
      contentType: 'application/x-www-form-urlencoded',
      text: 'MessageSid=SM1f0e8ae6ade43cb3c0ce4525424e404f&MessageStatus=delivered&To=%2B5511999990005',
    },
  },
  'callbacks.verify': {
    params: { provider: 'whatsapp_cloud_api', kind: 'events' },
  },
  'webhooks.create': {
    body: {
      url: 'https://loja.example/webhooks',
      events: ['sms.delivered', 'sms.failed'],
      description: 'Order status',
    },
  },
  'webhooks.change': { body: { status: 'paused' } },
  'webhooks.rotate-secret': { body: { overlapHours: 24 } },
  'webhooks.replay': {
    body: { from: '2026-03-02T00:00:00.000Z', to: '2026-03-02T23:59:59.999Z', status: 'abandoned' },
  },
  'webhooks.list': { query: { status: 'active', event: 'sms.delivered' } },
  'webhooks.list-deliveries': { query: { status: 'failed', limit: '50' } },
  'webhooks.list-events': { query: { after: '0', limit: '50' } },
  'email.send': {
    body: {
      to: 'success@simulator.amazonses.com',
      subject: 'Seu pedido saiu para entrega',
      html: '<p>Seu pedido A-1842 saiu para entrega.</p>',
      transactional: true,
      metadata: METADATA,
    },
  },
  'email-templates.create': {
    body: {
      name: 'pedido-enviado',
      subject: '{{nome}}, seu pedido saiu para entrega',
      format: 'html',
      source: '<p>Olá, {{nome}}! O pedido {{pedido}} saiu para entrega.</p>',
      variables: [{ name: 'nome', example: 'Ana' }, { name: 'pedido' }],
    },
  },
  'email-templates.change': { body: { subject: 'Seu pedido {{pedido}} saiu para entrega' } },
  'email-templates.list': { query: { q: 'pedido', limit: '50' } },
  'email-templates.render': { body: { variables: { nome: 'Bia', pedido: 'A-1842' } } },
  'numbers.list': { query: { status: 'connected', limit: '50' } },
  'numbers.connect': {
    body: {
      phoneNumberId: '106540352242922',
      wabaId: '102290129340398',
      accessToken: 'EAAJB4Zt8tokenOfTheNumber',
      meta: { byo: true },
    },
  },
  'numbers.change': { body: { rateLimit: { perSecond: 20, perDay: 200 } } },
  'numbers.change-profile': { body: { about: 'Moda azul desde 1998', website: 'https://loja.example' } },
  'templates.list': { query: { status: 'approved', category: 'utility', language: 'pt-BR', limit: '50' } },
  'templates.create': {
    body: {
      numberId: 'num_4hJ9sKq2LmN8pRt5VwXz1',
      name: 'pedido_enviado',
      language: 'pt-BR',
      category: 'utility',
      components: [
        {
          type: 'BODY',
          payload: {
            text: 'Olá, {{1}}! O pedido {{2}} saiu para entrega.',
            example: { body_text: [['Ana', 'A-1842']] },
          },
        },
      ],
    },
  },
  'templates.change': { body: { category: 'marketing' } },
  'flows.list': { query: { status: 'active', platformStatus: 'PUBLISHED', category: 'CUSTOMER_SUPPORT', limit: '20' } },
  'flows.change': { body: { description: 'Abre um chamado' } },
  'unsubscribe.show': { params: { token: 'lM2Q1kYv7' } },
  'unsubscribe.confirm': {
    params: { token: 'lM2Q1kYv7' },
    rawBody: { contentType: 'application/x-www-form-urlencoded', text: 'List-Unsubscribe=One-Click' },
  },
  'links.follow': { params: { code: 'k3Xp9aQz' } },
  'meta.docs-asset': { params: { file: 'docs.css' } },
  'meta.docs-guide': { params: { guide: 'first-message' } },
  'meta.docs-error': { params: { code: 'not-found' } },
};
