import { completeMediaUpload as contract } from '../../shared/contracts/media.ts';
import { mediaView } from '../../shared/domain/channels/whatsapp/media/forward.ts';
import { completeUpload } from '../../shared/domain/channels/whatsapp/media/presigned.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { mediaPorts } from '../../shared/wiring/whatsapp/media.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => completeUpload(mediaPorts, actor, params.numberId, params.uploadId),
  mediaView,
);
