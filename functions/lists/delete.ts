import { deleteList as contract } from '../../shared/contracts/lists.ts';
import { deleteList } from '../../shared/domain/lists/lists.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listPorts } from '../../shared/wiring/lists/lists.ts';

export const handler = operation(contract, ({ actor, params }) => deleteList(listPorts, actor, params.id));
