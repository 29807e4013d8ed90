import { uploadMediaBinary as contract } from '../../shared/contracts/media.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { mediaView } from '../../shared/domain/media/forward.ts';
import { uploadBytes } from '../../shared/domain/media/upload.ts';
import { describedBy, mediaPorts } from '../../shared/runtime/compose/media.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, query, body, event }) => {
  const describe = () => describedBy(event, query.filename);
  const media = await uploadBytes(mediaPorts, actor, params.numberId, body, describe);
  return isRefusal(media) ? media : respond(201, mediaView(media));
});
