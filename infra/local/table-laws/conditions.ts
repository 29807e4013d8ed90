import { type AttributeValue, canonical, type Item } from './model.ts';

/** Names and values that an expression refers to. */
export interface Substitutes {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
}

/** An expression that is not understood here. */
export class UnknownExpression extends Error {
  override readonly name = 'UnknownExpression';
}

type Holds = (item: Item) => boolean;
type Operand = (item: Item) => AttributeValue | undefined;

const TOKENS = /<>|<=|>=|[=<>(),]|[#:]?[A-Za-z_][\w-]*|\S/g;

/** Order of two values of one type; undefined for others. Texts compare by their UTF-8 bytes (Query's sort order). */
export const compareValues = (one: AttributeValue, other: AttributeValue): number | undefined => {
  if (one.N !== undefined && other.N !== undefined) return Number(one.N) - Number(other.N);
  if (one.S !== undefined && other.S !== undefined) return Buffer.compare(Buffer.from(one.S), Buffer.from(other.S));
  if (one.B !== undefined && other.B !== undefined)
    return Buffer.compare(Buffer.from(one.B, 'base64'), Buffer.from(other.B, 'base64'));
  return undefined;
};

const isEqual = (one: AttributeValue | undefined, other: AttributeValue | undefined): boolean =>
  one !== undefined && other !== undefined && (compareValues(one, other) === 0 || canonical(one) === canonical(other));

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const contains = (held: AttributeValue | undefined, wanted: AttributeValue | undefined): boolean => {
  if (!held || !wanted) return false;
  if (held.S !== undefined) return wanted.S !== undefined && held.S.includes(wanted.S);
  if (held.SS) return wanted.S !== undefined && held.SS.includes(wanted.S);
  if (held.NS) return held.NS.some((N) => isEqual({ N }, wanted));
  return held.L?.some((part) => isEqual(part, wanted)) ?? false;
};

const FUNCTIONS: Readonly<Record<string, (item: Item, operands: readonly Operand[]) => boolean>> = {
  attribute_exists: (item, [path]) => path?.(item) !== undefined,
  attribute_not_exists: (item, [path]) => path?.(item) === undefined,
  begins_with: (item, [path, start]) => path?.(item)?.S?.startsWith(start?.(item)?.S ?? '\0') ?? false,
  contains: (item, [path, part]) => contains(path?.(item), part?.(item)),
};

/** The grammar of conditions (Expressions.OperatorsAndFunctions.html), of top-level attributes, without `size` and `attribute_type`. */
class Parser {
  readonly #tokens: readonly string[];
  readonly #substitutes: Substitutes;
  #at = 0;

  constructor(text: string, substitutes: Substitutes) {
    this.#tokens = text.match(TOKENS) ?? [];
    this.#substitutes = substitutes;
  }

  whole(): Holds {
    const holds = this.#or();
    if (this.#at < this.#tokens.length) throw new UnknownExpression(`unexpected ${this.#tokens[this.#at]}`);
    return holds;
  }

  #is(word: string): boolean {
    return this.#tokens[this.#at]?.toUpperCase() === word;
  }

  #skip(word: string): boolean {
    if (!this.#is(word)) return false;
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#skip(word)) throw new UnknownExpression(`expected ${word}`);
  }

  #or(): Holds {
    const parts = [this.#and()];
    while (this.#skip('OR')) parts.push(this.#and());
    return (item) => parts.some((holds) => holds(item));
  }

  #and(): Holds {
    const parts = [this.#not()];
    while (this.#skip('AND')) parts.push(this.#not());
    return (item) => parts.every((holds) => holds(item));
  }

  #not(): Holds {
    if (!this.#skip('NOT')) return this.#plain();
    const holds = this.#not();
    return (item) => !holds(item);
  }

  #plain(): Holds {
    if (this.#skip('(')) {
      const holds = this.#or();
      this.#expect(')');
      return holds;
    }
    if (this.#tokens[this.#at + 1] === '(') {
      const evaluate = FUNCTIONS[this.#tokens[this.#at++] ?? ''];
      if (!evaluate) throw new UnknownExpression(`function ${this.#tokens[this.#at - 1]}`);
      const operands = this.#list();
      return (item) => evaluate(item, operands);
    }
    return this.#comparison(this.#operand());
  }

  #comparison(left: Operand): Holds {
    if (this.#skip('IN')) {
      const values = this.#list();
      return (item) => values.some((value) => isEqual(left(item), value(item)));
    }
    if (this.#skip('BETWEEN')) {
      const from = this.#operand();
      this.#expect('AND');
      const to = this.#operand();
      const orders = (item: Item, other: Operand) => this.#order(left(item), other(item));
      return (item) => orders(item, from) >= 0 && orders(item, to) <= 0;
    }
    const operator = this.#tokens[this.#at++] ?? '';
    const right = this.#operand();
    if (operator === '=') return (item) => isEqual(left(item), right(item));
    if (operator === '<>') return (item) => !isEqual(left(item), right(item));
    const compare = COMPARISONS[operator];
    if (!compare) throw new UnknownExpression(`operator ${operator}`);
    return (item) => compare(this.#order(left(item), right(item)));
  }

  /** NaN, which no comparison holds for, where the two have no order. */
  #order(one: AttributeValue | undefined, other: AttributeValue | undefined): number {
    return (one && other && compareValues(one, other)) ?? Number.NaN;
  }

  #list(): Operand[] {
    this.#expect('(');
    const operands = [this.#operand()];
    while (this.#skip(',')) operands.push(this.#operand());
    this.#expect(')');
    return operands;
  }

  #operand(): Operand {
    const token = this.#tokens[this.#at++] ?? '';
    if (token.startsWith(':')) {
      const value = this.#substitutes.ExpressionAttributeValues?.[token];
      return () => value;
    }
    if (!/^[#A-Za-z_]/.test(token)) throw new UnknownExpression(`operand ${token}`);
    const name = this.#substitutes.ExpressionAttributeNames?.[token] ?? token;
    return (item) => item[name];
  }
}

/** A condition as a function of an item. Throws UnknownExpression for what is not understood here. */
export const parseCondition = (text: string | undefined, substitutes: Substitutes): ((item: Item) => boolean) =>
  text ? new Parser(text, substitutes).whole() : () => true;
