import { EMPTY, type Html, html } from '../html.ts';
import { exampleOf } from './examples.ts';
import { fieldsOf } from './fields.ts';
import { methodBadge } from './menu.ts';
import { type Area, addressOf, type Entry, type Model, type Operation, type Schema } from './model.ts';
import { codeBlock, parameterTables, requestOf, responsesOf } from './operation-page.ts';
import { inlineMarkdown, markdown } from './text.ts';

const line = ({ method, path, operation: { operationId, summary } }: Entry): Html =>
  html`<li><a href="${addressOf.operation(operationId)}">${methodBadge(method)} <span>${summary}</span> <code>${path}</code></a></li>\n`;

const operations = ({ entries }: Area): Html => html`<ul class="operations">${entries.map(line)}</ul>`;

export const areaMain = (area: Area): Html =>
  html`<h1>${area.name}</h1>
${markdown(area.description)}
${operations(area)}`;

const eventLine = (type: string): Html => html`<li><a href="${addressOf.event(type)}"><code>${type}</code></a></li>\n`;
const eventList = ({ events }: Model): Html => html`<ul class="names">${[...events.keys()].map(eventLine)}</ul>`;

const schemaLine = ([name, { description }]: readonly [string, Schema]): Html =>
  html`<li><a href="${addressOf.schema(name)}"><code>${name}</code></a>${
    description === undefined ? EMPTY : html` <span>${inlineMarkdown(description)}</span>`
  }</li>\n`;
const schemaList = ({ schemas }: Model): Html =>
  html`<ul class="names">${[...schemas].sort(([a], [b]) => (a < b ? -1 : 1)).map(schemaLine)}</ul>`;

/** All that the reference has, on one page; the search reads it as well. */
export const allMain = (model: Model): Html =>
  html`<h1>All operations</h1>
${model.areas.map((area) => html`<section data-kind="${area.name}"><h2><a href="${addressOf.area(area)}">${area.name}</a></h2>\n${operations(area)}</section>`)}
<section data-kind="Webhook event"><h2><a href="${addressOf.events}">Webhook events</a></h2>
${eventList(model)}</section>
<section data-kind="Schema"><h2><a href="${addressOf.schemas}">Schemas</a></h2>
${schemaList(model)}</section>`;

export const eventsMain = (model: Model): Html =>
  html`<h1>Webhook events</h1>
<p>The service posts these to the endpoints that subscribe to them. How to receive and verify them: <a href="/docs/guides/webhooks">the guide to webhooks</a>.</p>
${eventList(model)}`;

export const eventMain = (model: Model, type: string, operation: Operation): Html => {
  const { example } = operation.requestBody?.content['application/json'] ?? {};
  return html`<article><h1><code>${type}</code></h1>
${operation.description === undefined ? EMPTY : markdown(operation.description)}
<div class="columns"><div>
${parameterTables(model, operation)}${requestOf(model, operation)}
${responsesOf(model, operation)}</div>
${example === undefined ? EMPTY : html`<aside aria-label="Example"><h2>Example</h2>${codeBlock(JSON.stringify(example, null, 2))}</aside>`}
</div></article>`;
};

export const schemasMain = (model: Model): Html => html`<h1>Schemas</h1>\n${schemaList(model)}`;

export const schemaMain = (model: Model, name: string, schema: Schema): Html => {
  const example = exampleOf(model, schema);
  return html`<article><h1><code>${name}</code></h1>
${schema.description === undefined ? EMPTY : markdown(schema.description)}
<div class="columns"><div>
${fieldsOf(model, schema, { anchor: 'schema', inside: [name] })}</div>
${example === undefined ? EMPTY : html`<aside aria-label="Example"><h2>Example values</h2>${codeBlock(JSON.stringify(example, null, 2))}</aside>`}
</div></article>`;
};
