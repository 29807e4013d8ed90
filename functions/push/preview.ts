import { previewPush as contract } from '../../shared/contracts/push.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { wishOf } from '../../shared/domain/push/audience.ts';
import { previewPush } from '../../shared/domain/push/preview.ts';
import { createPushPorts } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const preview = await previewPush(createPushPorts, actor, body.platforms, wishOf(body), body);
  return isRefusal(preview) ? preview : respond(200, preview);
});
