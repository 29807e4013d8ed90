import { changeNumberProfile as contract } from '../../shared/contracts/numbers.ts';
import { changeProfile } from '../../shared/domain/channels/whatsapp/numbers/numbers.ts';
import { profileView } from '../../shared/domain/channels/whatsapp/numbers/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { numberPorts } from '../../shared/wiring/whatsapp/numbers.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeProfile(numberPorts, actor, params.numberId, body),
  (outcome) => profileView(outcome.profile),
);
