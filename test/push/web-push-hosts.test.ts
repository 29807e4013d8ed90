import { describe, expect, test } from 'vitest';
import { registerDevice } from '../../shared/domain/channels/push/devices.ts';
import { WEB_PUSH_HOST, webPushFault } from '../../shared/domain/channels/push/web-push-hosts.ts';
import { parseConfig } from '../../shared/wiring/process/config.ts';
import { BROWSER } from './flow.ts';
import { usePush } from './world.ts';

const { world, push } = await usePush();
const NONE = { allowLoopbackHttp: false, hosts: [] };

describe('an endpoint of a browser', () => {
  test.each([
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://db5p.notify.windows.com/w/?token=x',
    'https://web.push.apple.com/x',
  ])('of a known push service is accepted: %s', (endpoint) => {
    expect(webPushFault(endpoint, NONE)).toBeUndefined();
  });

  test.each([
    'https://push.example/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://evilnotify.windows.com/x',
    'https://notify.windows.com/x',
    'https://fcm.googleapis.com@evil.example/x',
    'http://fcm.googleapis.com/x',
    'https://127.0.0.1/x',
    'no-address',
  ])('of any other host is not: %s', (endpoint) => {
    expect(webPushFault(endpoint, NONE)).toEqual(expect.any(String));
  });

  test('of a host that the operator adds is accepted, and one on loopback only if that is allowed', () => {
    const hosts = ['push.example', '*.push.example.net'];
    expect(webPushFault('https://push.example/x', { ...NONE, hosts })).toBeUndefined();
    expect(webPushFault('https://a.push.example.net/x', { ...NONE, hosts })).toBeUndefined();
    expect(webPushFault('http://127.0.0.1:8080/x', { ...NONE, allowLoopbackHttp: true })).toBeUndefined();
    expect(webPushFault('https://push.example/x', { ...NONE, allowLoopbackHttp: true })).toEqual(expect.any(String));
  });

  test('of an unknown push service is refused with 400 naming the token, and no device is stored', async () => {
    const actor = await world.organization();
    const { id: appId } = await push.app(actor);
    const web = { appId, platform: 'web', token: 'https://push.example/x', ...BROWSER } as const;
    const stored: string[] = [];
    const { devices } = push.devicePorts;
    const put: typeof devices.put = async (device, before) => {
      stored.push(device.token);
      return devices.put(device, before);
    };
    const ports = { ...push.devicePorts, devices: { ...devices, put } };
    expect(await registerDevice(ports, actor, web)).toMatchObject({
      name: 'BAD_REQUEST',
      details: { errors: [{ path: 'token' }] },
    });
    const known = { ...web, token: 'https://fcm.googleapis.com/fcm/send/x' };
    expect(await registerDevice(ports, actor, known)).toMatchObject({ platform: 'web', optedIn: true });
    expect(stored).toEqual([known.token]);
  });
});

describe('the settings of a stage', () => {
  const env = { STAGE: 'live', TABLE_NAME: 'table', LIVE_TABLE_NAME: 'table', PUBLIC_URL: 'https://messaging.example' };

  test('name additional hosts, and nothing else', () => {
    expect(parseConfig({ ...env, WEB_PUSH_HOSTS: 'push.example, *.Push.example.net' }).WEB_PUSH_HOSTS).toEqual([
      'push.example',
      '*.push.example.net',
    ]);
    for (const wrong of ['https://push.example', '*', '*.', '127.0.0.1', 'push.example/x', '*.com'])
      expect(() => parseConfig({ ...env, WEB_PUSH_HOSTS: wrong })).toThrow('WEB_PUSH_HOSTS');
    expect(WEB_PUSH_HOST.test('*.example')).toBe(false);
  });

  test('that is deployed refuse to carry the loopback setting', () => {
    for (const name of ['WEBHOOK_LOOPBACK', 'LOG_SIGN_IN_LINKS'])
      expect(() => parseConfig({ ...env, KMS_KEY_ID: 'key', [name]: 'true' })).toThrow(name);
    expect(parseConfig({ ...env, LOCAL_KEY_FILE: 'key', WEBHOOK_LOOPBACK: 'true' }).WEBHOOK_LOOPBACK).toBe(true);
  });
});
