import { uploadMedia as contract, UploadMedia } from '../../shared/contracts/media.ts';
import { mediaView } from '../../shared/domain/channels/whatsapp/media/forward.ts';
import { uploadJson } from '../../shared/domain/channels/whatsapp/media/upload.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { parseJsonBody } from '../../shared/runtime/request.ts';
import { mediaPorts } from '../../shared/wiring/whatsapp/media.ts';

const parseDescribed = (json: string) => parseJsonBody(UploadMedia, json, 'VALIDATION_ERROR');

export const handler = operation(
  contract,
  ({ actor, params, body }) => uploadJson(mediaPorts, actor, params.numberId, body, parseDescribed),
  mediaView,
);
