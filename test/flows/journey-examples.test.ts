import { expect, test } from 'vitest';
import { journeyExamples, playJourneyExample } from '../../infra/local/journey-example.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();

/** The messages of each example and the ends of its visits, for the contact in its simulation. */
const VISITS: Readonly<Record<string, readonly RegExp[]>> = {
  'abandoned-cart': [
    /primeira_hora +tempo_esgotado/,
    /lembrar +enviada/,
    /um_dia +tempo_esgotado/,
    /insistir +enviada/,
  ],
  'payment-reminder': [
    /antes +enviada/,
    /ate_vencer +tempo_esgotado/,
    /depois +enviada/,
    /atraso +tempo_esgotado/,
    /em_atraso +feito/,
  ],
  'win-back': [/oferta +/, /(desconto|novidade) +enviada/, /semana +evento/, /voltou +feito/],
};

test.each(journeyExamples())('the example %s is simulated, and run to its end', async (name) => {
  const { test: client } = await messaging.tenant();
  const lines: string[] = [];
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await client.call(method, path, body === undefined ? {} : { body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  expect(await playJourneyExample(name, call, (line) => lines.push(line))).toBe('concluida');
  const played = lines.slice(lines.findIndex((line) => line.startsWith('As it goes now')));
  for (const visit of VISITS[name] ?? [/no such example/])
    expect(
      played.filter((line) => visit.test(line)),
      played.join('\n'),
    ).toHaveLength(1);
  expect(lines.filter((line) => line.includes('{{'))).toEqual([]);
});
