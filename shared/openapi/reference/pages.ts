import { framed } from '../frame.ts';
import { EMPTY, type Html, html } from '../html.ts';
import { allMain, areaMain, eventMain, eventsMain, schemaMain, schemasMain } from './lists.ts';
import { menuOf } from './menu.ts';
import { type Area, addressOf, type Model, modelOf, type OpenApiDocument } from './model.ts';
import { operationMain } from './operation-page.ts';
import { startMain } from './start-page.ts';

/** The reference of an OpenAPI document, page by page. */
export interface Reference {
  /** The page at `/docs?page={name}`, without a name that at `/docs`; undefined if there is no such page. */
  find(name?: string): string | undefined;
  /** The names of all pages but the start. */
  readonly names: readonly string[];
}

/** The content of a page, and what the frame around it needs. */
interface Content {
  readonly title: string;
  readonly description?: string | undefined;
  readonly main: () => Html;
  /** The area that is open in the menu. */
  readonly area?: Area | undefined;
}

const operationPages = (model: Model): [string, Content][] =>
  model.areas.flatMap((area) =>
    area.entries.map((entry): [string, Content] => [
      addressOf.operation(entry.operation.operationId),
      {
        title: entry.operation.summary,
        description: `${entry.method} ${entry.path}: ${entry.operation.summary}`,
        main: () => operationMain(model, entry),
        area,
      },
    ]),
  );

const contentsOf = (model: Model): ReadonlyMap<string, Content> =>
  new Map<string, Content>([
    ...model.areas.map((area): [string, Content] => [
      addressOf.area(area),
      { title: area.name, description: area.description, main: () => areaMain(area), area },
    ]),
    ...operationPages(model),
    [addressOf.all, { title: 'All operations', main: () => allMain(model) }],
    [addressOf.events, { title: 'Webhook events', main: () => eventsMain(model) }],
    [addressOf.schemas, { title: 'Schemas', main: () => schemasMain(model) }],
    ...[...model.events].map(([type, operation]): [string, Content] => [
      addressOf.event(type),
      { title: type, main: () => eventMain(model, type, operation) },
    ]),
    ...[...model.schemas].map(([name, schema]): [string, Content] => [
      addressOf.schema(name),
      { title: name, description: schema.description, main: () => schemaMain(model, name, schema) },
    ]),
  ]);

/** The way up: from an operation to its area. */
const crumbs = ({ area, title }: Content): Html =>
  area && area.name !== title
    ? html`<p class="crumbs"><a href="${addressOf.area(area)}">${area.name}</a></p>\n`
    : EMPTY;

/** `document`: the content of `openapi.json`. A page is made when it is asked for. */
export const referenceOf = (document: OpenApiDocument): Reference => {
  const model = modelOf(document);
  const contents = contentsOf(model);
  const { title: api } = document.info;
  const start = () =>
    framed({ title: `${api}: API reference`, menu: menuOf(model, undefined, '/docs'), main: startMain(model) });
  return {
    find(name) {
      if (name === undefined) return start();
      const address = addressOf.operation(name);
      const content = contents.get(address);
      if (!content) return undefined;
      const { title, description, main, area } = content;
      return framed({
        title: `${title} · ${api}`,
        ...(description === undefined ? {} : { description }),
        menu: menuOf(model, area, address),
        main: html`${crumbs(content)}${main()}`,
      });
    },
    names: [...contents.keys()].map((address) => address.slice(addressOf.operation('').length)),
  };
};
