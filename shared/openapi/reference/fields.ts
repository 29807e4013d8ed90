import { EMPTY, type Html, html } from '../html.ts';
import { addressOf, type Model, nameOf, resolveSchema, type Schema } from './model.ts';
import { alternativeName, alternativesOf, limitsOf, typeOf, withoutNull } from './schema-text.ts';
import { markdown } from './text.ts';

/** Where a schema is shown. */
export interface Place {
  /** Prefix of its fields' anchors. */
  readonly anchor: string;
  /** Named schemas around it. */
  readonly inside: readonly string[];
  /** Shows the fields below at once: there is nothing to choose from. */
  readonly open?: boolean;
}

/** The type and the limits of a value. */
export const valueText = (model: Model, schema: Schema): Html => {
  const target = resolveSchema(model, withoutNull(schema));
  const limits = limitsOf(target).map((limit) => html`<li>${limit}</li>`);
  const each = target.items ? eachLimits(model, target.items) : [];
  const all = [...limits, ...each];
  return html`<span class="type">${typeOf(model, schema)}</span>${all.length === 0 ? EMPTY : html`<ul class="limits">${all}</ul>`}`;
};

const eachLimits = (model: Model, items: Schema): readonly Html[] =>
  limitsOf(resolveSchema(model, withoutNull(items))).map((limit) => html`<li>each: ${limit}</li>`);

/** The schemas below one that have fields, with a name for each if there are several. */
interface Nested {
  readonly label: string;
  readonly schema: Schema;
}

const nestedOf = (model: Model, schema: Schema): readonly Nested[] => {
  const alternatives = schema.allOf ?? alternativesOf(schema);
  if (alternatives.length > 1)
    return alternatives.flatMap((one) =>
      nestedOf(model, one).map(({ label, schema: inner }) => ({
        label: inner === one || label === '' ? alternativeName(model, one) : `${alternativeName(model, one)}: ${label}`,
        schema: inner,
      })),
    );
  const one = withoutNull(schema);
  if (one !== schema) return nestedOf(model, one);
  if (one.$ref !== undefined) return hasFields(model, resolveSchema(model, one)) ? [{ label: '', schema: one }] : [];
  if (one.items) return nestedOf(model, one.items).map((inner) => ({ ...inner, label: inner.label || 'each item' }));
  const values = typeof one.additionalProperties === 'object' ? nestedOf(model, one.additionalProperties) : [];
  const own = one.properties && Object.keys(one.properties).length > 0 ? [{ label: '', schema: one }] : [];
  return [...own, ...values.map((inner) => ({ ...inner, label: inner.label || 'each value' }))];
};

const hasFields = (model: Model, schema: Schema): boolean =>
  schema.properties !== undefined || nestedOf(model, schema).length > 0;

const exampleText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const describe = (schema: Schema, target: Schema): Html => {
  const text = schema.description ?? target.description;
  const example = schema.example ?? target.example;
  return html`${text === undefined ? EMPTY : markdown(text)}${
    example === undefined ? EMPTY : html`<p class="example">Example: <code>${exampleText(example)}</code></p>`
  }`;
};

const anchorOf = (place: Place, name: string): string => `${place.anchor}.${name}`.replaceAll(/[^\w.-]/g, '-');

const disclosure = (model: Model, label: string, { schema }: Nested, place: Place): Html => {
  const name = schema.$ref === undefined ? undefined : nameOf(schema.$ref);
  // A schema within itself would have no end.
  if (name !== undefined && place.inside.includes(name))
    return html`<p class="more">${label}: see <a href="${addressOf.schema(name)}">${name}</a></p>`;
  const inside = name === undefined ? place.inside : [...place.inside, name];
  const { anchor, open } = place;
  const fields = fieldsOf(model, resolveSchema(model, schema), { anchor, inside });
  return html`<details${open ? html` open` : EMPTY}><summary>${label}</summary>${fields}</details>`;
};

const nestedRows = (model: Model, name: string, schema: Schema, place: Place): Html => {
  const nested = nestedOf(model, schema);
  if (nested.length === 0) return EMPTY;
  const inner = nested.map((one, index) => {
    const label = one.label === '' ? `Fields of ${name}` : `Fields of ${name}, ${one.label}`;
    const anchor = nested.length > 1 ? `${place.anchor}-${index + 1}` : place.anchor;
    return disclosure(model, label, one, { anchor, inside: place.inside });
  });
  return html`<tr class="nested"><td colspan="3">${inner}</td></tr>`;
};

const row = (model: Model, name: string, schema: Schema, required: boolean, place: Place): Html => {
  const target = resolveSchema(model, withoutNull(schema));
  const anchor = anchorOf(place, name);
  const mark = required ? html` <span class="required">required</span>` : EMPTY;
  return html`<tr id="${anchor}"><th scope="row"><code>${name}</code>${mark}</th><td>${valueText(model, schema)}</td><td>${describe(schema, target)}</td></tr>
${nestedRows(model, name, schema, { anchor, inside: place.inside })}`;
};

/** A table of named values. */
export const table = (head: string, rows: readonly Html[]): Html =>
  html`<table><thead><tr><th scope="col">${head}</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>
${rows}</tbody></table>`;

export interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}
export const rowsOf = (model: Model, rows: readonly Row[], place: Place): readonly Html[] =>
  rows.map(({ name, schema, required }) => row(model, name, schema, required, place));

/** The fields of a schema, and under each its own; a schema without fields is shown as a value. */
export const fieldsOf = (model: Model, schema: Schema, place: Place): Html => {
  const { properties, required = [] } = schema;
  if (properties && Object.keys(properties).length > 0) {
    const rows = Object.entries(properties).map(([name, field]) => ({
      name,
      schema: field,
      required: required.includes(name),
    }));
    return table('Field', rowsOf(model, rows, place));
  }
  const nested = nestedOf(model, schema);
  const isOnly = nested.length === 1;
  const inner = nested.map((one, index) => {
    const anchor = isOnly ? place.anchor : `${place.anchor}-${index + 1}`;
    return disclosure(model, one.label || 'Fields', one, { ...place, anchor, open: isOnly });
  });
  return html`<p>${valueText(model, schema)}</p>${inner}`;
};

/** A body: its fields if its schema is an object, named or not, otherwise its type and the fields below it. */
export const bodyOf = (model: Model, schema: Schema, anchor: string): Html => {
  const named = schema.$ref === undefined ? undefined : nameOf(schema.$ref);
  const link =
    named === undefined ? EMPTY : html`<p class="named">Schema: <a href="${addressOf.schema(named)}">${named}</a></p>`;
  const inside = named === undefined ? [] : [named];
  return html`${link}${fieldsOf(model, resolveSchema(model, schema), { anchor, inside })}`;
};
