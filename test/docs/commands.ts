import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../infra/operator/commands/index.ts';

export const PROJECT = join(import.meta.dirname, '../..');
export const readPage = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');
/** The pages that people read. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/guides'].flatMap((folder) => readdirSync(join(PROJECT, folder)).map((file) => `${folder}/${file}`)),
].filter((file) => file.endsWith('.md'));

/** The blocks of a language on a page. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) =>
    text.trimEnd(),
  );

/** The operator's commands, by name. */
export const OPERATOR_COMMANDS = new Map(COMMANDS.map((command) => [command.name as string, command]));
const GROUPS = new Set([...OPERATOR_COMMANDS.keys()].map((name) => name.split(' ')[0]));

const isCommand = (text: string): boolean => {
  const [first = '', second = ''] = text.split(' ');
  return ['npm', 'npx', 'admin'].includes(first) || (GROUPS.has(first) && /^[a-z]/.test(second));
};
/** Every command on a page: the lines of its bash blocks, and inline code that is a command. */
export const commandsOf = (page: string): string[] => {
  const lines = blocksOf(page, 'bash').flatMap((block) => block.split('\n'));
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code).filter(isCommand);
  return [...new Set([...lines, ...inline].map((line) => line.replace(/\s+#.*$/, '').trim()).filter(Boolean))];
};

/** The unknown parts of an operator's command: the command itself, or its options. */
export const unknownIn = (words: string): string[] => {
  const [group = '', verbs = '', ...rest] = words.split(' ');
  return verbs.split('|').flatMap((verb) => {
    const command = OPERATOR_COMMANDS.get(`${group} ${verb}`);
    if (!command) return [`${group} ${verb}`];
    const options = [
      'json',
      'deployed',
      'data-dir',
      ...Object.keys(command.options.shape).map((name) =>
        name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      ),
    ];
    return rest
      .filter((word) => word.startsWith('--') && !options.includes(word.slice(2)))
      .map((word) => `${group} ${verb} ${word}`);
  });
};

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
/** Runs a line in a real shell, in the project's folder. */
export const shell = (line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-c', line], {
      cwd: PROJECT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });

/** A text with placeholders for ids, keys, times, ports and folders. */
export const normalized = (text: string): string =>
  text
    .replaceAll(/\b(org|msg|key)_[0-9A-Za-z]{21}\b/g, '$1_…')
    .replaceAll(/\bsvc_(test|live)_[0-9A-Za-z]{32,}\b/g, 'svc_$1_…')
    .replaceAll(/\bsvc_link_(test|live)_[0-9A-Za-z]+/g, 'svc_link_$1_…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(
      /(Data in|logs in) \S*?([\w.]+(?:\/functions\.log)?)(?=,|$)/gm,
      (_, before, path) => `${before} <folder>${String(path).endsWith('functions.log') ? '/functions.log' : ''}`,
    );
