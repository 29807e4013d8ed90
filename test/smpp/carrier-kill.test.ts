import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { BIND_LEASE_MS } from '../../shared/domain/smpp/bind.ts';
import { smppCarrier, smppCarrierSettings } from '../../shared/providers/sms/smpp-carrier.ts';
import { carrierBinds } from '../../shared/storage/smpp/carrier-binds.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { listening } from '../support/loopback.ts';
import { networkIo } from '../support/providers/io.ts';
import { smsDispatch } from '../support/providers/sms-kit.ts';
import { startCarrier } from '../support/smpp/carrier-simulator.ts';

const { ownTable } = await useContendedTable();
const PATIENCE = { timeout: 45_000, interval: 20 };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Serve = (body: string) => Promise<{ readonly status?: number; readonly body?: unknown }>;
const serverOf = async (serve: Serve) => {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { status = 200, body } = await serve(await text(request));
    response.writeHead(status).end(body === undefined ? '' : JSON.stringify(body));
  };
  const server = await listening(
    createServer((request, response) => void answer(request, response).catch(() => response.destroy())),
  );
  ends.push(server.close);
  return server.url;
};

/** A carrier, a stage with a clock that the test moves, and processes of the SMPP service that can be killed. */
const setUp = async () => {
  const carrier = await startCarrier();
  ends.push(carrier.close);
  const handedOver: string[] = [];
  let holds = false;
  const callbackUrl = await serverOf(async (body) => {
    handedOver.push(body);
    if (holds) await new Promise(() => {});
    return {};
  });
  const settings = smppCarrierSettings.parse({
    host: '127.0.0.1',
    port: carrier.port,
    systemId: 'carrier-user',
    password: 'secret',
    serviceKey: 'a key that both sides of a test have',
    serviceUrl: 'http://127.0.0.1:1',
  });
  let later = 0;
  const slots = carrierBinds(ownTable());
  // Those of processes that another test killed.
  for (const slot of await slots.held(0)) await slots.free(slot);
  const stageUrl = await serverOf(async (body) => {
    const event = JSON.parse(body);
    const now = Date.now() + later;
    const until = now + BIND_LEASE_MS;
    if (event.kind === 'set_up') return { body: { settings, callbackUrl } };
    if (event.kind === 'take') return { body: await slots.take(event.binds, event, { now, until }) };
    if (event.kind === 'keep') return { body: await slots.keep(event.slot, until) };
    return { body: (await slots.held(now)).flatMap(({ at }) => at ?? []) };
  });
  const startProcess = async () => {
    const script = join(import.meta.dirname, '../support/smpp/carrier-process.ts');
    const child: ChildProcess = spawn(process.execPath, [script, stageUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
    const kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };
    ends.push(kill);
    const [port] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer];
    const serviceUrl = `http://127.0.0.1:${Number(port)}`;
    const provider = smppCarrier.create({ ...settings, serviceUrl }, networkIo(Date.now));
    return { kill, provider };
  };
  const isBound = () => vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
  return {
    carrier,
    handedOver,
    startProcess,
    isBound,
    hold: (held: boolean) => (holds = held),
    passLease: () => (later += BIND_LEASE_MS + 1),
  };
};

it('a process that is killed before it acknowledged a delivery loses nothing: the next one takes its bind, and gets it again', async () => {
  const { carrier, handedOver, startProcess, isBound, hold, passLease } = await setUp();
  const first = await startProcess();
  await isBound();
  const receipt = {
    source: '5511987654321',
    destination: '28000',
    esmClass: 4,
    short: Buffer.from('id:7 stat:DELIVRD'),
  };
  hold(true);
  const answer = carrier.deliver(receipt);
  await vi.waitFor(() => expect(handedOver).toHaveLength(1), PATIENCE);
  await first.kill();
  expect(await answer).toBeUndefined();

  hold(false);
  await startProcess();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The killed one's bind is held for it until its lease is over.
  expect(carrier.bound()).toHaveLength(0);
  passLease();
  await isBound();
  expect(await carrier.deliver(receipt)).toBe(0);
  expect(handedOver[1]).toBe(handedOver[0]);
});

it('a process that is killed between submit_sm and its response leaves an uncertain send, which is not repeated', async () => {
  const { carrier, startProcess, isBound, passLease } = await setUp();
  const first = await startProcess();
  await isBound();
  carrier.script('accept_and_hang');
  const message = smsDispatch();
  const sent = first.provider.send(message);
  await vi.waitFor(() => expect(carrier.submits).toHaveLength(1), PATIENCE);
  await first.kill();
  expect(await sent).toMatchObject({ kind: 'unknown' });
  const second = await startProcess();
  passLease();
  await isBound();
  expect(await second.provider.queryStatus?.(message.messageId)).toMatchObject({ kind: 'undecided' });
  expect(carrier.submits).toHaveLength(1);
  expect(await second.provider.send(smsDispatch())).toMatchObject({ kind: 'accepted' });
});
