import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Row } from '../../shared/storage/client/row.ts';

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
/** The pages of the scan that was made last, by where they begin. */
let last: { readonly scan: string; readonly pages: Map<string, Known> } | undefined;
const pagesOf = (scan: string): Map<string, Known> => {
  if (last?.scan !== scan) last = { scan, pages: new Map() };
  return last.pages;
};

const pageOf = (read: string, text: string): Known => {
  const { Items = [], LastEvaluatedKey } = JSON.parse(read) as Page;
  const own = read.includes(text) ? Items.filter((item) => JSON.stringify(item).includes(text)) : [];
  return { read, rows: own.map((item) => unmarshall(item) as Row), next: LastEvaluatedKey };
};

/**
 * Every row of a table in which a text stands. Without the SDK, which takes longer to read a table than the engine; rows of others, of which
 * files that share a service leave thousands, are parsed as JSON alone. A page that is as it was at the last call has the same rows.
 */
export const rowsWith = async (endpoint: string, TableName: string, text: string): Promise<Row[]> => {
  const rows: Row[] = [];
  const pages = pagesOf(`${endpoint} ${TableName} ${text}`);
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
    const known = pages.get(JSON.stringify(from ?? null));
    const page = known?.read === read ? known : pageOf(read, text);
    pages.set(JSON.stringify(from ?? null), page);
    rows.push(...page.rows);
    from = page.next;
  } while (from);
  return rows;
};
