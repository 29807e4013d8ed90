import { v1Preview as contract } from '../../shared/contracts/v1.ts';
import { previewV1, tellsOfRecipient } from '../../shared/domain/api/v1-send.ts';
import { asLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { previewPorts } from '../../shared/wiring/messages/queue-and-send.ts';

export const handler = operation(contract, ({ actor, body }) =>
  previewV1(previewPorts, actor, body).then(asLookup(contract, actor, ['to'], tellsOfRecipient)),
);
