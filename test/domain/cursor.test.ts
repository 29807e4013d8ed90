import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CursorPosition, type CursorScope, decodeCursor, encodeCursor } from '../../shared/domain/core/cursor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';

const vault = createVault(Buffer.alloc(32, 7));
const scope: CursorScope = {
  organizationId: newId('organization'),
  env: 'test',
  query: { operation: 'push.list', status: ['sent', 'failed'] },
};
const position = { at: 1_772_452_800_000, id: 'msg_x' };

describe('a cursor', () => {
  it('decodes to the position that it was made from', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const sent = JSON.parse(JSON.stringify(value)) as CursorPosition;
        expect(decodeCursor(vault, scope, encodeCursor(vault, scope, sent))).toEqual(sent);
      }),
      { seed: 20_260_302 },
    );
  });

  it('is base64url, which needs no escaping in a query', () => {
    expect(encodeCursor(vault, scope, { text: 'ação?&+/' })).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it('is valid for its organization, environment and query alone', () => {
    const cursor = encodeCursor(vault, scope, position);
    const others: CursorScope[] = [
      { ...scope, organizationId: newId('organization') },
      { ...scope, env: 'live' },
      { ...scope, query: { ...scope.query, operation: 'rcs.list' } },
      { ...scope, query: { ...scope.query, status: ['failed', 'sent'] } },
      { ...scope, query: { ...scope.query, from: '2026-03-02T00:00:00Z' } },
      { ...scope, query: {} },
    ];
    for (const other of others) expect(decodeCursor(vault, other, cursor)).toBeUndefined();
    expect(decodeCursor(createVault(Buffer.alloc(32, 8)), scope, cursor)).toBeUndefined();
  });

  it('is valid whatever the order of the query’s fields, and with an undefined one', () => {
    const cursor = encodeCursor(vault, scope, position);
    const same = { status: ['sent', 'failed'], contactId: undefined, operation: 'push.list' };
    expect(decodeCursor(vault, { ...scope, query: same }, cursor)).toEqual(position);
  });

  it('distinguishes an object from the list of its fields', () => {
    const cursor = encodeCursor(vault, { ...scope, query: { a: { b: 1 } } }, position);
    expect(decodeCursor(vault, { ...scope, query: { a: [['b', 1]] } }, cursor)).toBeUndefined();
  });

  it('is refused when any one character differs', () => {
    const cursor = encodeCursor(vault, scope, position);
    for (let at = 0; at < cursor.length; at++) {
      for (const character of 'Ab0_=+ ') {
        if (cursor[at] === character) continue;
        expect(decodeCursor(vault, scope, cursor.slice(0, at) + character + cursor.slice(at + 1))).toBeUndefined();
      }
    }
  });

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(44), 'A'.repeat(4_097), '\u0000', 'null', 'e30', '%7B%7D'])(
    'is refused as garbage: %s',
    (garbage) => expect(decodeCursor(vault, scope, garbage)).toBeUndefined(),
  );

  it('is refused with anything before, after or cut off', () => {
    const cursor = encodeCursor(vault, scope, position);
    const longer = [`${cursor}A`, `A${cursor}`, `${cursor}=`, `${cursor}\n`, cursor + cursor];
    for (const other of [...longer, cursor.slice(1), cursor.slice(0, -1)])
      expect(decodeCursor(vault, scope, other)).toBeUndefined();
  });

  it('is never made too large to be accepted', () => {
    expect(() => encodeCursor(vault, scope, 'x'.repeat(4_000))).toThrow(RangeError);
  });
});
