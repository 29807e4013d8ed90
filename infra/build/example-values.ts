/** Values for an operation's example event, where the schemas' own examples do not make a good one. */
export interface ExampleValues {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly rawBody?: string;
}

const METADATA = { orderId: 'A-1842' } as const;

/** One row per operation that needs one. What is absent comes from the contract: required fields, by their examples. */
export const EXAMPLE_VALUES: Readonly<Record<string, ExampleValues>> = {
  'sms.send': {
    body: { to: '+5511999990005', body: 'Seu pedido A-1842 saiu para entrega.', route: 'premium', metadata: METADATA },
  },
  'sms.preview': { body: { body: 'Seu pedido A-1842 saiu para entrega.', route: 'premium' } },
  'sms.list': { query: { status: 'delivered', from: '2026-03-01T00:00:00.000Z', limit: '50', skip: '0' } },
  'sms.list-replies': { query: { inReplyTo: 'msg_4hJ9sKq2LmN8pRt5VwXz1', limit: '50' } },
  'wallet.change': { body: { lowBalanceCoins: 50_000 } },
  'wallet.list-entries': { query: { limit: '50' } },
  'keys.create': { body: { name: 'Checkout service', scopes: ['sms:send', 'sms:read'] } },
  'keys.rotate': { body: { overlapHours: 24 } },
  'meta.docs-asset': { params: { file: 'swagger-ui.css' } },
  'meta.docs-error': { params: { code: 'not-found' } },
};
