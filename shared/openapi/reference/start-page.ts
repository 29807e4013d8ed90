import { type Html, html } from '../html.ts';
import { addressOf, type Model } from './model.ts';
import { codeBlock } from './operation-page.ts';
import { inlineMarkdown, markdown } from './text.ts';

const SHELL = `export URL=https://messaging.example   # the address of the service
export KEY=svc_test_…                # a key; svc_test_… keys use the sandbox`;

const CLIENT = `import { Messaging } from 'multichannel-messaging-sdk';

const messaging = new Messaging({ baseUrl: 'https://messaging.example', apiKey: 'svc_test_…' });`;

/** The content of the page at `/docs`: what the API is, how to call it, and its areas. */
export const startMain = (model: Model): Html => {
  const { info, servers, components } = model.document;
  return html`<h1>${info.title} <small>${info.version}</small></h1>
${markdown(info.description ?? '')}
<h2 id="calls">Calls</h2>
<table><thead><tr><th scope="col">Address</th><th scope="col">What it is</th></tr></thead><tbody>
${servers.map(({ url, description = '' }) => html`<tr><th scope="row"><code>${url}</code></th><td>${description}</td></tr>`)}</tbody></table>
${Object.values(components.securitySchemes).map(({ description = '' }) => markdown(description))}
<p>The examples of the reference are commands for a shell that knows the address and the key, and calls of the client for TypeScript:</p>
${codeBlock(SHELL)}
${codeBlock(CLIENT)}
<p>For programs: <a href="/openapi.json">openapi.json</a>, and <a href="/docs/assets/postman.json">a collection</a> for Postman, Bruno and Insomnia. Tasks from beginning to end are in the <a href="/docs/guides/overview">guides</a>.</p>
<h2 id="areas">Areas</h2>
<dl class="areas">
${model.areas.map(
  (area) =>
    html`<dt><a href="${addressOf.area(area)}">${area.name}</a></dt><dd>${inlineMarkdown(area.description)}</dd>\n`,
)}<dt><a href="${addressOf.events}">Webhook events</a></dt><dd>What the service posts to subscribers.</dd>
<dt><a href="${addressOf.schemas}">Schemas</a></dt><dd>The named objects of requests and responses.</dd>
</dl>`;
};
