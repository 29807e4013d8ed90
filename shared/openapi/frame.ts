import { EMPTY, type Html, html } from './html.ts';

/** Content Security Policy: scripts, styles and texts of this host alone, none of them inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of everything shown in a browser: no content sniffing, no framing, no other host. */
export const staticHeaders = (contentType: string): Readonly<Record<string, string>> => ({
  'content-type': contentType,
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'public, max-age=300',
});

export interface Frame {
  /** Of the browser's tab. */
  readonly title: string;
  /** For search engines, one line. */
  readonly description?: string;
  /** The way to the other pages. */
  readonly menu: Html;
  readonly main: Html;
}

const BAR = html`<header><a href="#main" class="skip">To the content</a>
<a href="/docs">API reference</a>
<a href="/docs/guides/overview">Guides</a>
<a href="#menu" class="to-menu">Menu</a>
</header>`;

/** A page of the documentation. It can be read without scripts; the script adds the search and buttons that copy. */
export const framed = ({ title, description, menu, main }: Frame): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${description === undefined ? EMPTY : html`<meta name="description" content="${description}">`}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/docs.css">
<script src="/docs/assets/reader.js" defer></script>
</head>
<body>
${BAR}
<main id="main">
${main}
</main>
<nav id="menu" aria-label="Documentation">
${menu}
</nav>
</body>
</html>
`.text;
