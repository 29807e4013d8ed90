import { parseId } from '../domain/core/ids.ts';
import type { Key } from './client/row.ts';

/** What follows a prefix in a part of a key; a TypeError where the key is another kind of row's. */
const after = (prefix: string, part: string): string => {
  if (part.startsWith(prefix)) return part.slice(prefix.length);
  throw new TypeError(`not a key that begins with ${prefix}`);
};

/** A whole number in a key, padded or not; a TypeError where there is none. */
const whole = (text: string | undefined): number => {
  if (text && /^\d+$/.test(text)) return Number(text);
  throw new TypeError('not a key with a number in its place');
};

type PartitionKey = Pick<Key, 'pk'>;
type SortKey = Pick<Key, 'sk'>;

/** What the key of a row says, which its function in KEYS made. Each throws a TypeError on the key of any other kind of row. */
export const PARSE_KEY = {
  /** The same for all rows of a message. */
  message: ({ pk }: PartitionKey) => parseId('message', after('MSG#', pk)),
  receipt: ({ pk, sk }: Key) => ({ messageId: PARSE_KEY.message({ pk }), fingerprint: after('RCPT#', sk) }),
  batchChunk: ({ pk, sk }: Key) => {
    after('CHUNK', sk);
    const [batchId, chunk] = after('BATCH#', pk).split('#');
    return { batchId: parseId('batch', batchId), chunk: whole(chunk) };
  },
  provider: ({ sk }: SortKey) => {
    const [channel = '', name = ''] = after('PROVIDER#', sk).split('#');
    return { channel, name };
  },
  inboundCount: ({ pk, sk }: Key) => {
    const [channel = '', shard] = sk.split('#');
    return { organizationId: parseId('organization', after('INS#', pk)), channel, shard: whole(shard) };
  },
  contact: ({ pk }: PartitionKey) => parseId('contact', after('CNT#', pk)),
  number: ({ pk }: PartitionKey) => parseId('number', after('NUM#', pk)),
  upload: ({ pk }: PartitionKey) => parseId('upload', after('UPL#', pk)),
  event: ({ pk }: PartitionKey) => parseId('event', after('EVT#', pk)),
  webhook: ({ pk, sk }: Key) => ({
    organizationId: parseId('organization', after('WBHS#', pk)),
    id: parseId('webhook', after('WBH#', sk)),
  }),
  delivery: ({ pk }: PartitionKey) => parseId('delivery', after('DLV#', pk)),
  lastInbound: ({ sk }: SortKey) => {
    const numberId = after('LAST#', sk);
    return { numberId: numberId === '' ? ('' as const) : parseId('number', numberId) };
  },
  pushToken: ({ sk }: SortKey) => parseId('pushToken', after('PTOK#', sk)),
  /** The same for all rows of a push message but its devices'. */
  pushMessage: ({ pk }: PartitionKey) => parseId('message', after('PSH#', pk)),
  pushChunk: ({ pk, sk }: Key) => {
    const [shard, chunk] = after('CHUNK#', sk).split('#');
    return { messageId: PARSE_KEY.pushMessage({ pk }), shard: whole(shard), chunk: whole(chunk) };
  },
} as const;
