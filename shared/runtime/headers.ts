import type { APIGatewayProxyEvent } from 'aws-lambda';

/** An event's headers, with a single value and with all values each; an authorizer's event may lack both. */
export interface WithHeaders {
  readonly headers?: APIGatewayProxyEvent['headers'] | null;
  readonly multiValueHeaders?: APIGatewayProxyEvent['multiValueHeaders'] | null;
}

/** A header by its lower-case name. REST proxy events keep the caller's case. */
export const header = ({ headers }: WithHeaders, name: string): string | undefined => {
  for (const [key, value] of Object.entries(headers ?? {})) if (key.toLowerCase() === name) return value;
  return undefined;
};

/** All headers by their lower-case names. */
export const headersOf = ({ headers }: WithHeaders): Record<string, string> => {
  const lowerCase: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {}))
    if (value !== undefined) lowerCase[name.toLowerCase()] = value;
  return lowerCase;
};

/** Every value of a header, by its lower-case name. */
export const headerValues = ({ multiValueHeaders }: WithHeaders, name: string): readonly string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === name ? (values ?? []) : [],
  );

/** The Authorization header; undefined when there is none or more than one, which is ambiguous. */
export const authorizationOf = (event: WithHeaders): string | undefined => {
  const values = headerValues(event, 'authorization');
  if (values.length > 0) return values.length === 1 ? values[0] : undefined;
  const single = Object.entries(event.headers ?? {}).filter(([name]) => name.toLowerCase() === 'authorization');
  return single.length === 1 ? single[0]?.[1] : undefined;
};
