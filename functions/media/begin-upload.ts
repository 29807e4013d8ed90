import { beginMediaUpload as contract } from '../../shared/contracts/media.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { beginUpload } from '../../shared/domain/media/presigned.ts';
import { mediaPorts } from '../../shared/runtime/compose/media.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const address = await beginUpload(mediaPorts, actor, params.numberId, body);
  return isRefusal(address) ? address : respond(201, address);
});
