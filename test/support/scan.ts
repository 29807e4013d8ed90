import { unmarshall } from '@aws-sdk/util-dynamodb';
import { toJson } from '../../shared/storage/client/plain-json.ts';
import type { Row } from '../../shared/storage/client/row.ts';
import type { MemoryTables } from './memory-table/client.ts';
import { memoryTablesAt } from './memory-table/engine.ts';

/** A signature in form alone: local engines read who signed and when, and check nothing. */
export const UNCHECKED_SIGNATURE = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260310/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  'x-amz-date': '20260310T120000Z',
} as const;

type Item = Parameters<typeof unmarshall>[0];
interface Page {
  readonly Items?: readonly Item[];
  readonly LastEvaluatedKey?: Item;
}

/** A page as it was read last, and its rows in which the text stood. */
interface Known {
  readonly read: string;
  readonly rows: readonly Row[];
  readonly next: Item | undefined;
}
/** Pages and rows that were read for one text of a table. */
interface Scan {
  readonly name: string;
  /** By where they begin. */
  readonly pages: Map<string, Known>;
  /** By their JSON: most rows of a page that has changed have not. */
  readonly rows: Map<string, Row>;
}
/** The scan that was made last. */
let last: Scan | undefined;
const scanOf = (name: string): Scan => {
  if (last?.name !== name) last = { name, pages: new Map(), rows: new Map() };
  return last;
};

const pageOf = (read: string, text: string, known: Map<string, Row>): Known => {
  const { Items = [], LastEvaluatedKey: next } = JSON.parse(read) as Page;
  if (!read.includes(text)) return { read, rows: [], next };
  const rows: Row[] = [];
  for (const item of Items) {
    const json = JSON.stringify(item);
    if (!json.includes(text)) continue;
    const row = known.get(json) ?? (unmarshall(item) as Row);
    known.set(json, row);
    rows.push(row);
  }
  return { read, rows, next };
};

/** By item: an item is replaced as a whole. */
const jsonOfItem = new WeakMap<object, string>();
const rowsInMemory = (tables: MemoryTables, name: string, text: string): Row[] => {
  const rows: Row[] = [];
  for (const item of tables.rows(name).all()) {
    const json = jsonOfItem.get(item) ?? toJson(item);
    jsonOfItem.set(item, json);
    if (json.includes(text)) rows.push(unmarshall(item as Item) as Row);
  }
  return rows;
};

/**
 * Every row of a table in which a text stands. Without the SDK, which takes longer to read a table than the engine; rows of others, of which
 * files that share a service leave thousands, are parsed as JSON alone. Pages and rows that are as they were at the last call are the same
 * objects.
 */
export const rowsWith = async (endpoint: string, TableName: string, text: string): Promise<Row[]> => {
  const inMemory = memoryTablesAt(endpoint);
  if (inMemory) return rowsInMemory(inMemory, TableName, text);
  const rows: Row[] = [];
  const { pages, rows: known } = scanOf(`${endpoint} ${TableName} ${text}`);
  let from: Item | undefined;
  do {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        ...UNCHECKED_SIGNATURE,
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.Scan',
      },
      body: JSON.stringify({ TableName, ConsistentRead: true, ...(from ? { ExclusiveStartKey: from } : {}) }),
    });
    const read = await response.text();
    if (!response.ok) throw new Error(`The table ${TableName} was not read: ${response.status} ${read.slice(0, 300)}`);
    const begin = JSON.stringify(from ?? null);
    const before = pages.get(begin);
    const page = before?.read === read ? before : pageOf(read, text, known);
    pages.set(begin, page);
    rows.push(...page.rows);
    from = page.next;
  } while (from);
  return rows;
};
