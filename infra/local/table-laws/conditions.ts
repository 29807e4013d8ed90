import { type AttributeValue, canonical, type Item } from './model.ts';

/** Names and values that an expression refers to. */
export interface Substitutes {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Item | undefined;
}

/** Maximum cached parsed expressions: a client has few, since values are not part of their texts. */
const MAX_TEXTS = 2_000;

/** A parser of expressions that parses each text once. */
export const cachedByText = <T>(parse: (text: string) => T): ((text: string) => T) => {
  const parsed = new Map<string, T>();
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const made = parse(text);
    if (parsed.size >= MAX_TEXTS) parsed.clear();
    parsed.set(text, made);
    return made;
  };
};

/** An unsupported expression. */
export class UnknownExpression extends Error {
  override readonly name = 'UnknownExpression';
}

type Holds = (item: Item, given: Substitutes) => boolean;
type Operand = (item: Item, given: Substitutes) => AttributeValue | undefined;

const TOKENS = /<>|<=|>=|[=<>(),]|[#:]?[A-Za-z_][\w-]*|\S/g;
/** Characters that JavaScript does not sort as their UTF-8 bytes do. */
const FAR = /[\ud800-\uffff]/;

/** Order of two texts by their UTF-8 bytes (Query's sort order). */
const compareTexts = (one: string, other: string): number => {
  if (one === other) return 0;
  if (FAR.test(one) || FAR.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other));
  return one < other ? -1 : 1;
};

/** Order of two values of one type; undefined for others. */
export const compareValues = (one: AttributeValue, other: AttributeValue): number | undefined => {
  if (one.S !== undefined && other.S !== undefined) return compareTexts(one.S, other.S);
  if (one.N !== undefined && other.N !== undefined) return Number(one.N) - Number(other.N);
  if (one.B !== undefined && other.B !== undefined)
    return Buffer.compare(Buffer.from(one.B, 'base64'), Buffer.from(other.B, 'base64'));
  return undefined;
};

const isEqual = (one: AttributeValue | undefined, other: AttributeValue | undefined): boolean => {
  if (one === undefined || other === undefined) return false;
  const order = compareValues(one, other);
  return order === undefined ? canonical(one) === canonical(other) : order === 0;
};

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

type Values = readonly (AttributeValue | undefined)[];
const FUNCTIONS: Readonly<Record<string, (values: Values) => boolean>> = {
  attribute_exists: ([value]) => value !== undefined,
  attribute_not_exists: ([value]) => value === undefined,
  begins_with: ([value, start]) => value?.S?.startsWith(start?.S ?? '\0') ?? false,
  contains: ([value, part]) => contains(value, part),
};

/** Elements of a list or a map. */
const sizeOf = (value: AttributeValue | undefined): AttributeValue | undefined => {
  if (value === undefined) return undefined;
  const { L, M } = value;
  if (!L && !M) throw new UnknownExpression('size of neither a list nor a map');
  return { N: String(L ? L.length : Object.keys(M ?? {}).length) };
};

/** The grammar of conditions (Expressions.OperatorsAndFunctions.html), of top-level attributes, without `attribute_type`. */
class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(TOKENS) ?? [];
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
    const [only] = parts;
    return only && parts.length === 1 ? only : (item, given) => parts.some((holds) => holds(item, given));
  }

  #and(): Holds {
    const parts = [this.#not()];
    while (this.#skip('AND')) parts.push(this.#not());
    const [only] = parts;
    return only && parts.length === 1 ? only : (item, given) => parts.every((holds) => holds(item, given));
  }

  #not(): Holds {
    if (!this.#skip('NOT')) return this.#plain();
    const holds = this.#not();
    return (item, given) => !holds(item, given);
  }

  #plain(): Holds {
    if (this.#skip('(')) {
      const holds = this.#or();
      this.#expect(')');
      return holds;
    }
    if (this.#tokens[this.#at + 1] === '(' && !this.#is('SIZE')) {
      const evaluate = FUNCTIONS[this.#tokens[this.#at++] ?? ''];
      if (!evaluate) throw new UnknownExpression(`function ${this.#tokens[this.#at - 1]}`);
      const operands = this.#list();
      return (item, given) => evaluate(operands.map((operand) => operand(item, given)));
    }
    return this.#comparison(this.#operand());
  }

  #comparison(left: Operand): Holds {
    if (this.#skip('IN')) {
      const values = this.#list();
      return (item, given) => values.some((value) => isEqual(left(item, given), value(item, given)));
    }
    if (this.#skip('BETWEEN')) {
      const from = this.#operand();
      this.#expect('AND');
      const to = this.#operand();
      return (item, given) => {
        const [value, lower, upper] = [left(item, given), from(item, given), to(item, given)];
        if (order(lower, upper) > 0) throw new UnknownExpression('BETWEEN bounds in the wrong order');
        return order(value, lower) >= 0 && order(value, upper) <= 0;
      };
    }
    const operator = this.#tokens[this.#at++] ?? '';
    const right = this.#operand();
    if (operator === '=') return (item, given) => isEqual(left(item, given), right(item, given));
    if (operator === '<>') return (item, given) => !isEqual(left(item, given), right(item, given));
    const compare = COMPARISONS[operator];
    if (!compare) throw new UnknownExpression(`operator ${operator}`);
    return (item, given) => compare(order(left(item, given), right(item, given)));
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
    if (this.#tokens[this.#at] === '(') {
      const [of, ...others] = this.#list();
      if (token !== 'size' || !of || others.length > 0) throw new UnknownExpression(`function ${token}`);
      return (item, given) => sizeOf(of(item, given));
    }
    if (token.startsWith(':')) return (_, given) => given.ExpressionAttributeValues?.[token];
    if (!/^[#A-Za-z_]/.test(token)) throw new UnknownExpression(`operand ${token}`);
    return (item, given) => item[given.ExpressionAttributeNames?.[token] ?? token];
  }
}

/** NaN, which no comparison holds for, where the two have no order. */
const order = (one: AttributeValue | undefined, other: AttributeValue | undefined): number =>
  (one && other && compareValues(one, other)) ?? Number.NaN;

const parsed = cachedByText((text) => new Parser(text).whole());

/** A condition as a function of an item. Throws UnknownExpression for unsupported expressions, some only when evaluated. */
export const parseCondition = (text: string | undefined, given: Substitutes): ((item: Item) => boolean) => {
  if (!text) return () => true;
  const holds = parsed(text);
  return (item) => holds(item, given);
};
