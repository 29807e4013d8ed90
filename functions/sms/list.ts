import { listSms as contract } from '../../shared/contracts/sms.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { parsePhone } from '../../shared/domain/phone.ts';
import { smsView } from '../../shared/domain/sms/views.ts';
import { isoWindow } from '../../shared/domain/time.ts';
import { table, vault } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listMessagePage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, query }) => {
  const { phone, limit, skip, from, to, ...filter } = query;
  const number = phone === undefined ? undefined : parsePhone(phone);
  if (phone !== undefined && number === undefined)
    return refuse('VALIDATION_ERROR', {
      detail: 'The query breaks the contract.',
      errors: [{ path: 'phone', message: 'must be an existing number in E.164; in an address its + is written %2B' }],
    });
  const toHash = number === undefined ? undefined : (await vault()).blindIndex(actor.organizationId, 'phone', number);
  const page = await listMessagePage(
    table,
    actor.organizationId,
    'sms',
    { ...filter, ...isoWindow(from, to), toHash },
    { limit, skip },
  );
  return respond(200, {
    items: page.items.map((message) => smsView(message, actor.scopes.has('pii:full'))),
    total: page.total,
  });
});
