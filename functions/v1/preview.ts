import { v1Preview as contract } from '../../shared/contracts/v1.ts';
import { previewV1, revealsRecipient } from '../../shared/domain/api/v1-send.ts';
import { withLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { previewPorts } from '../../shared/wiring/messages/queue-and-send.ts';

export const handler = operation(contract, ({ actor, body }) =>
  withLookup(contract, actor, ['to'], revealsRecipient(body))(() => previewV1(previewPorts, actor, body)),
);
