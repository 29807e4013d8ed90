import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { IndexShape, Item, TableShape } from './model.ts';

/** A body of the protocol: what is in it is the engine's to check. */
// biome-ignore lint/suspicious/noExplicitAny: the JSON of 20 calls, of which the laws read a few fields.
export type Json = Record<string, any>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

/** A client's call. */
export interface Call {
  readonly action: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
}

const MAX_GETS = 100;
const CHANGES_SHAPES = new Set(['CreateTable', 'UpdateTable', 'DeleteTable']);

const keysOf = (schema: readonly { AttributeName: string; KeyType: string }[]): string[] =>
  [...schema].sort(({ KeyType: one }, { KeyType: other }) => (one < other ? -1 : 1)).map((key) => key.AttributeName);

const indexOf = ({ IndexName, KeySchema, Projection }: Json): IndexShape => ({
  name: IndexName,
  keys: keysOf(KeySchema),
  attributes: Projection.ProjectionType === 'ALL' ? undefined : (Projection.NonKeyAttributes ?? []),
});

/** The engine behind the laws. */
export class Engine {
  readonly #target: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #shapes = new Map<string, Promise<TableShape | undefined>>();

  constructor(target: string) {
    this.#target = target;
  }

  /** Passes a call on; with `action` and `body` another one, under the client's signature, which the engine does not verify. */
  async forward(call: Call, { action = call.action, body = call.body } = {}): Promise<Answer> {
    if (CHANGES_SHAPES.has(action)) this.#shapes.clear();
    const text = Buffer.from(JSON.stringify(body));
    const { host: _, 'accept-encoding': __, ...headers } = call.headers;
    const target = `DynamoDB_20120810.${action}`;
    const sent = { ...headers, 'content-length': String(text.length), 'x-amz-target': target };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.#target, { method: 'POST', headers: sent, agent: this.#agent }, (answer) => {
        buffer(answer)
          .then((answered) => {
            const { statusCode: status = 500, headers } = answer;
            resolve({ status, headers, body: JSON.parse(answered.toString('utf8')) as Json });
          })
          .catch(reject);
      });
      outgoing.on('error', reject);
      outgoing.end(text);
    });
  }

  /** The keys and indexes of a table; undefined for one that does not exist. */
  async shape(call: Call, table: string): Promise<TableShape | undefined> {
    const known = this.#shapes.get(table) ?? this.#describe(call, table);
    this.#shapes.set(table, known);
    const shape = await known.catch(() => undefined);
    if (!shape) this.#shapes.delete(table);
    return shape;
  }

  /** Items as they are now, in the keys' order. */
  async read(call: Call, shape: TableShape, keys: readonly Item[]): Promise<(Item | undefined)[]> {
    const [only] = keys;
    if (only && keys.length === 1) {
      const body = { TableName: shape.name, Key: only, ConsistentRead: true };
      return [(await this.forward(call, { action: 'GetItem', body })).body.Item];
    }
    const found = new Map<string, Item>();
    const nameOf = (item: Item) => JSON.stringify(shape.keys.map((name) => item[name]));
    let pending = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
    while (pending.length > 0) {
      const body = { RequestItems: { [shape.name]: { Keys: pending.slice(0, MAX_GETS), ConsistentRead: true } } };
      const answer = await this.forward(call, { action: 'BatchGetItem', body });
      // A refusal of the engine is passed on to the client.
      if (answer.status !== 200) return keys.map(() => undefined);
      for (const item of answer.body.Responses[shape.name] ?? []) found.set(nameOf(item), item);
      pending = [...(answer.body.UnprocessedKeys?.[shape.name]?.Keys ?? []), ...pending.slice(MAX_GETS)];
    }
    return keys.map((key) => found.get(nameOf(key)));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #describe(call: Call, table: string): Promise<TableShape | undefined> {
    const { status, body } = await this.forward(call, { action: 'DescribeTable', body: { TableName: table } });
    if (status !== 200) return undefined;
    const { KeySchema, GlobalSecondaryIndexes = [] } = body.Table as Json;
    return { name: table, keys: keysOf(KeySchema), indexes: (GlobalSecondaryIndexes as Json[]).map(indexOf) };
  }
}
