import { uploadMediaBinary as contract } from '../../shared/contracts/media.ts';
import { mediaView } from '../../shared/domain/channels/whatsapp/media/forward.ts';
import { uploadBytes } from '../../shared/domain/channels/whatsapp/media/upload.ts';
import { header } from '../../shared/runtime/headers.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { mediaPorts } from '../../shared/wiring/whatsapp/media.ts';

export const handler = operation(
  contract,
  ({ actor, params, query, body, event }) =>
    uploadBytes(mediaPorts, actor, params.numberId, body, {
      queryName: query.filename,
      headerName: header(event, 'x-filename'),
      contentType: header(event, 'content-type'),
    }),
  mediaView,
);
