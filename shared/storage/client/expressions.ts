import type { AttributeValue, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { marshall, type NativeAttributeValue } from '@aws-sdk/util-dynamodb';
import type { Key } from './row.ts';

/** A condition as DynamoDB writes it: names as `#name` (the attribute of that name), values as `:name`. */
export interface Condition {
  readonly text: string;
  readonly values?: Readonly<Record<string, NativeAttributeValue>>;
}

/** One write, as plain data. `when` must hold, or the write (and its whole transaction) does not happen. */
export type WriteOp =
  | { readonly put: Key & Readonly<Record<string, unknown>>; readonly when?: Condition }
  | {
      readonly update: Key;
      readonly set?: Readonly<Record<string, unknown>>;
      /** Set only if the attribute is absent: the first write wins. */
      readonly setOnce?: Readonly<Record<string, unknown>>;
      /** Numbers added; an absent attribute counts as 0. */
      readonly add?: Readonly<Record<string, number>>;
      /** Texts and maps appended to a list; an absent attribute counts as empty. */
      readonly append?: Readonly<Record<string, readonly unknown[]>>;
      readonly remove?: readonly string[];
      readonly when?: Condition;
      /** An alternative row for each further attempt of a transaction. */
      readonly elsewhere?: () => Key;
    }
  | { readonly delete: Key; readonly when?: Condition }
  | { readonly check: Key; readonly when: Condition };

export type Update = Extract<WriteOp, { readonly update: Key }>;

interface Expressed {
  readonly names: Record<string, string> | undefined;
  readonly values: Record<string, AttributeValue> | undefined;
}

/** A caller's object with a key `constructor` looks like a class instance to the marshaller: such objects are stored as maps too. */
const OPTIONS = { removeUndefinedValues: true, convertClassInstanceToMap: true } as const;
const NAMES = /#([A-Za-z][A-Za-z0-9_]*)/g;

const namesByText = new Map<string, Record<string, string> | undefined>();
/** The attribute names in an expression, cached by its text: texts are few, since values are not part of them. */
const namesOf = (text: string): Record<string, string> | undefined => {
  if (namesByText.has(text)) return namesByText.get(text);
  const names: Record<string, string> = {};
  for (const match of text.matchAll(NAMES)) if (match[1]) names[match[0]] = match[1];
  const found = Object.keys(names).length > 0 ? names : undefined;
  if (namesByText.size >= 1_000) namesByText.clear();
  namesByText.set(text, found);
  return found;
};

/** Names and values of an expression in DynamoDB's form. */
export const expressCondition = (condition: Condition): Expressed => {
  const values: Record<string, NativeAttributeValue> = {};
  for (const [name, value] of Object.entries(condition.values ?? {})) values[`:${name}`] = value;
  return {
    names: namesOf(condition.text),
    values: Object.keys(values).length > 0 ? marshall(values, OPTIONS) : undefined,
  };
};

const updateExpression = (operation: Update): Condition => {
  const values: Record<string, NativeAttributeValue> = {};
  const set: string[] = [];
  for (const [name, value] of Object.entries(operation.set ?? {})) {
    if (value === undefined) continue;
    values[`set_${name}`] = value as NativeAttributeValue;
    set.push(`#${name} = :set_${name}`);
  }
  for (const [name, value] of Object.entries(operation.setOnce ?? {})) {
    values[`once_${name}`] = value as NativeAttributeValue;
    set.push(`#${name} = if_not_exists(#${name}, :once_${name})`);
  }
  for (const [name, value] of Object.entries(operation.append ?? {})) {
    values[`append_${name}`] = value as NativeAttributeValue;
    values.none = [];
    set.push(`#${name} = list_append(if_not_exists(#${name}, :none), :append_${name})`);
  }
  const add = Object.entries(operation.add ?? {}).map(([name, value]) => {
    values[`add_${name}`] = value;
    return `#${name} :add_${name}`;
  });
  const clauses = [
    set.length > 0 ? `SET ${set.join(', ')}` : '',
    operation.remove?.length ? `REMOVE ${operation.remove.map((name) => `#${name}`).join(', ')}` : '',
    add.length > 0 ? `ADD ${add.join(', ')}` : '',
  ];
  return { text: clauses.filter(Boolean).join(' '), values };
};

/** The parts that single and transacted writes share. */
export const expressWrite = (operation: WriteOp) => {
  const when = operation.when;
  if ('put' in operation) {
    const { names, values } = expressCondition(when ?? { text: '' });
    return {
      kind: 'put' as const,
      Item: marshall(operation.put, OPTIONS),
      ConditionExpression: when?.text,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    };
  }
  if ('update' in operation) {
    const update = updateExpression(operation);
    const { names, values } = expressCondition({
      text: `${update.text} ${when?.text ?? ''}`,
      values: { ...update.values, ...when?.values },
    });
    return {
      kind: 'update' as const,
      Key: keyOf(operation.update),
      UpdateExpression: update.text,
      ConditionExpression: when?.text,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
    };
  }
  const { names, values } = expressCondition(when ?? { text: '' });
  const common = {
    ConditionExpression: when?.text,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  };
  return 'delete' in operation
    ? { kind: 'delete' as const, Key: keyOf(operation.delete), ...common }
    : { kind: 'check' as const, Key: keyOf(operation.check), ...common };
};

const keyOf = (key: Key) => marshall({ pk: key.pk, sk: key.sk });

/** The write for the next attempt of its transaction. */
export const atNextAttempt = (operation: WriteOp): WriteOp =>
  'update' in operation && operation.elsewhere ? { ...operation, update: operation.elsewhere() } : operation;

/** One write as an item of TransactWriteItems; a failed condition returns the current row. */
export const toTransactItem = (TableName: string, operation: WriteOp): TransactWriteItem => {
  const { kind, ...rest } = expressWrite(operation);
  const item = {
    TableName,
    ...(operation.when ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const } : {}),
    ...rest,
  };
  if (kind === 'put') return { Put: item as TransactWriteItem['Put'] };
  if (kind === 'update') return { Update: item as TransactWriteItem['Update'] };
  if (kind === 'delete') return { Delete: item as TransactWriteItem['Delete'] };
  return { ConditionCheck: item as TransactWriteItem['ConditionCheck'] };
};
