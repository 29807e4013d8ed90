/** Loads nothing from anywhere; the form may only post to this host. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Headers of both pages: not cached, not indexed, not framed, and the link is not leaked as a referrer. */
export const UNSUBSCRIBE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

const page = (title: string, body: string): string => `<!doctype html>
<html lang="pt-BR">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
body { font: 1.125rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1.5rem; color: #1f2933; background: #fff; }
button { font: inherit; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; color: #fff; background: #0b5cad; cursor: pointer; }
button:focus-visible { outline: 3px solid #f2a900; outline-offset: 2px; }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** The confirmation page. The form has no action, so it posts to the page's own URL. */
export const confirmPage = page(
  'Cancelar inscrição',
  `<h1>Cancelar inscrição</h1>
<p>Você deixará de receber e-mails deste remetente. Mensagens sobre senhas e pedidos continuam chegando.</p>
<form method="post">
<input type="hidden" name="List-Unsubscribe" value="One-Click">
<button type="submit">Cancelar inscrição</button>
</form>`,
);

/** The result page, for the first click and for repeats. */
export const donePage = page(
  'Inscrição cancelada',
  `<h1>Inscrição cancelada</h1>
<p role="status">Pronto: este endereço não receberá mais e-mails deste remetente.</p>`,
);
