import { cachedByText, type Substitutes } from '../../../infra/local/table-laws/conditions.ts';
import type { AttributeValue, Item } from '../../../infra/local/table-laws/model.ts';
import { REFUSALS } from './refusals.ts';

const PLACEHOLDERS = /[#:][A-Za-z0-9_]+/g;
const placeholdersIn = cachedByText((text) => [...new Set(text.match(PLACEHOLDERS) ?? [])]);

/** Checks that a request's expressions use what it gives, and nothing else. */
export const checkSubstitutes = (given: Substitutes, texts: readonly (string | undefined)[]): void => {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = given;
  const used = placeholdersIn(texts.filter(Boolean).join(' '));
  for (const each of used)
    if ((each.startsWith('#') ? names[each] : values[each]) === undefined)
      throw REFUSALS.invalid(`${each} is not defined`);
  const count = Object.keys(names).length + Object.keys(values).length;
  if (count !== used.length)
    throw REFUSALS.invalid(`given, and unused in expressions: of ${count}, ${used.join(', ')}`);
};

/** The attributes that a projection names. */
export const projectedNames = (text: string | undefined, given: Substitutes): readonly string[] | undefined =>
  text?.split(',').map((part) => {
    const name = part.trim();
    if (!/^#?\w+$/.test(name)) throw REFUSALS.invalid(`projection of ${name}`);
    return given.ExpressionAttributeNames?.[name] ?? name;
  });

/** The attributes of these names that an item has, and an index shows. */
export const shownOf = (
  item: Item,
  names: Iterable<string> | undefined,
  shown: ReadonlySet<string> | undefined,
): Item => {
  const wanted = names ?? shown;
  if (!wanted) return item;
  const picked: Record<string, AttributeValue> = {};
  for (const name of wanted) {
    const value = item[name];
    if (value !== undefined && (!shown || shown.has(name))) picked[name] = value;
  }
  return picked;
};
