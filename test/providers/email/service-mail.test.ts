import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Unavailable } from '../../../shared/domain/core/errors.ts';
import { sendServiceMail } from '../../../shared/providers/email/ses-service-mail.ts';
import { use } from '../../support/use.ts';

/** Amazon SES as far as SendEmail: takes everything until `fails`. */
const startSes = async () => {
  const bodies: Record<string, unknown>[] = [];
  const state = { fails: false };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let text = '';
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text));
    response.writeHead(state.fails ? 400 : 200, {
      'content-type': 'application/json',
      ...(state.fails ? { 'x-amzn-errortype': 'MessageRejected' } : {}),
    });
    response.end(JSON.stringify(state.fails ? { message: 'rejected: ana@example.com' } : { MessageId: 'm-1' }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    region: 'sa-east-1',
    configurationSetName: 'messaging',
    topicArns: ['arn:aws:sns:sa-east-1:111122223333:email-events'],
    accessKeyId: 'AKIATEST',
    secretAccessKey: 'secret',
    baseUrl,
  };
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { bodies, state, settings, close };
};
const ses = await use(startSes());
const serviceFrom = 'Messaging <no-reply@messaging.example>';
const mail = { subject: 'Seu link para entrar', text: 'https://api.example.com/sign-in#token' };

test("a mail of the service goes from its own sender, and its events to no customer's messages", async () => {
  expect(await sendServiceMail({ ...ses.settings, serviceFrom }, 'ana@example.com', mail)).toBe('sent');
  const [body] = ses.bodies.splice(0);
  expect(body).toMatchObject({ FromEmailAddress: serviceFrom, Destination: { ToAddresses: ['ana@example.com'] } });
  expect(body).not.toHaveProperty('ConfigurationSetName');
  expect(JSON.stringify(body)).toContain(mail.text);
});

test('nothing is sent without a sender of the service', async () => {
  expect(await sendServiceMail(ses.settings, 'ana@example.com', mail)).toBe('not_sent');
  expect(ses.bodies).toEqual([]);
});

test('a mail that SES refuses may be retried, and its error contains no address', async () => {
  ses.state.fails = true;
  const sending = sendServiceMail({ ...ses.settings, serviceFrom }, 'ana@example.com', mail);
  await expect(sending).rejects.toThrow(Unavailable);
  await expect(sending).rejects.toThrow(/^SES did not take the e-mail: MessageRejected$/);
});
