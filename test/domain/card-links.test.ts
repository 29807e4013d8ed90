import { expect, test } from 'vitest';
import { unlinkCards } from '../../shared/domain/cards/unlink.ts';
import { newId } from '../../shared/domain/core/ids.ts';

test('clearing the links of cards continues if a step found as many as its limit', async () => {
  const found = async (missing: number) => {
    let requested = 0;
    const ports = {
      store: { find: async () => undefined, save: async () => expect.fail('a write') },
      naming: async (_: unknown, limit: number) => {
        requested = limit;
        return Array.from({ length: limit - missing }, () => newId('card'));
      },
    };
    const outcome = await unlinkCards(ports, newId('company'));
    expect(requested).toBeGreaterThan(1);
    return outcome;
  };
  expect([await found(0), await found(1)]).toEqual(['more', 'done']);
});
