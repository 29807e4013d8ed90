import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestStack, tempDir } from '../support/local-stack.ts';
import { use } from '../support/use.ts';
import { fixtureStack } from './fixtures/operations.ts';

const fixtures = fixtureStack(join(await tempDir(), 'dist'));

it('a stack behind the laws calls its table through them, and serves their statistics at the address of the table', async () => {
  const localStack = await use(startTestStack({ ...fixtures, background: false, tableLaws: { scale: 20, seed: 7 } }));
  const answer = await fetch(localStack.dynamodbEndpoint);
  expect(await answer.json()).toMatchObject({ calls: { CreateTable: 2 }, refusals: {}, unpatchedQueries: 0 });
});
