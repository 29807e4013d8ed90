import { rotateJourneySecret as contract } from '../../shared/contracts/journeys.ts';
import { rotateSecret } from '../../shared/domain/journeys/secrets.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { journeyPorts } from '../../shared/wiring/journeys/journeys.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => rotateSecret(journeyPorts, actor, params.id, body.sobreposicaoHoras),
  ({ secret }) => ({ segredoWebhook: secret }),
);
