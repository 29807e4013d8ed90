import { previewPush as contract } from '../../shared/contracts/push.ts';
import { audienceSelector } from '../../shared/domain/push-messages/audience.ts';
import { previewPush } from '../../shared/domain/push-messages/preview.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { createPushPorts } from '../../shared/wiring/push/push.ts';

export const handler = operation(contract, ({ actor, body }) =>
  previewPush(createPushPorts, actor, body.platforms, audienceSelector(body), body),
);
