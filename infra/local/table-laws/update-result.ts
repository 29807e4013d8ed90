import { type Substitutes, UnknownExpression } from './conditions.ts';
import type { AttributeValue, Item } from './model.ts';

const CLAUSES = /(?:^|\s)(SET|REMOVE|ADD|DELETE)\s/i;
/** Commas that are not within a function's parentheses. */
const COMMAS = /,(?![^(]*\))/;
const PATH = /^[#A-Za-z_][\w-]*$/;

type Result = Record<string, AttributeValue>;

/** What an update does to its item, as far as it is simple: top-level attributes, and the functions that a table client needs most. */
class Update {
  readonly #substitutes: Substitutes;
  readonly #before: Item;
  readonly result: Result;

  constructor(before: Item, key: Item, substitutes: Substitutes) {
    this.#substitutes = substitutes;
    this.#before = before;
    this.result = { ...before, ...key };
  }

  apply(clause: string, assignments: readonly string[]): void {
    for (const assignment of assignments) {
      if (clause === 'SET') this.#set(assignment);
      else if (clause === 'REMOVE') delete this.result[this.#name(assignment)];
      else if (clause === 'ADD') this.#add(assignment);
      else throw new UnknownExpression(clause);
    }
  }

  #name(path: string): string {
    if (!PATH.test(path)) throw new UnknownExpression(`path ${path}`);
    return this.#substitutes.ExpressionAttributeNames?.[path] ?? path;
  }

  #set(assignment: string): void {
    const at = assignment.indexOf('=');
    const value = this.#value(assignment.slice(at + 1).trim());
    if (value) this.result[this.#name(assignment.slice(0, at).trim())] = value;
  }

  #value(text: string): AttributeValue | undefined {
    if (text.startsWith(':')) {
      const value = this.#substitutes.ExpressionAttributeValues?.[text];
      if (!value) throw new UnknownExpression(`value ${text}`);
      return value;
    }
    const once = /^if_not_exists\s*\(([^,()]+),([^()]+)\)$/.exec(text);
    if (once) return this.#before[this.#name(once[1]?.trim() ?? '')] ?? this.#value(once[2]?.trim() ?? '');
    const append = /^list_append\s*\((.+\)|[^,()]+),([^,()]+)\)$/.exec(text);
    if (append) {
      const [head, tail] = [this.#value(append[1]?.trim() ?? ''), this.#value(append[2]?.trim() ?? '')];
      return { L: [...(head?.L ?? []), ...(tail?.L ?? [])] };
    }
    return this.#before[this.#name(text)];
  }

  #add(assignment: string): void {
    const [path = '', placeholder = ''] = assignment.split(/\s+/);
    const added = this.#substitutes.ExpressionAttributeValues?.[placeholder]?.N;
    if (added === undefined) throw new UnknownExpression('ADD of a set');
    const name = this.#name(path);
    this.result[name] = { N: String(Number(this.#before[name]?.N ?? 0) + Number(added)) };
  }
}

/** The item after an update; undefined where its expression is not one of the simple ones, and the engine has to be asked. */
export const updateResult = (
  before: Item | undefined,
  key: Item,
  expression: string | undefined,
  substitutes: Substitutes,
): Item | undefined => {
  const [, ...parts] = (expression ?? '').split(CLAUSES);
  const update = new Update(before ?? {}, key, substitutes);
  try {
    for (let at = 0; at < parts.length; at += 2) {
      const assignments = (parts[at + 1] ?? '').split(COMMAS).map((text) => text.trim());
      update.apply(parts[at]?.toUpperCase() ?? '', assignments);
    }
    return update.result;
  } catch (error) {
    if (error instanceof UnknownExpression) return undefined;
    throw error;
  }
};
