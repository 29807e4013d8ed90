import { followLink as contract } from '../../shared/contracts/links.ts';
import { followLink } from '../../shared/domain/tracking/follow-link.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { linkPorts } from '../../shared/wiring/messages/links.ts';

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

export const handler = operation(
  contract,
  // Programs check a link by HEAD before a person follows it.
  ({ params, event }) => followLink(linkPorts, params.code, event.httpMethod !== 'HEAD'),
  (location) => respond(302, undefined, { location, ...headers }),
);
