import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/support/api.ts';

/** Everybody: all contacts have a phone. */
export const EVERYBODY = { field: 'channel', operator: 'has', value: 'whatsapp' };
export const SMS = { channel: 'sms', text: 'Oi {{contact.name|amigo}}, hoje tudo com 30% off.' } as const;
const POLL_MS = 250;

/** Posts and answers the body; throws unless it was taken. */
export const posted = async (client: Client, path: string, body: object = {}) => {
  const answer = await client.post(path, body);
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${answer.text}`);
  return answer.body;
};

/** A segment that every contact is in; its id. */
export const everybody = async (client: Client): Promise<string> =>
  (await posted(client, '/v2/segments', { name: 'Todos', filters: [EVERYBODY] })).id;

/** A draft of SMS to everybody, unless told otherwise; its id. */
export const draftCampaign = async (client: Client, segmentId: string, fields: object = {}): Promise<string> =>
  (
    await posted(client, '/v2/campaigns', {
      name: 'Todos',
      message: SMS,
      audience: { segmentIds: [segmentId] },
      ...fields,
    })
  ).id;

/** Waits until so many messages of a campaign left, or none of them is on its way any more; answers how many recipients it has. */
export const untilSent = async (client: Client, id: string, count = Number.POSITIVE_INFINITY): Promise<number> => {
  for (;;) {
    const { total, queued, sent, failed, skipped } = (await client.get(`/v2/campaigns/${id}`)).body.progress;
    // Some recipients of the sandbox are refused: they fail without having been sent to.
    if (sent >= count || (queued === 0 && sent + failed + skipped >= total)) return total;
    await pause(POLL_MS);
  }
};
