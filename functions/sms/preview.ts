import { previewSms as contract } from '../../shared/contracts/sms.ts';
import { previewSms } from '../../shared/domain/api/preview-sms.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { routePorts } from '../../shared/wiring/sending/route.ts';
import { quotePorts } from '../../shared/wiring/wallet/quote.ts';

export const handler = operation(contract, ({ actor, body }) =>
  previewSms({ ...quotePorts, ...routePorts }, actor, body),
);
