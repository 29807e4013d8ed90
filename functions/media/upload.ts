import { uploadMedia as contract } from '../../shared/contracts/media.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { mediaView } from '../../shared/domain/media/forward.ts';
import { uploadJson } from '../../shared/domain/media/upload.ts';
import { mediaPorts, parseDescribed } from '../../shared/runtime/compose/media.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const media = await uploadJson(mediaPorts, actor, params.numberId, body, parseDescribed);
  return isRefusal(media) ? media : respond(201, mediaView(media));
});
