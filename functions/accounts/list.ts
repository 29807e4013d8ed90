import { listAccounts as contract } from '../../shared/contracts/accounts.ts';
import { accountView } from '../../shared/domain/access/accounts.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { listAccounts } from '../../shared/storage/access/accounts.ts';
import { table } from '../../shared/wiring/process/aws.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => listAccounts(table, actor.organizationId, query),
  itemsAs(accountView),
);
