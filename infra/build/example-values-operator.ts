/** Example values of metrics. */
export const OPERATOR_EXAMPLES = {
  'metrics.get': { query: { granularity: 'day', channel: 'sms' } },
};
