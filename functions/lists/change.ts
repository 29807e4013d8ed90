import { changeList as contract } from '../../shared/contracts/lists.ts';
import { listView } from '../../shared/domain/lists/list.ts';
import { changeList } from '../../shared/domain/lists/lists.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listPorts } from '../../shared/wiring/lists/lists.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeList(listPorts, actor, params.id, body),
  listView,
);
