import { createList as contract } from '../../shared/contracts/lists.ts';
import { listView } from '../../shared/domain/lists/list.ts';
import { createList } from '../../shared/domain/lists/lists.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { listPorts } from '../../shared/wiring/lists/lists.ts';

export const handler = operation(contract, ({ actor, body }) => createList(listPorts, actor, body), listView);
