import { beginCardUpload as contract } from '../../shared/contracts/card-files.ts';
import { beginCardUpload } from '../../shared/domain/activities/card-files.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cardFilePorts } from '../../shared/wiring/activities/card-files.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  beginCardUpload(cardFilePorts, actor, params.id, body),
);
