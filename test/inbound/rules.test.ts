import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNELS, channelOf } from '../../shared/domain/channels/registry.ts';
import { newId, randomBase62 } from '../../shared/domain/core/ids.ts';
import { inboundPayload, profileNameOf } from '../../shared/domain/inbound/content.ts';
import { OPT_OUT_CHANNELS, OPT_OUT_WORDS, optOutWordIn } from '../../shared/domain/inbound/opt-out-words.ts';
import { codesIn, originOf } from '../../shared/domain/inbound/origin.ts';
import { inboundIdOf } from '../../shared/domain/message/inbound-message.ts';
import { anEvent } from './support.ts';

const SEED = 20_261_121;

describe('an opt-out word', () => {
  test('is one of a closed list, each with its reason', () => {
    const brazilian = ['SAIR', 'PARAR', 'PARE', 'CANCELAR', 'REMOVER', 'DESCADASTRAR'];
    const universal = ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'END', 'QUIT', 'CANCEL', 'REVOKE', 'OPTOUT', 'OPT OUT'];
    const words = [...brazilian, ...universal];
    expect(Object.keys(OPT_OUT_WORDS).sort()).toEqual(words.sort());
    for (const reason of Object.values(OPT_OUT_WORDS)) expect(reason.length).toBeGreaterThan(10);
    expect([...OPT_OUT_CHANNELS].sort()).toEqual(['instagram', 'rcs', 'sms', 'whatsapp']);
  });

  test.each([
    'SAIR',
    'sair',
    ' Sair. ',
    'SAIR!!!',
    '“sair”',
    'sáir',
    'SAIR 🙏',
    '\u200bsair\u200b',
    'sair\n',
    'ＳＡＩＲ',
    '*STOP*',
    'Unsubscribe…',
    'opt-out',
  ])('is recognized in any case, with accents, and with marks and blanks around it: %j', (text) => {
    expect(optOutWordIn(text)).toBeDefined();
  });

  test.each([
    undefined,
    '',
    ' ',
    '!',
    'SAIR do grupo',
    'não quero sair',
    'sairei',
    'S A I R',
    'quitanda',
    'START',
    'VOLTAR',
    'constructor',
    'toString',
    `sair${' '.repeat(100)}`,
  ])('is not recognized in %j', (text) => {
    expect(optOutWordIn(text)).toBeUndefined();
  });

  test(`is recognized with any marks around it (seed ${SEED})`, () => {
    const mark = fc.string({ unit: fc.constantFrom(' ', '.', '!', '?', '"', '-', '\t', '…', '🙂'), maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(OPT_OUT_WORDS)), mark, mark, (word, before, after) => {
        expect(optOutWordIn(`${before}${word.toLowerCase()}${after}`)).toBe(word);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe('codes in a text', () => {
  test('are found alone, in brackets and at the end of a URL, each once, in order', () => {
    const [one, other] = ['tAbc123XyZ', 'l000000000'];
    const text = `Oi [${one}] https://msg.example/r/${other}, ${one}`;
    expect(codesIn(text)).toEqual([one, other]);
  });

  test('are not found inside longer words, and at most eight are', () => {
    expect(codesIn('xtAbc123XyZ tAbc123XyZ9 aAbc123XyZ')).toEqual([]);
    expect(codesIn(undefined)).toEqual([]);
    const many = Array.from({ length: 20 }, () => `t${randomBase62(9)}`);
    expect(codesIn(many.join(' '))).toEqual(many.slice(0, 8));
  });
});

describe('the origin of a message', () => {
  const link = (url: string, campaignId?: string) => ({ code: 'tAbc123XyZ', url, channel: 'sms', campaignId });

  test.each([
    ['utm_source=google', { fonte: 'google' }],
    ['utm_source=Facebook', { fonte: 'meta' }],
    ['utm_source=ig', { fonte: 'meta' }],
    ['utm_source=tiktok', { fonte: 'tiktok' }],
    ['utm_source=Newsletter%20Março', { fonte: 'outra', fonteRotulo: 'Newsletter Março' }],
    ['gclid=1', { fonte: 'google' }],
    ['wbraid=1', { fonte: 'google' }],
    ['fbclid=1', { fonte: 'meta' }],
    ['ttclid=1', { fonte: 'tiktok' }],
    ['utm_source=constructor', { fonte: 'outra', fonteRotulo: 'constructor' }],
    ['', { fonte: 'outra', fonteRotulo: 'sms' }],
  ])('is read from the parameters of the link: %s', (query, source) => {
    expect(originOf(link(`https://wa.me/5511?${query}`), undefined)).toEqual({ ...source, codigo: 'tAbc123XyZ' });
  });

  test('includes campaign, ad group, ad and keyword', () => {
    const query = 'utm_source=google&utm_campaign=bf&utm_adgroup=tenis&utm_content=a1&utm_term=tenis%20de%20corrida';
    expect(originOf(link(`https://wa.me/5511?${query}`, 'tag'), undefined)).toEqual({
      fonte: 'google',
      campanha: 'bf',
      grupo: 'tenis',
      anuncio: 'a1',
      palavraChave: 'tenis de corrida',
      codigo: 'tAbc123XyZ',
    });
  });

  test('takes the campaign of the message that carried the link if the URL has none', () => {
    expect(originOf(link('https://wa.me/5511', 'black-friday'), undefined)).toMatchObject({ campanha: 'black-friday' });
  });

  test('is the ad of a referral, with what the code adds', () => {
    const referral = { source_type: 'ad', source_id: '120210000000000000', headline: 'Tênis' };
    expect(originOf(undefined, referral)).toEqual({ fonte: 'meta', anuncio: '120210000000000000' });
    expect(originOf(undefined, { ad_id: '6045246247433' })).toEqual({ fonte: 'meta', anuncio: '6045246247433' });
    expect(originOf(undefined, { source_type: 'post', source_id: '9' })).toEqual({ fonte: 'meta' });
    expect(originOf(link('https://wa.me/5511?utm_source=jornal&utm_campaign=bf'), referral)).toEqual({
      fonte: 'meta',
      anuncio: '120210000000000000',
      campanha: 'bf',
      codigo: 'tAbc123XyZ',
    });
  });

  test('is undefined without a link of the organization and without a referral', () => {
    expect(originOf(undefined, undefined)).toBeUndefined();
  });
});

describe('the stored content of a message', () => {
  test('is its unaltered text and the other fields', () => {
    const text = ' Olá\u202e 🙂 tAbc123XyZ ';
    expect(inboundPayload(anEvent({ text }))).toEqual({ text });
    const media = { media: { kind: 'image', id: '1', caption: 'Olha' } };
    expect(inboundPayload(anEvent({ type: 'media', text: 'Olha', payload: media }))).toEqual({
      ...media,
      text: 'Olha',
    });
  });

  test('is cut to what the table can hold, since a callback that cannot be stored would be repeated forever', () => {
    let deep: Record<string, unknown> = {};
    for (let level = 0; level < 5_000; level++) deep = { deep };
    expect(JSON.stringify(inboundPayload(anEvent({ payload: deep }))).length).toBeLessThan(400);
    expect(inboundPayload(anEvent({ payload: { big: 'x'.repeat(400_000) } }))).toEqual({ text: 'Oi, tudo bem?' });
    const { text } = inboundPayload(anEvent({ text: `${'x'.repeat(39_999)}🙂y` })) as { text: string };
    expect(text).toHaveLength(40_000);
    expect(text.isWellFormed()).toBe(true);
    const odd = { said: '\ud800', '': 1, id: 2 ** 64, tiny: 1e-200, huge: 1e300 };
    expect(inboundPayload(anEvent({ payload: odd }))).toMatchObject({
      said: '\ufffd',
      id: '18446744073709552000',
      tiny: 0,
      huge: '1e+300',
    });
    expect(Object.keys(inboundPayload(anEvent({ payload: odd })))).not.toContain('');
  });

  test('includes a profile name only on WhatsApp, without control characters', () => {
    expect(profileNameOf(anEvent({ profileName: ' Ana\u0000 ' }))).toBe('Ana');
    expect(profileNameOf(anEvent({ profileName: ' ' }))).toBeUndefined();
    expect(profileNameOf(anEvent({ channel: 'instagram', profileName: 'ana' }))).toBeUndefined();
  });

  test('has an id made from organization, channel and provider id', () => {
    const [a, b] = [newId('organization'), newId('organization')];
    const ids = [inboundIdOf(a, 'sms', '1'), inboundIdOf(b, 'sms', '1'), inboundIdOf(a, 'rcs', '1')];
    expect(new Set([...ids, inboundIdOf(a, 'sms', '1')]).size).toBe(3);
  });

  test('raises the channel’s own event, or message.received', () => {
    const own = { sms: 'sms.received', instagram: 'instagram.message.received' } as const;
    for (const channel of CHANNELS)
      expect(channelOf(channel).receivedEvent).toBe(own[channel as keyof typeof own] ?? 'message.received');
  });
});
