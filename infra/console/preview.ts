import { createHash } from 'node:crypto';

/**
 * The page in which the console shows HTML that people wrote: docs/console.md#html-of-people. The HTML stands in a frame that may do nothing; the
 * page around it exists for its policy alone, since a frame without an address has that of its parent, and the console's allows no styles of the content.
 */

/** Where it is, beside the console's page. */
export const PREVIEW_PATH = '/console/preview';

/**
 * Puts the content that the console sends into the frame. Other senders are ignored: only the console may frame this page, and the sender
 * is checked. A followed link leads nowhere, and leaves the frame empty: a second load restores the content.
 */
const SCRIPT = `
function show(html, title) {
  var frame = document.createElement('iframe');
  var loads = 0;
  frame.setAttribute('sandbox', '');
  frame.title = title;
  frame.srcdoc = html;
  frame.onload = function () {
    if (++loads > 1) show(html, title);
  };
  document.body.replaceChildren(frame);
}
addEventListener('message', function (event) {
  if (event.source !== parent || event.origin !== location.origin || typeof event.data.html !== 'string') return;
  show(event.data.html, String(event.data.title));
});
`;
const STYLE =
  'html,body{height:100%;margin:0;background:#fff}iframe{display:block;width:100%;height:100%;border:0;background:#fff}';

/** The page. */
export const PREVIEW_PAGE = `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Preview</title><style>${STYLE}</style></head><body><script>${SCRIPT}</script></body></html>`;

const POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  'img-src https: data:',
  "form-action 'none'",
  "base-uri 'none'",
  // A link in the content would lead its frame elsewhere.
  "frame-src 'none'",
  "frame-ancestors 'self'",
  // Of an origin of its own, also where somebody opens its address.
  'sandbox allow-scripts',
].join('; ');

/** The headers of the page. */
export const PREVIEW_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-robots-tag': 'noindex',
};
