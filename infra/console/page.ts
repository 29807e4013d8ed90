/** The response headers of the console's page, the same locally and deployed: docs/console.md#security. */

/** Where the page's own nonce goes; `console/vite.config.ts` writes it into the page. */
export const NONCE_PLACEHOLDER = '__CSP_NONCE__';

/** The content security policy of the page. */
const policyOf = (nonce: string, connect: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    // Elements that components make carry the nonce; attributes are not covered: the components set styles by script.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    ['connect-src', "'self'", ...connect].join(' '),
    // The preview's page, which has a policy of its own.
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** The CORS rule of the bucket for the console's pages: they may put files of an accepted type. */
export const UPLOAD_RULE = { method: 'PUT', header: 'content-type', maxAgeSeconds: 3000 } as const;

/** The headers of every answer under `/console`. */
export const FILE_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The headers of the page, which is never cached, since it names the files of the latest build. `connect`: additional origins that it may
 * send files to.
 */
export const pageHeaders = (nonce: string, connect: readonly string[]): Readonly<Record<string, string>> => ({
  ...FILE_HEADERS,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': policyOf(nonce, connect),
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
});

/** How long a file may be cached: forever if its name contains its hash. */
export const cacheControl = (path: string): string =>
  path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600';
