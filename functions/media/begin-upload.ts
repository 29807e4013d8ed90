import { beginMediaUpload as contract } from '../../shared/contracts/media.ts';
import { beginUpload } from '../../shared/domain/channels/whatsapp/media/presigned.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { mediaPorts } from '../../shared/wiring/whatsapp/media.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  beginUpload(mediaPorts, actor, params.numberId, body),
);
