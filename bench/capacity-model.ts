import { INDEXES } from '../shared/storage/table-indexes.ts';
import type { CountedCall } from './counting-proxy.ts';

/**
 * What DynamoDB would charge for a call's writes, by its documented rules: two units per KB of an item in a transaction, otherwise one,
 * plus one per KB of each index entry written or removed. A write whose condition failed costs the same without the index entries.
 */

type Attribute = Readonly<Record<string, unknown>>;
interface Write {
  readonly Item?: Readonly<Record<string, Attribute>>;
  readonly Key?: Readonly<Record<string, Attribute>>;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>>;
}
type Body = Write & {
  readonly TransactItems?: readonly Readonly<Record<string, Write>>[];
  readonly RequestItems?: Readonly<Record<string, readonly { readonly PutRequest?: Write }[]>>;
};

const KB = 1024;
const INDEX_LIST = Object.values(INDEXES);

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, inner) => sum + 1 + sizeOf(inner), 0);
  if (typeof value === 'object' && value !== null) {
    const [[type, inner] = ['', undefined]] = Object.entries(value);
    if (type === 'N') return Math.ceil(String(inner).length / 2) + 1;
    if (type === 'BOOL' || type === 'NULL') return 1;
    if (type === 'M')
      return 3 + Object.entries(inner as object).reduce((sum, [name, of]) => sum + 1 + name.length + sizeOf(of), 0);
    return sizeOf(inner);
  }
  return 0;
};
/** Item size in bytes as DynamoDB counts it: names and values. */
const itemSize = (item: Readonly<Record<string, Attribute>>): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + sizeOf(value), 0);

/** Number of index entries of a new item. */
const entriesOf = (item: Readonly<Record<string, Attribute>>): number =>
  INDEX_LIST.filter(({ partitionKey, sortKey }) => partitionKey in item && sortKey in item).length;

/** Indexes with entries of a message row: its list, its recipient. Other updated rows have none. */
const LISTED = ['gsi1', 'gsi4'] as const;

/** Index entries that an update rewrites: those with a changed attribute. A changed key costs the old and the new entry. */
const rewritten = (update: Write): number => {
  const key = JSON.stringify(update.Key ?? {});
  const names = new Set(Object.values(update.ExpressionAttributeNames ?? {}));
  const lists = key.includes('"MSG#') && names.has('status') ? LISTED.length : 0;
  const moves =
    /SET[\s\S]*#dueAt\s*=/.test(update.UpdateExpression ?? '') &&
    !/REMOVE[\s\S]*#duePk/.test(update.UpdateExpression ?? '');
  const due = names.has('duePk') || names.has('dueAt') ? (moves ? 2 : 1) : 0;
  return lists + due;
};

const writeUnits = (kind: string, write: Write, perKb: number, storedSize: number, done: boolean): number => {
  if (kind === 'ConditionCheck') return perKb;
  if (write.Item) return perKb * Math.ceil(itemSize(write.Item) / KB) + (done ? entriesOf(write.Item) : 0);
  return perKb * Math.ceil(storedSize / KB) + (done ? rewritten(write) : 0);
};

/** The writes of a call: kind, write, units per KB. */
const writesIn = ({ action, body }: CountedCall): (readonly [kind: string, write: Write, perKb: number])[] => {
  const parsed = JSON.parse(body) as Body;
  if (action === 'TransactWriteItems')
    return (parsed.TransactItems ?? []).flatMap((item) =>
      Object.entries(item).map(([kind, write]) => [kind, write, 2] as const),
    );
  if (action === 'BatchWriteItem')
    return Object.values(parsed.RequestItems ?? {})
      .flat()
      .flatMap(({ PutRequest }) => (PutRequest ? [['PutItem', PutRequest, 1] as const] : []));
  return ['PutItem', 'UpdateItem', 'DeleteItem'].includes(action) ? [[action, parsed, 1]] : [];
};

/** Units of a call's writes by partition; `messageSize` is the size of an updated message row. */
export const unitsByPartition = (call: CountedCall, messageSize: number): (readonly [pk: string, units: number])[] =>
  writesIn(call).map(([kind, write, perKb]) => {
    const pk = String(Object.values((write.Item ?? write.Key)?.pk ?? {})[0] ?? '');
    return [pk, writeUnits(kind, write, perKb, pk.startsWith('MSG#') ? messageSize : 1, call.done)] as const;
  });

/** Units of a call's writes. */
export const modelledWriteUnits = (call: CountedCall, messageSize: number): number =>
  unitsByPartition(call, messageSize).reduce((sum, [, units]) => sum + units, 0);

/** Size of the message row that a reservation writes; undefined for any other call. */
export const messageSizeIn = (call: CountedCall): number | undefined => {
  if (call.action !== 'TransactWriteItems') return undefined;
  const items = (JSON.parse(call.body) as Body).TransactItems ?? [];
  const put = items.map((item) => item.Put?.Item).find((item) => item && JSON.stringify(item.sk) === '{"S":"MSG"}');
  return put ? itemSize(put) : undefined;
};
