import { renderEmailTemplate as contract } from '../../shared/contracts/email-templates.ts';
import { renderOwn } from '../../shared/domain/channels/email/templates.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { templatePorts } from '../../shared/wiring/email/templates.ts';

export const handler = operation(contract, ({ actor, params, body }) =>
  renderOwn(templatePorts, actor, params.id, body.variables),
);
