import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useFormat } from '../app/format.ts';
import { defineTexts, useTexts } from '../app/texts.ts';
import type { WebhookAttempt, WebhookDelivery } from '../sdk.ts';
import { CodeBlock } from './code-block.tsx';
import { StateOf, Time, type Tone } from './values.tsx';

const texts = defineTexts(
  {
    attempt: (number: string) => `Tentativa ${number}`,
    request: 'O que foi enviado',
    response: 'O que respondeu',
    none: 'Ainda sem tentativas.',
    statuses: { pending: 'A caminho', delivered: 'Entregue', failed: 'Falhou', abandoned: 'Abandonada' },
  },
  {
    attempt: (number: string) => `Attempt ${number}`,
    request: 'What was sent',
    response: 'What was answered',
    none: 'No attempts yet.',
    statuses: { pending: 'On its way', delivered: 'Delivered', failed: 'Failed', abandoned: 'Abandoned' },
  },
);

const TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  pending: 'pending',
  delivered: 'good',
  failed: 'bad',
  abandoned: 'bad',
};

/** The words for a delivery's statuses, in the order in which a filter offers them. */
export const useDeliveryStatus = () => useTexts(texts).statuses;
export const DeliveryStatus = ({ status }: Pick<WebhookDelivery, 'status'>) => (
  <StateOf state={status} tones={TONES} words={useDeliveryStatus()} />
);

const headerLines = (headers: Readonly<Record<string, string>> = {}): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const Exchange = ({ title, headers, body }: { title: string; headers: string; body: string | undefined }) =>
  headers === '' && body === undefined ? null : (
    <details>
      <summary>{title}</summary>
      <CodeBlock>{`${headers}\n\n${body ?? ''}`}</CodeBlock>
    </details>
  );

const Attempt = ({ attempt, number }: { readonly attempt: WebhookAttempt; readonly number: number }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const { at, status, durationMs, error, requestHeaders, requestBody, responseHeaders, responseBody } = attempt;
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group gap="sm">
          <Text fw={600} size="sm">
            {t.attempt(format.number(number))}
          </Text>
          <Text size="sm">
            <Time at={at} />
          </Text>
          <Code>{status ?? error ?? '—'}</Code>
          <Text size="sm" c="dimmed">
            {format.duration(durationMs)}
          </Text>
        </Group>
        <Exchange title={t.request} headers={headerLines(requestHeaders)} body={requestBody} />
        <Exchange title={t.response} headers={headerLines(responseHeaders)} body={responseBody} />
      </Stack>
    </Paper>
  );
};

/** Every attempt of a delivery, with what was sent and answered. */
export const Attempts = ({ attempts }: Pick<WebhookDelivery, 'attempts'>) => {
  const t = useTexts(texts);
  if (attempts.length === 0) return <Text size="sm">{t.none}</Text>;
  return (
    <Stack gap="xs">
      {attempts.map((attempt, index) => (
        <Attempt key={`${attempt.at} ${attempt.durationMs}`} attempt={attempt} number={index + 1} />
      ))}
    </Stack>
  );
};
