import bulk from '../../docs/guides/bulk.md?raw';
import consent from '../../docs/guides/consent.md?raw';
import deploy from '../../docs/guides/deploy.md?raw';
import fallbacks from '../../docs/guides/fallbacks.md?raw';
import firstMessage from '../../docs/guides/first-message.md?raw';
import goLive from '../../docs/guides/go-live.md?raw';
import journey from '../../docs/guides/journey.md?raw';
import overview from '../../docs/guides/README.md?raw';
import segmentToCampaign from '../../docs/guides/segment-to-campaign.md?raw';
import smpp from '../../docs/guides/smpp.md?raw';
import templates from '../../docs/guides/templates.md?raw';
import webhooks from '../../docs/guides/webhooks.md?raw';
import whatsappWindow from '../../docs/guides/whatsapp-window.md?raw';
import { framed } from './frame.ts';
import { EMPTY, escapeHtml, type Html, html, trusted } from './html.ts';
import { markdownWith } from './markdown.ts';

/** The guides by the last segment of their address, in the order in which a newcomer reads them. */
const GUIDES: ReadonlyMap<string, string> = new Map([
  ['overview', overview],
  ['first-message', firstMessage],
  ['webhooks', webhooks],
  ['fallbacks', fallbacks],
  ['bulk', bulk],
  ['templates', templates],
  ['whatsapp-window', whatsappWindow],
  ['consent', consent],
  ['segment-to-campaign', segmentToCampaign],
  ['journey', journey],
  ['smpp', smpp],
  ['deploy', deploy],
  ['go-live', goLive],
]);

export const GUIDE_NAMES: readonly string[] = [...GUIDES.keys()];

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? '';

/** The address of a guide that a guide links to; undefined for files of the repository, which the service does not serve. */
const addressOf = (href: string): string | undefined => {
  if (href === '../postman.json') return '/docs/assets/postman.json';
  if (/^(https:|\/docs)/.test(href)) return href;
  const [, name = '', fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  return GUIDES.has(name) ? `/docs/guides/${name}${fragment}` : undefined;
};

const markdown = markdownWith(
  addressOf,
  (text, href) => `${text} (<code>${escapeHtml(href.replace(/^\.\.\//, 'docs/'))}</code> in the repository)`,
);

const menuOf = (current: string): Html =>
  html`<p>Guides</p>
<ul>
${[...GUIDES].map(([name, text]) => {
  const mark = name === current ? html` aria-current="page"` : EMPTY;
  return html`<li><a href="/docs/guides/${name}"${mark}>${titleOf(text)}</a></li>\n`;
})}</ul>`;

/** The page of a guide by its name in the address; undefined if there is no such guide. */
export const guidePage = (name: string): string | undefined => {
  const text = GUIDES.get(name);
  if (text === undefined) return undefined;
  const main = html`<div class="prose">${trusted(markdown.parse(text, { async: false }))}</div>`;
  return framed({ title: titleOf(text), menu: menuOf(name), main });
};
