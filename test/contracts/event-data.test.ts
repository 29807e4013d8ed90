import { describe, expect, it, test } from 'vitest';
import { EVENT_SHAPES } from '../../shared/contracts/event-data.ts';
import { EVENT_TYPES } from '../../shared/domain/events/catalogue.ts';
import { EVENT_EXAMPLES } from '../../shared/domain/events/examples.ts';
import { undocumentedIn } from '../support/event-shapes.ts';

describe('the documented data of events', () => {
  it('describes the data of every type, once', () => {
    const described = Object.values(EVENT_SHAPES).flatMap(({ types }) => types);
    expect(described.toSorted()).toEqual([...EVENT_TYPES].toSorted());
  });

  test.each(EVENT_TYPES)('%s: its example has what is described, and nothing else', (type) => {
    expect(undocumentedIn(type, EVENT_EXAMPLES[type])).toBeUndefined();
  });

  it('is checked: a missing field, one of another type and an unknown one are reported', () => {
    const example = EVENT_EXAMPLES['card.won'];
    expect(undocumentedIn('card.won', { ...example, cardId: 'card' })).toContain('cardId');
    expect(undocumentedIn('card.won', { ...example, valor: '1' })).toContain('valor');
    expect(undocumentedIn('card.won', { ...example, cor: 'azul' })).toContain('cor');
    expect(undocumentedIn('card.won', { ...example, status: undefined })).toContain('status');
  });
});
