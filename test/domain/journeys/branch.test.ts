import { describe, expect, test } from 'vitest';
import { newId } from '../../../shared/domain/core/ids.ts';
import { branchOf } from '../../../shared/domain/journeys/branch.ts';
import { definition, passo } from '../../support/journeys/build.ts';
import { started } from '../../support/journeys/drive.ts';

describe('a divisao', () => {
  const branches = [
    { name: 'A', weight: 70 },
    { name: 'B', weight: 25 },
    { name: 'C', weight: 5 },
  ];
  const rootId = newId('journey');

  test('has as many contacts take each branch as its weight says', () => {
    const counts: Record<string, number> = { A: 0, B: 0, C: 0 };
    for (let at = 0; at < 20_000; at++) {
      const branch = branchOf({ rootId, contactId: newId('contact'), branches: {} }, 'divisao', branches);
      counts[branch] = (counts[branch] ?? 0) + 1;
    }
    for (const { name, weight } of branches) expect(Math.abs((counts[name] ?? 0) / 200 - weight)).toBeLessThan(2);
  });

  test('gives a contact the same branch each time, and each step its own', () => {
    const contactId = newId('contact');
    const half = [
      { name: 'A', weight: 50 },
      { name: 'B', weight: 50 },
    ];
    const at = (key: string) => branchOf({ rootId, contactId, branches: {} }, key, half);
    expect(at('primeira')).toBe(at('primeira'));
    expect(new Set(Array.from({ length: 40 }, (_, each) => at(`p${each}`))).size).toBe(2);
  });

  test('keeps the branch of the run before where there still is such a one, and notes the branch that it gives', () => {
    const split = definition(
      [
        passo('divisao', {
          ramos: [
            { nome: 'A', peso: 99 },
            { nome: 'B', peso: 1 },
          ],
        }),
        passo('sair', {}),
      ],
      ['divisao ramo:B> sair'],
    );
    const kept = started(split, { branches: { divisao: 'B' } });
    expect(kept.history).toMatchObject([{ result: 'ramo', detail: 'B' }, { step: 'sair' }]);
    const gone = started(split, { branches: { divisao: 'C' } });
    const [branch] = Object.values(gone.run.branches);
    expect(['A', 'B']).toContain(branch);
    expect(gone.history[0]?.detail).toBe(branch);
  });
});
