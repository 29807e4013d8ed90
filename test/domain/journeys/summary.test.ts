import { describe, expect, test } from 'vitest';
import { summaryOf } from '../../../shared/domain/journeys/summary.ts';
import { ligacoes, passo } from '../../support/journeys/build.ts';

describe('the summary of a graph in lists', () => {
  test('has each channel once, including those of fallbacks', () => {
    const passos = [
      passo('enviar', { canal: 'whatsapp', texto: 'Oi', fallback: ['sms', { channel: 'email' }] }, 'a'),
      passo('enviar', { canal: 'sms', texto: 'Oi' }, 'b'),
    ];
    expect(summaryOf({ passos, ligacoes: ligacoes('a > b') }).channels.toSorted()).toEqual([
      'email',
      'sms',
      'whatsapp',
    ]);
  });

  test('has the main path by sim, evento and the first branch, each step once, by its label or else its kind', () => {
    const passos = [
      { ...passo('condicao', { passo: 'oi', status: 'lida' }, 'se'), rotulo: 'Leu?' },
      passo('sair', {}, 'fim'),
      passo('esperar_evento', { evento: 'compra', prazo: { dias: 1 } }, 'espera'),
      passo(
        'divisao',
        {
          ramos: [
            { nome: 'A', peso: 50 },
            { nome: 'B', peso: 50 },
          ],
        },
        'sorteio',
      ),
      { ...passo('enviar', { canal: 'sms', texto: 'Oi' }, 'oi'), rotulo: 'Oferta A' },
      passo('enviar', { canal: 'sms', texto: 'Oi' }, 'outra'),
    ];
    const links = ligacoes(
      'se nao> fim',
      'se sim> espera',
      'espera tempo_esgotado> fim',
      'espera evento> sorteio',
      'sorteio ramo:A> oi',
      'sorteio ramo:B> outra',
      'oi > se',
    );
    expect(summaryOf({ passos, ligacoes: links }).flow).toEqual(['Leu?', 'esperar_evento', 'divisao', 'Oferta A']);
  });
});
