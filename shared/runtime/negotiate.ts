import type { APIGatewayProxyEvent } from 'aws-lambda';
import { header, type WithHeaders } from './headers.ts';

/** How specifically a media range matches a type: exactly, by its kind, any; -1 if it does not match. */
const closeness = (range: string, type: string): number =>
  [`*/*`, `${type.slice(0, type.indexOf('/'))}/*`, type].indexOf(range);

/** The weight of a type in an Accept header: that of the most specific matching range (RFC 9110, 12.5.1); 0 if none matches. */
const weightOf = (accept: string, type: string): number => {
  let best = { closeness: -1, weight: 0 };
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((each) => each.trim());
    const q = parameters.find((each) => each.startsWith('q='))?.slice(2);
    const weight = q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0;
    const closest = closeness(range, type);
    if (closest > best.closeness) best = { closeness: closest, weight };
  }
  return best.weight;
};

/** Whether a caller prefers a type to JSON, which is the default. */
export const prefers = (event: WithHeaders, type: string): boolean => {
  const accept = header(event, 'accept');
  return accept !== undefined && weightOf(accept, type) > weightOf(accept, 'application/json');
};

/** The Link header of a list's next page (RFC 8288): the URL of the call with the next cursor. */
export const nextLink = (
  { path, queryStringParameters }: Pick<APIGatewayProxyEvent, 'path' | 'queryStringParameters'>,
  cursor: string,
): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...queryStringParameters, cursor }))
    if (value !== undefined) query.set(name, value);
  return `<${path}?${query.toString()}>; rel="next"`;
};
