/** Example values of the operator's operations and of metrics. */
export const OPERATOR_EXAMPLES = {
  'operator.peek-dead-letters': { params: { queue: 'outcome' }, query: { limit: '10' } },
  'operator.redrive-dead-letters': {
    params: { queue: 'outcome' },
    body: { ids: ['f1e2d3c4-0a1b-4c2d-8e3f-9a8b7c6d5e4f'] },
  },
  'metrics.get': { query: { granularity: 'day', channel: 'sms' } },
};
