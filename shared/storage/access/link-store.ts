import type { LinkStore } from '../../domain/access/sign-in.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { accountsOfAddress } from './accounts.ts';
import { linkRequestWrite, putLink, readLink, takeRequest } from './sign-in-links.ts';

/** Requests for links and the links, in the table of one stage. */
export const linkStore = (table: Table): LinkStore => ({
  async putRequest(request) {
    await table.write(linkRequestWrite(request));
  },
  takeRequest: (requestId, now) => takeRequest(table, requestId, now),
  async deleteRequest(requestId) {
    await table.write({ delete: KEYS.linkRequest(requestId) });
  },
  accountsOfAddress: (emailHash, organizationId) => accountsOfAddress(table, emailHash, organizationId),
  putLink: (link) => putLink(table, link),
  readLink: (hash) => readLink(table, hash),
});
