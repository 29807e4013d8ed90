import { join } from 'node:path';
import type { Demo } from './demo.ts';
import type { LocalStack } from './local-stack.ts';

const SMS = { to: '+5511999990005', body: 'Your order is on its way.', route: 'premium' };

/** A curl command to paste: an SMS with the test key, to a sandbox recipient that ends `delivered`. */
const curlLine = (url: string, key: string): string =>
  `curl -s ${url}/v2/sms/messages -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -H "Idempotency-Key: demo-$(date +%s)" -d '${JSON.stringify(SMS)}'`;

/** The text that `npm start` prints once the service is ready. */
export const banner = (
  { url, smppPort, dataDir }: LocalStack,
  { organizationId, hints, keys }: Demo,
  {
    logTo,
    tableLaws: laws,
    signIn,
  }: {
    readonly logTo: 'file' | 'stdout';
    /** Where the demo's owner signs in, below the address of the service. */
    readonly signIn: string;
    readonly tableLaws?: { readonly scale: number; readonly seed: number } | undefined;
  },
): string => {
  const logs = logTo === 'file' ? join(dataDir, 'functions.log') : 'this output';
  const credentials = keys
    ? [
        `A demo organization was made: ${organizationId}. These keys are shown once:`,
        `  test  ${keys.test}`,
        `  live  ${keys.live}`,
        '',
        'Send an SMS in the sandbox:',
        `  ${curlLine(url, keys.test)}`,
      ]
    : [
        `Demo organization ${organizationId}: test key ${hints.test}, live key ${hints.live}.`,
        'Keys are shown once; `npm run admin -- key create` makes another.',
      ];
  return [
    '',
    `Ready at ${url}  (reference: ${url}/docs)`,
    smppPort === undefined
      ? 'SMPP is off: SMPP_PORT names a free port.'
      : `SMPP on port ${smppPort}: POST /v2/smpp/accounts makes an account that binds.`,
    `Data in ${dataDir}, function logs in ${logs}`,
    ...(laws ? [`DynamoDB's laws before the table: limits / ${laws.scale}, seed ${laws.seed}`] : []),
    '',
    ...credentials,
    '',
    'Open the console as the owner of the demo (the link works once, for 15 minutes):',
    `  ${url}${signIn}`,
    '',
  ].join('\n');
};
