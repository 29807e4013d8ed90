/** The areas of the product, and parts of the paths of their tests: `npm run test:area sms`. */
export const AREAS: Readonly<Record<string, readonly string[]>> = {
  sms: ['sms', 'sandbox-outcomes', 'domain/phone', 'numbering-plans'],
  rcs: ['rcs', 'sandbox-outcomes'],
  email: ['email', 'unsubscribe'],
  senders: ['/sender'],
  whatsapp: ['whatsapp', 'meta/', 'meta-', 'test/numbers', 'flows/numbers', 'number-senders', 'flows/flows'],
  templates: ['test/templates', 'flows/templates', 'v1-templates', 'email-templates'],
  media: ['test/media', 'flows/media', 'meta-media', 'infra/media'],
  instagram: ['instagram', 'meta/', 'domain/meta-'],
  push: ['push'],
  sending: [
    'flows/message',
    'storage/message',
    'flows/v1-',
    'v1-request-key',
    'flows/sizes',
    'flows/largest-bodies',
    'apply-receipt',
    'critical-lane',
    'domain/priority',
    'planning',
    'quiet-hours',
    'destination',
    'faults/',
    'callbacks',
    'channels/',
  ],
  bulk: ['bulk', 'batch-calls'],
  contacts: [
    'contacts',
    'storage/contact-',
    'counters',
    'interactions',
    'flows/ai',
    'consent',
    'documents',
    'personal-data',
    'opt-out',
    'preferences',
    'unsubscribe',
  ],
  inbound: ['inbound', 'replies', 'engagement'],
  webhooks: ['takers', 'webhook'],
  wallet: ['wallet', 'lanes', 'money', 'pricing', 'volume', 'months', 'debits', 'coins', 'storage/rates', 'docs/cost'],
  access: [
    'access',
    'person-lookups',
    'keys',
    'key-',
    'ip-ranges',
    'sessions',
    'people',
    'roles',
    'sign-in',
    'secrets',
    'revocation',
    'tenancy',
    'operator',
    'authorizer',
    'organization-settings',
  ],
  audit: ['audit'],
  links: ['links'],
  providers: ['test/providers', 'breakers'],
  platform: [
    'domain/json',
    'zod-',
    'cursor',
    'linear',
    'storage/client',
    'storage/conflicts',
    'parse-key',
    'row-codec',
    'migration',
    'restore',
    'storage/due',
    'publisher',
    'test/local',
    'test/table-laws',
    'test/infra',
  ],
  project: ['test/contracts', 'test/docs', 'test/quality'],
};

if (import.meta.main) {
  const [area = '', ...options] = process.argv.slice(2);
  const paths = AREAS[area];
  if (!paths) {
    console.error(`There is no area "${area}". There are: ${Object.keys(AREAS).join(', ')}.`);
    process.exit(1);
  }
  const { startVitest } = await import('vitest/node');
  const vitest = await startVitest([...paths, ...options]);
  await vitest.close();
}
