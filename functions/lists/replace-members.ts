import { replaceMembers as contract } from '../../shared/contracts/lists.ts';
import { editMembers } from '../../shared/domain/lists/members.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { memberPorts } from '../../shared/wiring/lists/lists.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  editMembers(memberPorts, actor, params.id, 'replace', body),
);
