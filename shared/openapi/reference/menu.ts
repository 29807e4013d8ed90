import { EMPTY, type Html, html } from '../html.ts';
import { type Area, addressOf, type Model } from './model.ts';

const link = (address: string, text: string, current: string): Html =>
  html`<a href="${address}"${address === current ? html` aria-current="page"` : EMPTY}>${text}</a>`;

/** A method and what it says in a menu. */
export const methodBadge = (method: string): Html =>
  html`<span class="method ${method.toLowerCase()}">${method}</span>`;

const operationsOf = ({ entries }: Area, current: string): Html =>
  html`<ul>${entries.map(({ method, operation: { operationId, summary } }) => {
    const address = addressOf.operation(operationId);
    const mark = address === current ? html` aria-current="page"` : EMPTY;
    return html`<li><a href="${address}"${mark}>${methodBadge(method)} <span>${summary}</span></a></li>`;
  })}</ul>`;

/** The way through the reference: the areas, with the operations of the one that is open. */
export const menuOf = ({ areas }: Model, open: Area | undefined, current: string): Html =>
  html`<form role="search" data-index="${addressOf.all}" hidden><label>Search <input type="search" autocomplete="off" spellcheck="false" placeholder="Operation, path, event"></label><ul aria-label="Found"></ul><p role="status"></p></form>
<ul>
<li>${link(addressOf.all, 'All operations', current)}</li>
${areas.map((area) => html`<li>${link(addressOf.area(area), area.name, current)}${area === open ? operationsOf(area, current) : EMPTY}</li>\n`)}
<li>${link(addressOf.events, 'Webhook events', current)}</li>
<li>${link(addressOf.schemas, 'Schemas', current)}</li>
</ul>`;
