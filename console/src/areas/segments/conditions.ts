import type { SegmentFilter, SegmentFilterTree } from '../../sdk.ts';

export type Field = SegmentFilter['field'];
export type Operator = SegmentFilter['operator'];
/** The value that a condition compares with: of `attribute` and `comparable` one says which type. */
type ValueKind = 'text' | 'attribute' | 'comparable' | 'boolean' | 'consent' | 'moment' | 'days' | 'channel';
/** The type of an attribute's value: a text `30` is not the number. */
export type AttributeType = 'text' | 'number' | 'boolean' | 'moment';

/** By field, its operators with what they compare with, in the order in which they are offered. */
export const OPERATORS: Readonly<Record<Field, Partial<Record<Operator, ValueKind>>>> = {
  tag: { is: 'text', isNot: 'text' },
  attribute: {
    is: 'attribute',
    isNot: 'attribute',
    contains: 'text',
    gt: 'comparable',
    lt: 'comparable',
    exists: 'boolean',
  },
  optIn: { is: 'consent' },
  lastInteraction: { withinDays: 'days', olderThanDays: 'days', before: 'moment', after: 'moment' },
  channel: { has: 'channel', hasNot: 'channel' },
};

/** A condition as one types it. */
export interface Condition {
  readonly kind: 'leaf';
  /** Identifies nodes while the tree is edited. */
  readonly node: string;
  readonly field: Field;
  readonly operator: Operator;
  readonly key: string;
  readonly type: AttributeType;
  /** A moment is ISO 8601. */
  readonly text: string;
}
/** Conditions that are joined. */
export interface Group {
  readonly kind: 'group';
  readonly node: string;
  readonly operator: 'and' | 'or';
  readonly nodes: readonly Node[];
}
export type Node = Condition | Group;

/** The form that the service accepts. */
export const MAX_DEPTH = 10;
export const MAX_CONDITIONS = 100;

const FIRST_TEXT: Readonly<Record<ValueKind, string>> = {
  text: '',
  attribute: '',
  comparable: '',
  boolean: 'true',
  consent: 'granted',
  moment: '',
  days: '30',
  channel: 'whatsapp',
};

const TYPES: Partial<Readonly<Record<ValueKind, readonly AttributeType[]>>> = {
  attribute: ['text', 'number', 'boolean'],
  comparable: ['number', 'moment'],
};

export const kindOf = ({ field, operator }: Pick<Condition, 'field' | 'operator'>): ValueKind =>
  OPERATORS[field][operator] ?? 'text';

/** The types among which one says what the value is; none where the operator leaves no choice. */
export const typesOf = (condition: Pick<Condition, 'field' | 'operator'>): readonly AttributeType[] =>
  TYPES[kindOf(condition)] ?? [];

const firstOperator = (field: Field): Operator => Object.keys(OPERATORS[field])[0] as Operator;

/** A condition on a field, with its first operator. */
export const newCondition = (field: Field = 'tag'): Condition => {
  const operator = firstOperator(field);
  return {
    kind: 'leaf',
    node: crypto.randomUUID(),
    field,
    operator,
    key: '',
    type: typesOf({ field, operator })[0] ?? 'text',
    text: FIRST_TEXT[kindOf({ field, operator })],
  };
};
export const newGroup = (operator: Group['operator'] = 'and', nodes: readonly Node[] = [newCondition()]): Group => ({
  kind: 'group',
  node: crypto.randomUUID(),
  operator,
  nodes,
});

/** Choosing another field resets the condition. */
export const withField = (condition: Condition, field: Field): Condition => ({
  ...newCondition(field),
  node: condition.node,
});
/** Another operator keeps the value where it is of the same kind. */
export const withOperator = (condition: Condition, operator: Operator): Condition => {
  const changed = { ...condition, operator };
  if (kindOf(changed) === kindOf(condition)) return changed;
  return { ...changed, type: typesOf(changed)[0] ?? 'text', text: FIRST_TEXT[kindOf(changed)] };
};
/** Another type begins with a value of its own. */
export const withType = (condition: Condition, type: AttributeType): Condition => ({
  ...condition,
  type,
  text: type === 'boolean' ? 'true' : '',
});

const ofType = (type: AttributeType, text: string): string | number | boolean => {
  if (type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
};

/** The value as the operation takes it. */
const comparedWith = (condition: Condition): string | number | boolean => {
  const kind = kindOf(condition);
  if (kind === 'days') return Number(condition.text);
  if (kind === 'boolean') return condition.text === 'true';
  return typesOf(condition).length > 0 ? ofType(condition.type, condition.text) : condition.text;
};

const filterOf = (condition: Condition): SegmentFilter => ({
  field: condition.field,
  operator: condition.operator,
  value: comparedWith(condition),
  ...(condition.field === 'attribute' ? { key: condition.key.trim() } : {}),
});

/** Whether a condition is complete: an incomplete one is not sent to the service. */
const isFinished = (condition: Condition): boolean =>
  condition.text.trim() !== '' && (condition.field !== 'attribute' || condition.key.trim() !== '');

const leavesOf = (node: Node): Condition[] => (node.kind === 'leaf' ? [node] : node.nodes.flatMap(leavesOf));
export const countOf = (node: Node): number => leavesOf(node).length;
/** Whether every condition is finished, and every group has one. */
export const isComplete = (node: Node): boolean =>
  node.kind === 'leaf' ? isFinished(node) : node.nodes.length > 0 && node.nodes.every(isComplete);

const treeOf = (node: Node): SegmentFilterTree =>
  node.kind === 'leaf'
    ? { kind: 'leaf', filter: filterOf(node) }
    : { kind: 'group', operator: node.operator, nodes: node.nodes.map(treeOf) };

/** Conditions as the operations take them: a flat list where all have to hold, else a tree. */
export interface Description {
  readonly filters: SegmentFilter[];
  readonly filterTree?: SegmentFilterTree;
}
/** Whether conditions need no tree. */
export const isFlat = (root: Group): boolean =>
  root.operator === 'and' && root.nodes.every(({ kind }) => kind === 'leaf');
export const descriptionOf = (root: Group): Description => {
  const filters = leavesOf(root).map(filterOf);
  return isFlat(root) ? { filters } : { filters, filterTree: treeOf(root) };
};

const typeOf = (filter: Pick<Condition, 'field' | 'operator'>, value: SegmentFilter['value']): AttributeType => {
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  return typesOf(filter).includes('moment') ? 'moment' : 'text';
};

const conditionOf = ({ field, operator, value, key = '' }: SegmentFilter): Condition => ({
  kind: 'leaf',
  node: crypto.randomUUID(),
  field,
  operator,
  key,
  type: typeOf({ field, operator }, value),
  text: value === undefined ? FIRST_TEXT[kindOf({ field, operator })] : String(value),
});

const nodeOf = ({ kind, filter, operator, nodes = [] }: SegmentFilterTree): Node =>
  kind === 'leaf' && filter ? conditionOf(filter) : newGroup(operator, nodes.map(nodeOf));

/** The conditions of a saved segment, as one builds them. */
export const rootOf = ({ filters, filterTree }: Pick<Description, 'filters' | 'filterTree'>): Group => {
  const root = filterTree ? nodeOf(filterTree) : newGroup('and', filters.map(conditionOf));
  return root.kind === 'group' ? root : newGroup('and', [root]);
};
