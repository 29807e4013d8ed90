import { listCardFiles as contract } from '../../shared/contracts/card-files.ts';
import { listCardFiles } from '../../shared/domain/activities/card-files.ts';
import { cardFileView } from '../../shared/domain/activities/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cardFilePorts } from '../../shared/wiring/activities/card-files.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => listCardFiles(cardFilePorts, actor, params.id),
  itemsAs(cardFileView),
);
