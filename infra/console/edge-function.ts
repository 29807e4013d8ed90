import { NONCE_PLACEHOLDER, pageHeaders } from './page.ts';

const YEAR_S = 365 * 24 * 3600;

/** The headers of the page as a CloudFront Function answers them; the nonce is written into the policy later. */
const edgeHeaders = (connect: readonly string[]): Record<string, { readonly value: string }> => {
  const headers = {
    ...pageHeaders(NONCE_PLACEHOLDER, connect),
    // A response headers policy does not reach what a function answers.
    'strict-transport-security': `max-age=${YEAR_S}; includeSubDomains`,
  };
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
};

/**
 * The CloudFront Function of `/console` (JavaScript runtime 2.0, at most 10 KB): lets the console's own files through to the bucket, and answers
 * every other path with the page, which it writes a new nonce into. The nonce is a hash of what nobody knows before the request: its id, the
 * time and a random number. `connect`: origins that the page may send files to.
 */
export const consoleFunctionCode = (
  page: string,
  files: readonly string[],
  connect: readonly string[],
): string => `import crypto from 'crypto';

var PAGE = ${JSON.stringify(page)};
var HEADERS = ${JSON.stringify(edgeHeaders(connect))};
var FILES = ${JSON.stringify(files.map((name) => `/console/${name}`))};

function handler(event) {
  var uri = event.request.uri;
  if (uri.indexOf('/console/assets/') === 0 || FILES.indexOf(uri) >= 0) return event.request;
  var seed = [event.context.requestId, Date.now(), Math.random(), Math.random()].join(' ');
  var nonce = crypto.createHash('sha256').update(seed).digest('base64');
  var headers = {};
  for (var name in HEADERS) headers[name] = { value: HEADERS[name].value.split('${NONCE_PLACEHOLDER}').join(nonce) };
  return {
    statusCode: 200,
    statusDescription: 'OK',
    headers: headers,
    body: { encoding: 'text', data: PAGE.split('${NONCE_PLACEHOLDER}').join(nonce) },
  };
}
`;
