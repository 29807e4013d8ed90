import { getDocsAsset as contract } from '../../shared/contracts/meta.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { ASSETS } from '../../shared/openapi/assets.ts';
import { staticHeaders } from '../../shared/openapi/pages.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ params }) => {
  const asset = ASSETS.get(params.file);
  return asset
    ? respond(200, asset.text, staticHeaders(asset.contentType))
    : refuse('NOT_FOUND', 'There is no such file.');
});
