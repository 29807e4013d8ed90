import { type Call, journeyExamples, playJourneyExample } from './journey-example.ts';

/* npm run journey -- <example>, with the test key in KEY. */

const { KEY, URL: address = 'http://127.0.0.1:3000' } = process.env;
const [name = ''] = process.argv.slice(2);

const call: Call = async (method, path, body) => {
  const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(`${address}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
};

if (KEY === undefined || !journeyExamples().includes(name)) {
  console.error(`KEY=svc_test_… npm run journey -- ${journeyExamples().join(' | ')}`);
  process.exitCode = 1;
} else console.log(`The run ended: ${await playJourneyExample(name, call, console.log)}`);
