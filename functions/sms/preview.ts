import { previewSms as contract } from '../../shared/contracts/sms.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { previewSms } from '../../shared/domain/sms/preview.ts';
import { quotePorts } from '../../shared/runtime/compose/quote.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const preview = await previewSms(quotePorts, actor, body);
  return isRefusal(preview) ? preview : respond(200, preview);
});
