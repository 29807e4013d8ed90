import { completeMediaUpload as contract } from '../../shared/contracts/media.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { mediaView } from '../../shared/domain/media/forward.ts';
import { completeUpload } from '../../shared/domain/media/presigned.ts';
import { mediaPorts } from '../../shared/runtime/compose/media.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const media = await completeUpload(mediaPorts, actor, params.numberId, params.uploadId);
  return isRefusal(media) ? media : respond(201, mediaView(media));
});
