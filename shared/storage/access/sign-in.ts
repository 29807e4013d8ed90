import type { Account } from '../../domain/access/accounts.ts';
import type { NewSession } from '../../domain/access/sessions.ts';
import type { SignInLink, SignInStore } from '../../domain/access/sign-in.ts';
import type { AuditEntry } from '../../domain/audit/entry.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { EXISTS } from '../client/conditions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Table } from '../client/table.ts';
import { accountRow, ownerWrites, stillActive } from './accounts.ts';
import { linkStore } from './link-store.ts';
import { isOpened, newSessionWrites } from './sessions.ts';

/**
 * Consumes a link and opens its session. Of concurrent calls with one link only one succeeds: the link's row is deleted on the condition
 * that it exists.
 */
const signIn = async (
  table: Table,
  { hash }: SignInLink,
  { before, after }: { readonly before: Account; readonly after: Account },
  session: NewSession,
  entry: AuditEntry,
): Promise<'saved' | 'used' | 'conflict'> => {
  const sessionWrites = newSessionWrites(session);
  const outcome = await table.transact([
    ...sessionWrites,
    { delete: KEYS.signInLink(hash), when: EXISTS },
    ...(before === after
      ? [stillActive(before)]
      : [{ put: accountRow(after), when: atVersion(before.version) }, ...ownerWrites(before, after, true)]),
    ...auditWrites(entry),
  ]);
  if (outcome.ok || isOpened(outcome.reasons, session)) return 'saved';
  return outcome.reasons[sessionWrites.length]?.conditionFailed ? 'used' : 'conflict';
};

/** Links and the sessions that they open, in the table of one stage. */
export const signInStore = (table: Table): SignInStore => ({
  ...linkStore(table),
  signIn: (link, account, session, entry) => signIn(table, link, account, session, entry),
});
