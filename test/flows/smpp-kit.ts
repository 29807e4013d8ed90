import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect } from 'vitest';
import type { BindCommand, Body, Pdu, Request } from '../../shared/smpp/pdus.ts';
import { Session } from '../../shared/smpp/session.ts';
import { statusName } from '../../shared/smpp/statuses.ts';
import type { Tlv } from '../../shared/smpp/tlvs.ts';
import type { Client, startMessaging } from '../support/api.ts';

const pduOf = async (reply: ReturnType<Session['request']>): Promise<Pdu> => {
  const answer = await reply;
  if (answer.kind !== 'response') throw new Error(answer.kind);
  return answer.pdu;
};

export interface Account {
  readonly id: string;
  readonly systemId: string;
  readonly password: string;
}

/** Accounts of a service, and their binds over real sockets, which end with the tests of a file. */
export const smppClients = (messaging: Awaited<ReturnType<typeof startMessaging>>) => {
  const sessions: Session[] = [];
  afterAll(async () => {
    await Promise.all(sessions.map((session) => session.unbind()));
  });

  const connectTo = async (port = messaging.smppPort) => {
    const socket = connect(port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    const session = new Session({ side: 'client', stream: socket, handlers: { request: async () => ({}) } });
    sessions.push(session);
    return session;
  };
  const accountOf = async (client: Client, fields: Readonly<Record<string, unknown>> = {}): Promise<Account> =>
    (await client.post('/v2/smpp/accounts', { name: 'Gateway', route: 'premium', ...fields })).body;
  const tryBind = async (
    { systemId, password }: Pick<Account, 'password' | 'systemId'>,
    {
      command = 'bind_transceiver',
      version = 0x34,
    }: { readonly command?: BindCommand; readonly version?: number } = {},
  ) => {
    const session = await connectTo();
    const pdu = await pduOf(session.bind(command, { systemId, password, interfaceVersion: version }));
    return { session, status: statusName(pdu.status) };
  };
  const boundAs = async (account: Account, options: Parameters<typeof tryBind>[1] = {}) => {
    const { session, status } = await tryBind(account, options);
    expect(status).toBe('ESME_ROK');
    const call = async (command: Request, body: object, tlvs: readonly Tlv[] = []) => {
      const pdu = await pduOf(session.request(command as 'submit_sm', body, tlvs));
      return { pdu, status: statusName(pdu.status), id: (pdu.body as Partial<Body<'submit_sm_resp'>>).messageId ?? '' };
    };
    const submit = (fields: Partial<Body<'submit_sm'>> = {}, tlvs: readonly Tlv[] = []) =>
      call(
        'submit_sm',
        {
          destAddrTon: 1,
          destAddrNpi: 1,
          destinationAddr: '5511999990005',
          shortMessage: Buffer.from('Oi'),
          ...fields,
        },
        tlvs,
      );
    const query = async (messageId: string) => (await call('query_sm', { messageId })).pdu;
    return { session, call, submit, query };
  };
  const setUp = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const account = await accountOf(tenant.test, fields);
    return { ...tenant, account, ...(await boundAs(account)) };
  };
  return { accountOf, boundAs, setUp, tryBind };
};
