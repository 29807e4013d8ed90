import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { findContact } from '../../shared/domain/contacts/consent.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { Unavailable } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { CONFLICT, retryOnConflict, setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { organizationWrite } from '../../shared/storage/access/organizations.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { conflictPatience, inScope } from '../../shared/wiring/process/scope.ts';
import { accepted } from '../support/accepted.ts';
import { useContendedTable } from '../support/contended-table.ts';

const { ownTable, table } = await useContendedTable(conflictPatience);
/** Much longer than an invocation lasts, so that the outcome does not depend on the machine. */
const LASTS_MS = 300_000;
const CHANGES = 100;
afterEach(() => {
  setConflictPatience(() => 0);
  vi.useRealTimers();
});

test('100 concurrent changes of one contact in 20 processes are all stored', {
  timeout: LASTS_MS,
}, async () => {
  setConflictPatience(conflictPatience);
  const owner = { organizationId: newId('organization'), env: 'test' } as const;
  await table.write(organizationWrite({ id: owner.organizationId, name: 'Loja Azul', createdAt: Date.now() }));
  const vault = createVault(randomBytes(32));
  const portsOver = (own: Table) => ({
    clock: Date.now,
    recipients: async () => vault,
    documents: async () => vault,
    store: contactStore(own, () => {}),
  });
  const { id } = accepted(await createContact(portsOver(table), owner, { phone: '+5511987654321' }));
  const tables = Array.from({ length: 20 }, ownTable);
  await Promise.all(
    Array.from({ length: CHANGES }, (_, at) =>
      inScope(
        async () =>
          accepted(
            await changeContact(portsOver(tables[at % tables.length] ?? table), owner, id, {
              attributes: { [`k${at}`]: at },
            }),
          ),
        LASTS_MS,
      ),
    ),
  );
  const { attributes } = accepted(await findContact(portsOver(table), owner.organizationId, id));
  expect(Object.keys(attributes)).toHaveLength(CHANGES);
});

describe('work that conflicts with the changes of others', () => {
  test('waits longer and longer, at most a second, until its caller waits no longer', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(1);
    setConflictPatience((startedAt) => startedAt + 5_000 - performance.now());
    const began: number[] = [];
    const busy = retryOnConflict('The contact', async () => {
      began.push(performance.now());
      return CONFLICT;
    });
    const refused = expect(busy).rejects.toThrow(Unavailable);
    await vi.advanceTimersByTimeAsync(10_000);
    await refused;
    const waits = began.slice(1).map((at, nth) => Math.round(at - (began[nth] ?? 0)));
    expect(waits.slice(0, 9)).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
    expect(began.length).toBeGreaterThanOrEqual(16);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBe(5_000);
    vi.restoreAllMocks();
  });

  test('is tried 16 times without waits if no deadline is given', async () => {
    let attempts = 0;
    const busy = async () => (++attempts < 16 ? CONFLICT : 'done');
    expect(await retryOnConflict('The contact', busy)).toBe('done');
    attempts = -1;
    await expect(retryOnConflict('The contact', busy)).rejects.toThrow(Unavailable);
  });
});
