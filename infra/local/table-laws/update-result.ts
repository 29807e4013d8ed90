import { cachedByText, type Substitutes, UnknownExpression } from './conditions.ts';
import type { AttributeValue, Item } from './model.ts';

const CLAUSES = /(?:^|\s)(SET|REMOVE|ADD|DELETE)\s/i;
/** Commas that are not within a function's parentheses. */
const COMMAS = /,(?![^(]*\))/;
const PATH = /^[#A-Za-z_][\w-]*$/;

type Result = Record<string, AttributeValue>;
/** A part of an update: reads the item before it, and changes the one after it. */
type Action = (before: Item, result: Result, given: Substitutes) => void;
type Operand = (before: Item, given: Substitutes) => AttributeValue | undefined;

/** The name of a top-level attribute. */
const nameOf = (path: string): ((given: Substitutes) => string) => {
  if (!PATH.test(path)) throw new UnknownExpression(`path ${path}`);
  return (given) => given.ExpressionAttributeNames?.[path] ?? path;
};

const operandOf = (text: string): Operand => {
  if (text.startsWith(':')) return (_, given) => given.ExpressionAttributeValues?.[text];
  const once = /^if_not_exists\s*\(([^,()]+),([^()]+)\)$/.exec(text);
  if (once) {
    const [name, otherwise] = [nameOf(once[1]?.trim() ?? ''), operandOf(once[2]?.trim() ?? '')];
    return (before, given) => before[name(given)] ?? otherwise(before, given);
  }
  const append = /^list_append\s*\((.+\)|[^,()]+),([^,()]+)\)$/.exec(text);
  if (append) {
    const [head, tail] = [operandOf(append[1]?.trim() ?? ''), operandOf(append[2]?.trim() ?? '')];
    return (before, given) => ({ L: [...listOf(head(before, given)), ...listOf(tail(before, given))] });
  }
  const name = nameOf(text);
  return (before, given) => before[name(given)];
};

const listOf = (value: AttributeValue | undefined): readonly AttributeValue[] => {
  if (!value?.L) throw new UnknownExpression('list_append to something else than a list');
  return value.L;
};

const setAction = (assignment: string): Action => {
  const at = assignment.indexOf('=');
  const name = nameOf(assignment.slice(0, at).trim());
  const operand = operandOf(assignment.slice(at + 1).trim());
  return (before, result, given) => {
    const value = operand(before, given);
    if (!value) throw new UnknownExpression(`nothing to set: ${assignment}`);
    result[name(given)] = value;
  };
};

const addAction = (assignment: string): Action => {
  const [path = '', placeholder = ''] = assignment.split(/\s+/);
  const attribute = nameOf(path);
  return (before, result, given) => {
    const added = given.ExpressionAttributeValues?.[placeholder]?.N;
    const name = attribute(given);
    const { N } = before[name] ?? { N: '0' };
    if (added === undefined || N === undefined) throw new UnknownExpression('ADD of something else than numbers');
    result[name] = { N: String(Number(N) + Number(added)) };
  };
};

const actionOf = (clause: string, assignment: string): Action => {
  if (clause === 'SET') return setAction(assignment);
  if (clause === 'ADD') return addAction(assignment);
  if (clause !== 'REMOVE') throw new UnknownExpression(clause);
  const name = nameOf(assignment);
  return (_, result, given) => {
    delete result[name(given)];
  };
};

const parsed = cachedByText((expression) => {
  const [, ...parts] = expression.split(CLAUSES);
  const actions: Action[] = [];
  for (let at = 0; at < parts.length; at += 2)
    for (const text of (parts[at + 1] ?? '').split(COMMAS))
      actions.push(actionOf(parts[at]?.toUpperCase() ?? '', text.trim()));
  return actions;
});

/** The item after an update of top-level attributes, by the functions that a table client needs most. Throws UnknownExpression for any other. */
export const updated = (before: Item | undefined, key: Item, expression: string, given: Substitutes): Item => {
  const result = { ...before, ...key };
  for (const action of parsed(expression)) action(before ?? {}, result, given);
  return result;
};

/** The same; undefined if its expression is not a simple one, and the engine must return the result. */
export const updateResult = (
  before: Item | undefined,
  key: Item,
  expression: string | undefined,
  given: Substitutes,
): Item | undefined => {
  try {
    return updated(before, key, expression ?? '', given);
  } catch (error) {
    if (error instanceof UnknownExpression) return undefined;
    throw error;
  }
};
