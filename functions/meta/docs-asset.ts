import { getDocsAsset as contract } from '../../shared/contracts/meta.ts';
import { ASSETS } from '../../shared/openapi/assets.ts';
import { staticHeaders } from '../../shared/openapi/frame.ts';
import { operation, orNotFound, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(
  contract,
  ({ params }) => orNotFound('There is no such file.')(ASSETS.get(params.file)),
  (asset) => respond(200, asset.text, staticHeaders(asset.contentType)),
);
