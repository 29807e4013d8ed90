import { listEmails as contract } from '../../shared/contracts/email.ts';
import { parseAddress } from '../../shared/domain/email/address.ts';
import { emailView, statesOfEmail } from '../../shared/domain/email/views.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { table, vault } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listMessagePage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, query: { to, status, campaignId, limit, skip } }) => {
  const { organizationId, scopes } = actor;
  const address = to === undefined ? undefined : parseAddress(to);
  if (to !== undefined && address === undefined)
    return refuse('BAD_REQUEST', {
      detail: 'The query breaks the contract.',
      errors: [{ path: 'to', message: 'must be an e-mail address' }],
    });
  const toHash = address === undefined ? undefined : (await vault()).blindIndex(organizationId, 'email', address);
  const filter = { campaignId, toHash, ...(status === undefined ? {} : { status: statesOfEmail(status) }) };
  const page = await listMessagePage(table, organizationId, 'email', filter, { limit, skip });
  return respond(200, {
    items: page.items.map((message) => emailView(message, scopes.has('pii:full'))),
    total: page.total,
  });
});
