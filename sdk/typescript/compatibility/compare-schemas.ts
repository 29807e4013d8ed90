import { findBounds } from './compare-bounds.ts';
import type { Direction, Finding, RuleName } from './rules.ts';
import { isTypeWithin, refName, type Schema, type Schemas, type Shape, shapesOf } from './schema.ts';

/** The schemas of the version whose values come, and of the version that takes them. */
interface Sides {
  readonly direction: Direction;
  readonly given: Schemas;
  readonly taken: Schemas;
  /** What was found of pairs of named schemas; nothing yet of those that are being compared further up. */
  readonly found: Map<string, readonly Finding[]>;
}

type Find = (given: Schema, taken: Schema, place: string) => readonly Finding[];

const finding = (rule: RuleName, place: string, detail: string): Finding => ({ rule, place, detail });

const show = (value: unknown): string => JSON.stringify(value);

const ofDirection = <Rule>({ direction }: Sides, request: Rule, response: Rule): Rule =>
  direction === 'request' ? request : response;

const findValues = (sides: Sides, given: Shape, taken: Shape, place: string): readonly Finding[] => {
  if (!taken.values) return [];
  if (!given.values)
    return [
      finding(
        ofDirection(sides, 'request-value-removed', 'response-type-widened'),
        place,
        'any value → a list of values',
      ),
    ];
  const known = new Set(taken.values.map(show));
  const rule = ofDirection<RuleName>(sides, 'request-value-removed', 'response-value-added');
  return given.values.filter((value) => !known.has(show(value))).map((value) => finding(rule, place, show(value)));
};

const findFields = (sides: Sides, given: Schema, taken: Schema, place: string, find: Find): readonly Finding[] => {
  const { properties: from = {}, required: sure = [] } = given;
  const { properties: to = {}, required: needed = [], additionalProperties: others = true } = taken;
  const shared = Object.keys(from).flatMap((name) => {
    const [field, target] = [from[name] ?? {}, to[name]];
    if (target) return find(field, target, `${place}.${name}`);
    if (others === true) return [];
    if (others !== false) return find(field, others, `${place}.${name}`);
    return sides.direction === 'request' ? [finding('request-field-removed', `${place}.${name}`, 'removed')] : [];
  });
  const missing = needed
    .filter((name) => !sure.includes(name) && (sides.direction === 'request' || name in from))
    .map((name) =>
      finding(ofDirection(sides, 'request-field-required', 'response-field-optional'), `${place}.${name}`, 'optional'),
    );
  const gone = Object.keys(to).filter((name) => sides.direction === 'response' && !(name in from));
  return [
    ...shared,
    ...missing,
    ...gone.map((name) => finding('response-field-removed', `${place}.${name}`, 'removed')),
  ];
};

/** Of objects whose keys are data: their keys and their values. */
const findEntries = (sides: Sides, given: Schema, taken: Schema, place: string, find: Find): readonly Finding[] => {
  const { additionalProperties: from = true, propertyNames: names = {} } = given;
  const { additionalProperties: to = true, propertyNames } = taken;
  const keys = propertyNames && sides.direction === 'request' ? find(names, propertyNames, `${place}{key}`) : [];
  if (to === true || from === false) return keys;
  if (to === false)
    return sides.direction === 'request' && !given.properties
      ? [...keys, finding('request-field-removed', place, 'takes no other keys')]
      : keys;
  return [...keys, ...find(from === true ? {} : from, to, `${place}{}`)];
};

const findShape = (sides: Sides, given: Shape, taken: Shape, place: string, find: Find): readonly Finding[] => [
  ...findValues(sides, given, taken, place),
  ...(given.values ? [] : findBounds(sides.direction, given.schema, taken.schema, place)),
  ...(given.type === 'object' && taken.type === 'object'
    ? [
        ...findFields(sides, given.schema, taken.schema, place, find),
        ...findEntries(sides, given.schema, taken.schema, place, find),
      ]
    : []),
  ...(given.type === 'array' && taken.type === 'array'
    ? find(given.schema.items ?? {}, taken.schema.items ?? {}, `${place}[]`)
    : []),
];

/** The fields that hold one fixed value each: what tells the kinds of a union apart. */
const kindOf = ({ properties = {} }: Schema): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(properties).flatMap(([name, field]) =>
      'const' in field ? [[name, show(field.const)] as const] : [],
    ),
  );

const isSameKind = (one: Shape, other: Shape): boolean => {
  const kind = kindOf(other.schema);
  return [...kindOf(one.schema)].every(([name, value]) => !kind.has(name) || kind.get(name) === value);
};

const untaken = (sides: Sides, given: Shape, candidates: readonly Shape[], place: string): Finding => {
  const isKind =
    given.type === 'object' && kindOf(given.schema).size > 0 && candidates.some(({ type }) => type === 'object');
  const detail = isKind ? [...kindOf(given.schema)].map(([name, value]) => `${name}: ${value}`).join(', ') : given.type;
  return finding(
    ofDirection(sides, 'request-type-narrowed', isKind ? 'response-kind-added' : 'response-type-widened'),
    place,
    detail,
  );
};

const findUnion = (sides: Sides, given: Schema, taken: Schema, place: string, find: Find): readonly Finding[] => {
  const candidates = shapesOf(taken, sides.taken);
  return shapesOf(given, sides.given).flatMap((shape) => {
    const fitting = candidates.filter((other) => isTypeWithin(shape.type, other.type) && isSameKind(shape, other));
    if (fitting.length === 0) return [untaken(sides, shape, candidates, place)];
    // The shape that takes it best tells what is wrong.
    return fitting
      .map((other) => findShape(sides, shape, other, place, find))
      .reduce((best, found) => (found.length < best.length ? found : best));
  });
};

/**
 * What a client of the earlier version notices where values of `given` come in the place of values of `taken`. A difference of a named schema is
 * told wherever the schema is used.
 */
export const compareSchemas = (sides: Sides, given: Schema, taken: Schema, place: string): readonly Finding[] => {
  const [from, to] = [refName(given), refName(taken)];
  const find: Find = (one, other, below) => compareSchemas(sides, one, other, below);
  if (from === undefined || to === undefined) return findUnion(sides, given, taken, to ?? from ?? place, find);
  const pair = `${sides.direction} ${from} ${to}`;
  const known = sides.found.get(pair);
  if (known) return known;
  sides.found.set(pair, []);
  const found = findUnion(sides, given, taken, to, find);
  sides.found.set(pair, found);
  return found;
};
