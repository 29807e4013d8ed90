import { registerCardFile as contract } from '../../shared/contracts/card-files.ts';
import { registerCardFile } from '../../shared/domain/activities/card-files.ts';
import { cardFileView } from '../../shared/domain/activities/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardFilePorts } from '../../shared/wiring/activities/card-files.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => registerCardFile(cardFilePorts, actor, params.id, body.uploadId),
  cardFileView,
);
