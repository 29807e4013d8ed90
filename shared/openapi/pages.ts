import { PROBLEMS, type ProblemName } from '../domain/core/errors.ts';
import { PROBLEM_GUIDE } from './problem-guide.ts';

/** Content Security Policy: only this host. RapiDoc needs inline styles; inline scripts are not allowed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
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

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Text as it may stand in HTML, in attributes as well. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
/** Escapes text and marks `code` between backticks. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A page of the documentation: its title as text, head and body as HTML. */
export const page = (title: string, head: string, body: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body>
${body}
</body>
</html>
`;

/** The reference: RapiDoc for /openapi.json, with all files from this host, and the way to the guides beside it. */
export const docsPage = page(
  'Multichannel messaging: API',
  '<link rel="stylesheet" href="/docs/assets/reference.css">',
  `<rapi-doc id="reference" spec-url="/openapi.json" render-style="focused" load-fonts="false" show-header="false" regular-font="system-ui, sans-serif"
 mono-font="ui-monospace, monospace" schema-style="table" schema-description-expanded="true" show-method-in-nav-bar="as-colored-text" use-path-in-nav-bar="false"
 allow-spec-url-load="false" allow-spec-file-load="false" persist-auth="false" sort-endpoints-by="none" primary-color="#0b7285">
<nav slot="nav-logo" aria-label="Documentation"><strong>API reference</strong> <a href="/docs/guides/overview">Guides</a></nav>
</rapi-doc>
<noscript>The reference needs scripts; the document behind it is at <a href="/openapi.json">/openapi.json</a>, the guides at <a href="/docs/guides/overview">/docs/guides/overview</a>.</noscript>
<script src="/docs/assets/start.js"></script>
<script src="/docs/assets/rapidoc.js"></script>`,
);

/** Gives the reference the colours that the reader's system prefers, also when that changes. */
export const docsStart = `const reference = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => reference.setAttribute('theme', dark.matches ? 'dark' : 'light');
dark.addEventListener('change', paint);
paint();
`;

const nameOf = (slug: string): ProblemName | undefined =>
  (Object.keys(PROBLEMS) as ProblemName[]).find((name) => name.toLowerCase().replaceAll('_', '-') === slug);

/** The page of a problem, by the last segment of its `type`; undefined if there is no such problem. */
export const problemPage = (slug: string): string | undefined => {
  const name = nameOf(slug);
  if (!name) return undefined;
  const { status, code, title } = PROBLEMS[name];
  const { meaning, when, action } = PROBLEM_GUIDE[name];
  return page(
    `${status} ${title}`,
    '<link rel="stylesheet" href="/docs/assets/error.css">',
    `<h1>${escapeHtml(title)}</h1>
<dl>
<dt>Status</dt><dd>${status}</dd>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Type</dt><dd><code>/docs/errors/${slug}</code></dd>
</dl>
<h2>What it means</h2>
<p>${inline(meaning)}</p>
<h2>When it comes</h2>
<ul>
${when.map((line) => `<li>${inline(line)}</li>`).join('\n')}
</ul>
<h2>What to do</h2>
<p>${inline(action)}</p>
<p><a href="/docs">All operations</a></p>`,
  );
};
