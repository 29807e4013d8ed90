import { getAccount as contract } from '../../shared/contracts/accounts.ts';
import { accountView } from '../../shared/domain/access/accounts.ts';
import { findAccount } from '../../shared/domain/access/people.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { peoplePorts } from '../../shared/wiring/access/people.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findAccount(peoplePorts, actor, params.id),
  accountView,
);
