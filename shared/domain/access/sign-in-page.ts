import { createHash } from 'node:crypto';

/**
 * The token is submitted only when the button is pressed: mail scanners follow links before people do, and a link works
 * once. The token is in the fragment, which browsers never send.
 */
const SCRIPT = `
const form = document.querySelector('form');
const output = document.querySelector('output');
const query = location.search;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  form.hidden = true;
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch('sessions' + query, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const body = await answer.json();
  output.textContent = answer.ok
    ? 'Sessão aberta até ' + new Date(body.expiresAt).toLocaleString('pt-BR') + '. Sua credencial: ' + body.token
    : 'O link é desconhecido, já foi usado ou expirou. Peça outro.';
});
`;

const HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** Headers of the page: not cached, indexed or framed; it runs only its own script and connects only to this host. */
export const SIGN_IN_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; script-src 'sha256-${HASH}'; style-src 'unsafe-inline'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** The page that a sign-in link leads to, in Portuguese. */
export const signInPage = `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Entrar</title>
<link rel="icon" href="data:,">
<style>
body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1.5rem; color: #1f2933; background: #fff; }
button { font: inherit; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; color: #fff; background: #0b5cad; cursor: pointer; }
button:focus-visible { outline: 3px solid #f2a900; outline-offset: 2px; }
output { overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
<h1>Entrar</h1>
<form>
<p>O link funciona uma única vez.</p>
<button type="submit">Entrar</button>
</form>
<output role="status"></output>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
