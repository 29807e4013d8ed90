import { EMPTY, type Html, html } from '../html.ts';
import { curlOf, sdkCallOf } from './calls.ts';
import { exampleOf } from './examples.ts';
import { bodyOf, rowsOf, table } from './fields.ts';
import { methodBadge } from './menu.ts';
import {
  type Content,
  type Entry,
  headerOf,
  type Model,
  type Operation,
  type Parameter,
  parametersOf,
  type Response,
  responseOf,
} from './model.ts';
import { inlineMarkdown, markdown } from './text.ts';

const PLACES = [
  ['path', 'Path parameters'],
  ['query', 'Query parameters'],
  ['header', 'Headers'],
] as const;

const ANY_VALUE = { type: 'string' } as const;

/** The schema of a parameter, with what the document says beside it. */
const parameterSchema = ({ schema = ANY_VALUE, description, example }: Parameter) => ({
  ...schema,
  ...(description === undefined ? {} : { description }),
  ...(example === undefined ? {} : { example }),
});

export const parameterTables = (model: Model, operation: Operation): Html => {
  const parameters = parametersOf(model, operation);
  const tables = PLACES.map(([place, heading]) => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({
        name: parameter.name,
        schema: parameterSchema(parameter),
        required: parameter.required === true,
      }));
    return rows.length === 0
      ? EMPTY
      : html`<h2 id="${place}">${heading}</h2>\n${table('Name', rowsOf(model, rows, { anchor: place, inside: [] }))}\n`;
  });
  return html`${tables}`;
};

/** A block of text that the reader may copy. */
export const codeBlock = (text: string): Html => html`<pre tabindex="0" data-copy><code>${text}</code></pre>`;

const contentTypes = (content: Content): Html =>
  html`<p>Content type: ${Object.keys(content).map((type, index) => html`${index === 0 ? '' : ', '}<code>${type}</code>`)}</p>`;

/** The fields of content: once, if all its types have the same schema. */
const contentOf = (model: Model, content: Content, anchor: string): Html => {
  const schemas = Object.values(content).flatMap(({ schema }) => (schema ? [schema] : []));
  const different = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const bodies = [...different.values()].map((schema, index) =>
    bodyOf(model, schema, index === 0 ? anchor : `${anchor}-${index + 1}`),
  );
  return html`${contentTypes(content)}${bodies}`;
};

export const requestOf = (model: Model, { requestBody }: Operation): Html => {
  if (!requestBody) return EMPTY;
  const { description, required, content } = requestBody;
  return html`<h2 id="body">Body <small>${required ? 'required' : 'optional'}</small></h2>
${description === undefined ? EMPTY : markdown(description)}${contentOf(model, content, 'body')}`;
};

const headersOf = (model: Model, { headers = {} }: Response): Html => {
  const items = Object.entries(headers).map(([name, header]) => {
    const { description = '' } = headerOf(model, header);
    return html`<li><code>${name}</code>: ${inlineMarkdown(description)}</li>`;
  });
  return items.length === 0 ? EMPTY : html`<details><summary>Headers</summary><ul>${items}</ul></details>`;
};

const exampleBlock = (model: Model, content: Content): Html => {
  const { schema, example } = content['application/json'] ?? {};
  const value = example ?? (schema && exampleOf(model, schema));
  return value === undefined
    ? EMPTY
    : html`<details><summary>Example values</summary>${codeBlock(JSON.stringify(value, null, 2))}</details>`;
};

const successOf = (model: Model, status: string, response: Response): Html => {
  const { description, content } = response;
  const body = content
    ? html`${contentOf(model, content, `response-${status}`)}${exampleBlock(model, content)}`
    : EMPTY;
  return html`<h3 id="response-${status}">${status}</h3>
${markdown(description)}${headersOf(model, response)}${body}`;
};

const PROBLEM = 'application/problem+json';
interface ProblemExample {
  readonly type?: string;
  readonly code?: string;
  readonly title?: string;
}

const problemRow = (status: string, { content, description }: Response): Html => {
  const { type, code, title } = (content?.[PROBLEM]?.example ?? {}) as ProblemExample;
  const name = title ?? description;
  return html`<tr><th scope="row">${status}</th><td>${code === undefined ? EMPTY : html`<code>${code}</code>`}</td><td>${
    type === undefined ? html`${name}` : html`<a href="${type}">${name}</a>`
  }</td></tr>\n`;
};

export const responsesOf = (model: Model, operation: Operation): Html => {
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, responseOf(model, response)] as const,
  );
  const isProblem = (response: Response) => response.content?.[PROBLEM] !== undefined;
  const problems = responses.filter(([, response]) => isProblem(response));
  const others = responses.filter(([, response]) => !isProblem(response));
  return html`<h2 id="responses">Responses</h2>
${others.map(([status, response]) => successOf(model, status, response))}
${
  problems.length === 0
    ? EMPTY
    : html`<h3 id="problems">Problems</h3>
<table class="problems"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>
${problems.map(([status, response]) => problemRow(status, response))}</tbody></table>`
}`;
};

const examplesOf = (model: Model, entry: Entry): Html => {
  const call = sdkCallOf(model, entry);
  return html`<aside aria-label="Example calls"><h2>curl</h2>
${codeBlock(curlOf(model, entry))}
${call === undefined ? EMPTY : html`<h2>TypeScript</h2>\n${codeBlock(call)}`}
<p><a href="/docs#calls">Address, key and client</a> of these examples</p></aside>`;
};

const badgesOf = ({ security, 'x-required-scope': scope, parameters = [] }: Operation): Html => {
  const key = parameters.find((one) => '$ref' in one && one.$ref.endsWith('IdempotencyKey'));
  const optional = key && '$ref' in key && key.$ref.endsWith('OptionalIdempotencyKey');
  const badges = [
    ...(security?.length === 0 ? [html`<li>no credential</li>`] : []),
    ...(scope === undefined ? [] : [html`<li>scope <code>${scope}</code></li>`]),
    ...(key ? [html`<li>idempotency key ${optional ? 'optional' : 'required'}</li>`] : []),
  ];
  return badges.length === 0 ? EMPTY : html`<ul class="badges">${badges}</ul>`;
};

/** The content of an operation's page. */
export const operationMain = (model: Model, entry: Entry): Html => {
  const { method, path, operation } = entry;
  const { summary, description, operationId } = operation;
  return html`<article><h1>${summary}</h1>
<p class="route">${methodBadge(method)} <code>${path}</code></p>
${badgesOf(operation)}
<div class="columns"><div>
${description === undefined ? EMPTY : markdown(description)}
${parameterTables(model, operation)}${requestOf(model, operation)}
${responsesOf(model, operation)}
<p class="id">Operation id: <code>${operationId}</code></p>
</div>
${examplesOf(model, entry)}</div></article>`;
};
