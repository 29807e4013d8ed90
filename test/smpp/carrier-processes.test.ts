import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SmppCarrierSettings } from '../../shared/providers/sms/smpp-carrier.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { startCarrier } from '../support/smpp/carrier-simulator.ts';
import { settingsOf, useCarrierProcesses } from './carrier-kit.ts';

const { serviceOf, start } = await useCarrierProcesses();

describe('several processes', () => {
  it('hold together as many binds as are configured, each message is sent once, and a process without binds forwards it', async () => {
    const carrier = await startCarrier();
    onTestFinished(carrier.close);
    const settings = () => settingsOf(carrier, { binds: 2 });
    const processes = await Promise.all(Array.from({ length: 4 }, () => serviceOf(settings)));
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(2), PATIENCE);
    const sent = await Promise.all(processes.flatMap((one) => Array.from({ length: 5 }, () => one.send())));
    expect(sent.every(({ kind }) => kind === 'accepted')).toBe(true);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    expect(carrier.submits).toHaveLength(20);
    expect(carrier.binds).toHaveLength(2);
    expect(processes.reduce((sum, { service }) => sum + service.binds, 0)).toBe(2);
  });

  it('take over the binds of one that ends, which says unbind first', async () => {
    const { carrier, service: first } = await start();
    const second = await serviceOf(() => settingsOf(carrier));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(carrier.binds).toHaveLength(1);
    carrier.log();
    await first.close();
    expect(carrier.log()).toContain('6 0');
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
    expect(await second.send()).toMatchObject({ kind: 'accepted' });
    expect(carrier.binds).toHaveLength(2);
  });

  it('find a late response wherever the message was submitted', async () => {
    const { carrier, service: first } = await start();
    const second = await serviceOf(() => settingsOf(carrier));
    await second.send({ messageId: 'msg_there' });
    expect(carrier.accepted).toHaveLength(1);
    expect(await second.call('status', { messageId: 'msg_there' })).toEqual({
      kind: 'accepted',
      id: carrier.accepted[0]?.id,
    });
    expect(await first.call('status', { messageId: 'msg_there' })).toMatchObject({ kind: 'accepted' });
  });

  it('do not wait for one that died with its bind: what it would have got was not sent, for certain', async () => {
    const { service: first, carrier } = await start();
    await first.close();
    const silent = await listening(createServer(() => {}));
    onTestFinished(silent.close);
    const now = Date.now();
    const held = await first.slots.take(1, { bindId: 'dead', at: silent.url }, { now, until: now + 60_000 });
    onTestFinished(async () => held && first.slots.free(held));
    const second = await serviceOf(() => settingsOf(carrier));
    const began = performance.now();
    expect(await Promise.all([second.send(), second.send()])).toEqual([{ kind: 'unbound' }, { kind: 'unbound' }]);
    // To wait for the process that died would take 12 s, for its bind a minute.
    expect(performance.now() - began).toBeLessThan(12_000);
    expect(carrier.submits).toHaveLength(0);
  });

  it('without any bind report that the message was certainly not sent', async () => {
    const carrier = await startCarrier();
    onTestFinished(carrier.close);
    const service = await serviceOf(() => settingsOf(carrier, { binds: 0 }));
    expect(await service.send()).toEqual({ kind: 'unbound' });
  });
});

describe('TLS', () => {
  const cert = readFileSync(join(import.meta.dirname, '../support/smpp/loopback-test-only.cert.pem'), 'utf8');
  const key = readFileSync(join(import.meta.dirname, '../support/smpp/loopback-test-only.key.pem'), 'utf8');

  it('binds to a carrier whose certificate is known, and to no other', async () => {
    const carrier = await startCarrier({ tls: { cert, key } });
    onTestFinished(carrier.close);
    let settings = settingsOf(carrier, { tls: true });
    const service = await serviceOf(() => settings);
    await vi.waitFor(
      () => expect(service.news).toContainEqual(expect.objectContaining({ news: 'unreachable' })),
      PATIENCE,
    );
    expect(await service.send({ waitMs: 50 })).toEqual({ kind: 'unbound' });
    settings = settingsOf(carrier, { tls: true, tlsCa: cert });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
    expect(await service.send()).toMatchObject({ kind: 'accepted' });
    settings = settingsOf(carrier, { tls: true, tlsCa: cert, host: 'carrier.localhost' });
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(0), PATIENCE);
    expect(await service.send({ waitMs: 50 })).toEqual({ kind: 'unbound' });
    expect(carrier.binds).toHaveLength(1);
  });
});

describe('settings', () => {
  it('with changed settings end the binds and open others; without settings there are none', async () => {
    const carrier = await startCarrier();
    const other = await startCarrier({ systemId: 'another' });
    onTestFinished(carrier.close);
    onTestFinished(other.close);
    let settings: SmppCarrierSettings | undefined;
    const service = await serviceOf(() => settings);
    expect(service.service.binds).toBe(0);
    settings = settingsOf(carrier);
    await vi.waitFor(() => expect(carrier.bound()).toHaveLength(1), PATIENCE);
    settings = settingsOf(other, { systemId: 'another' });
    await vi.waitFor(() => expect(other.bound()).toHaveLength(1), PATIENCE);
    expect(carrier.bound()).toHaveLength(0);
    settings = undefined;
    await vi.waitFor(() => expect(other.bound()).toHaveLength(0), PATIENCE);
    expect(await service.slots.held(Date.now())).toEqual([]);
  });

  it('that the carrier refuses are logged and answered with its status', async () => {
    const carrier = await startCarrier({ password: 'another' });
    onTestFinished(carrier.close);
    const service = await serviceOf(() => settingsOf(carrier));
    await vi.waitFor(
      () => expect(service.news).toContainEqual(expect.objectContaining({ news: 'refused', status: 0x0e })),
      PATIENCE,
    );
    expect(await service.send({ waitMs: 100 })).toEqual({ kind: 'unbound', status: 0x0e });
  });
});
