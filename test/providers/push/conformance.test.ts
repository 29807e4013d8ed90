import { describe, expect, it } from 'vitest';
import { PUSH_PLATFORMS } from '../../../shared/domain/channels/push/transport.ts';
import {
  NOTIFICATION,
  openPush,
  PUSH_UNDER_TEST,
  pushDispatch,
  RICH,
  SILENT,
} from '../../support/providers/push-kit.ts';
import { PUSH_NOW } from '../../support/providers/push-stand-in.ts';
import { type Play, THROTTLED_SECONDS } from '../../support/providers/stand-in.ts';
import { use } from '../../support/use.ts';
import { AMBIGUOUS, expectNoPersonalData } from '../shared.ts';

/** For services that never answer; all others may take as long as a slow machine needs. */
const TIMEOUT_MS = 1_500;

it('the push service of every platform is tested by this suite', () => {
  expect(PUSH_UNDER_TEST.length).toBe(PUSH_PLATFORMS.length);
});

describe.each(PUSH_UNDER_TEST.map((each) => [each.name, each] as const))('%s', async (_, underTest) => {
  const { refusals, dead, uncertain } = underTest;
  const standIn = await use(underTest.start(() => PUSH_NOW));
  const push = await use(openPush(standIn));

  const played = (play: Play) => {
    standIn.script(play);
    return push.send(pushDispatch(standIn));
  };
  it.each([
    ['text alone', NOTIFICATION, { shown: NOTIFICATION, fields: {}, urgent: true }],
    [
      'image, buttons, link and data, none of which overrides the dispatch id',
      RICH,
      {
        shown: NOTIFICATION,
        fields: { deepLink: RICH.deepLink, imageUrl: RICH.imageUrl, actions: RICH.actions, campanha: 'natal' },
        urgent: true,
      },
    ],
    ['data that shows nothing', SILENT, { shown: undefined, fields: { sincronizar: '9182' }, urgent: false }],
  ])('sends once, unchanged, and returns the service’s id: %s', async (_, notification, carried) => {
    const before = standIn.pushes.length;
    const sent = pushDispatch(standIn, { notification });
    const answer = await push.send(sent);
    const [found, ...more] = standIn.pushes.slice(before);
    expect(more).toEqual([]);
    expect(found).toMatchObject({ token: standIn.device.token, shown: carried.shown, urgent: carried.urgent });
    expect(found?.fields).toEqual({ ...carried.fields, dispatchId: sent.dispatchId });
    expect(found?.ttlSeconds).toBe(86_400);
    expect(answer).toEqual({ kind: 'accepted', providerMessageId: found?.providerMessageId });
  });

  it('gives a repeated dispatch one collapse key, so that a device shows it once', async () => {
    const sent = pushDispatch(standIn);
    const before = standIn.pushes.length;
    await push.send(sent);
    await push.send(sent);
    const [first, second] = standIn.pushes.slice(before);
    expect(first?.collapse).toBe(sent.dispatchId);
    expect(second?.collapse).toBe(sent.dispatchId);
  });

  describe.each(Object.entries(refusals))('a refusal by cause: %s', (cause, codes) => {
    it.each(codes)(
      '%s is certain, retires the token only where the code means that, and carries no personal data',
      async (code) => {
        const before = standIn.pushes.length;
        const answer = await played({ refuse: code });
        expect(answer).toMatchObject({ kind: 'refused', cause });
        expect('deadToken' in answer).toBe(dead.includes(code));
        expect(standIn.pushes.length).toBe(before);
        expectNoPersonalData(answer);
      },
    );
  });

  it('passes on the time that a throttled caller must wait', async () => {
    expect(await played('throttle')).toMatchObject({
      kind: 'refused',
      cause: 'throttled',
      retryAfterSeconds: THROTTLED_SECONDS,
    });
  });

  it('is refused for credentials that the service does not know, without retiring the token', async () => {
    const answer = await push.send(pushDispatch(standIn, { app: standIn.strangers }));
    expect(answer).toMatchObject({ kind: 'refused', cause: 'credentials' });
    expect(answer).not.toHaveProperty('deadToken');
  });

  const ambiguous: readonly Play[] = [...AMBIGUOUS, ...uncertain.map((refuse) => ({ refuse }))];
  it.each(ambiguous)('calls an ambiguous answer unknown and sends one request only: %j', async (play) => {
    const before = standIn.sends();
    standIn.script(play);
    const patient =
      typeof play === 'string' && play.endsWith('hang') ? openPush(standIn, { timeoutMs: TIMEOUT_MS }) : push;
    const answer = await patient.send(pushDispatch(standIn));
    expect(answer).toMatchObject({ kind: 'unknown' });
    expectNoPersonalData(answer);
    expect(standIn.sends()).toBe(before + 1);
    // It has no effect on the next send.
    expect(await push.send(pushDispatch(standIn))).toMatchObject({ kind: 'accepted' });
  });

  it('reports that nothing was sent if nothing is listening', async () => {
    const closed = await underTest.start(() => PUSH_NOW);
    await closed.close();
    expect(await openPush(closed).send(pushDispatch(closed))).toMatchObject({ kind: 'refused', cause: 'unavailable' });
  });

  it('refuses an app without credentials for the platform, naming the missing field', async () => {
    const before = standIn.sends();
    const [name] = Object.keys(standIn.app);
    const answer = await push.send(pushDispatch(standIn, { app: {} }));
    const detail = expect.stringContaining(`\`${name}\``);
    expect(answer).toMatchObject({ kind: 'refused', cause: 'credentials', detail });
    expect(standIn.sends()).toBe(before);
  });
});
