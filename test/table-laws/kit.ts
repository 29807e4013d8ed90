import { DynamoDBClient, PutItemCommand, type TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { ensureTable } from '../../infra/local/resources.ts';
import type { Clock } from '../../infra/local/table-laws/model.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import type { LawSettings } from '../../infra/local/table-laws/settings.ts';
import '../support/aws-environment.ts';
import { startDynoxide } from '../../infra/local/engines.ts';
import { use } from '../support/use.ts';

/** A clock that moves only as the test moves it. */
export class HandClock implements Clock {
  #now = 0;
  #waiting: { readonly until: number; readonly resolve: () => void }[] = [];

  now = (): number => this.#now;

  wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      this.#waiting.push({ until: this.#now + ms, resolve });
    });

  /** Calls that wait for the clock. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Moves to the moment that the first of them waits for. */
  step(): void {
    const next = Math.min(...this.#waiting.map(({ until }) => until));
    if (next < Infinity) this.advance(Math.max(0, next - this.#now));
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#waiting.filter(({ until }) => until <= this.#now);
    this.#waiting = this.#waiting.filter(({ until }) => until > this.#now);
    for (const { resolve } of due) resolve();
  }
}

export const TABLE = 'live';
export const S = (text: string) => ({ S: text });
export const row = (pk: string, more: Record<string, { S: string } | { N: string }> = {}) => ({
  pk: S(pk),
  sk: S('A'),
  ...more,
});
export const put = (Item: Record<string, { S: string } | { N: string }>) =>
  new PutItemCommand({ TableName: TABLE, Item });
export const putOf = (pk: string, more?: Parameters<typeof row>[1]): TransactWriteItem => ({
  Put: { TableName: TABLE, Item: row(pk, more) },
});

/** No lag, no time in flight: for tests of one law that the others would disturb. */
const AT_REST = { flightMs: [0, 0], lagMs: [0, 0], lateShare: 0 } as const;

/** An engine with the table, and laws before it: each test takes laws, and partition keys, of its own. */
export const startEngine = async () => {
  const engine = await startDynoxide();
  await use({ close: () => engine.stop() });
  const direct = await use(withClose(new DynamoDBClient({ endpoint: engine.endpoint })));
  await ensureTable(direct, TABLE);
  const laws = async (given: Partial<LawSettings> = {}) => {
    const clock = new HandClock();
    const proxy = await startTableLaws(engine.endpoint, { clock, ...AT_REST, ...given });
    const client = new DynamoDBClient({ endpoint: proxy.endpoint, maxAttempts: 1 });
    /** Resumes the calls that wait for the clock, as they arrive, until the work is done. */
    const run = async <T>(work: Promise<T>): Promise<T> => {
      const steps = setInterval(() => clock.step(), 1);
      return work.finally(() => clearInterval(steps));
    };
    return {
      ...proxy,
      clock,
      client,
      run,
      refused: () => proxy.statistics().refusals,
      [Symbol.asyncDispose]: proxy.close,
    };
  };
  return { direct, laws };
};

const withClose = (client: DynamoDBClient) => Object.assign(client, { close: () => client.destroy() });

/** The codes of a cancelled transaction's places. */
export const codesOf = async (work: Promise<unknown>): Promise<(string | undefined)[]> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ name: 'TransactionCanceledException', $metadata: { httpStatusCode: 400 } });
  return (error as { CancellationReasons: { Code?: string }[] }).CancellationReasons.map(({ Code }) => Code);
};

/** The name of the error that a call ends with. */
export const nameOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: Error) => error.name,
  );
