import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { normalized } from '../docs/commands.ts';

/** A block of code of a guide, and what the guide shows as its output. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Its first line on the page. */
  readonly line: number;
  readonly shown?: { readonly language: string; readonly text: string };
  /** Why it is not run: what the comment before it says. */
  readonly notRun?: string;
}

/** Languages of outputs; all others are code. */
const OUTPUTS = ['json', 'text'];
const FENCE = /^(?:<!-- not run: (?<notRun>.*) -->\n)?```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm;

/** The blocks of code of a guide, in its order. An output belongs to the block before it. */
export const blocksOfGuide = (page: string): Block[] => {
  const blocks: Block[] = [];
  for (const { groups: { language = '', text = '', notRun } = {}, index } of page.matchAll(FENCE)) {
    const last = blocks.at(-1);
    const line = page.slice(0, index).split('\n').length;
    if (!OUTPUTS.includes(language)) blocks.push({ language, text, line, ...(notRun ? { notRun } : {}) });
    else if (!last || last.shown) throw new Error(`Line ${line} shows an output of no code.`);
    else blocks[blocks.length - 1] = { ...last, shown: { language, text } };
  }
  return blocks;
};

const ANYTHING = '…';
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const plain = (text: string) =>
  normalized(text).replaceAll(/\b([a-z]{2,6})_[0-9A-Za-z_-]{21,}(?![0-9A-Za-z])/g, '$1_…');

/** Where an output differs from what is shown; `…` stands for any value, a key `…` for more members, a last `…` for more items. */
export const differences = (shown: unknown, printed: unknown, path = '$'): string[] => {
  if (shown === ANYTHING) return printed === undefined ? [`${path} is missing`] : [];
  if (Array.isArray(shown) && Array.isArray(printed)) {
    const isOpen = shown.at(-1) === ANYTHING;
    const items = isOpen ? shown.slice(0, -1) : shown;
    const count = !isOpen && items.length !== printed.length ? [`${path} has ${printed.length} items`] : [];
    return [...count, ...items.flatMap((item, at) => differences(item, printed[at], `${path}[${at}]`))];
  }
  if (isObject(shown) && isObject(printed)) {
    const names = Object.keys(shown).filter((name) => name !== ANYTHING);
    const more = ANYTHING in shown ? [] : Object.keys(printed).filter((name) => !names.includes(name));
    return [
      ...more.map((name) => `${path}.${name} is not shown`),
      ...names.flatMap((name) => differences(shown[name], printed[name], `${path}.${name}`)),
    ];
  }
  const same =
    typeof shown === 'string' && typeof printed === 'string' ? plain(shown) === plain(printed) : shown === printed;
  return same ? [] : [`${path} is ${JSON.stringify(printed)}, shown as ${JSON.stringify(shown)}`];
};

/** Where the output of a block differs from what the guide shows. Lines of text match in order; a line `…` stands for any lines. */
export const differencesOf = ({ shown }: Block, printed: string): string[] => {
  if (!shown) return [];
  if (shown.language === 'json') return differences(JSON.parse(shown.text), JSON.parse(printed));
  const pattern = plain(shown.text.trim())
    .split('\n')
    .map((line) =>
      line === ANYTHING
        ? '[\\s\\S]*?'
        : line
            .split(ANYTHING)
            .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
    )
    .join('\n');
  return new RegExp(`^${pattern}$`).test(plain(printed.trim())) ? [] : [`printed:\n${printed}`];
};

/** A shell that keeps its variables, functions and background jobs from block to block, as a reader's terminal does. */
export const startTerminal = (cwd: string, env: Readonly<Record<string, string>>) => {
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  shell.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const END = '@@end of block';
  const run = async (text: string): Promise<{ code: number; stdout: string; stderr: string }> => {
    [stdout, stderr] = ['', ''];
    const ended = new Promise<number>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        stdout += String(chunk);
        const end = stdout.lastIndexOf(END);
        if (end < 0 || !stdout.endsWith('\n')) return;
        shell.stdout.off('data', read);
        resolve(Number(stdout.slice(end + END.length)));
        stdout = stdout.slice(0, end - 1);
      };
      shell.stdout.on('data', read);
      shell.once('exit', () => reject(new Error(`The terminal ended: ${stderr}`)));
    });
    shell.stdin.write(`${text}\nprintf '\\n${END} %s\\n' $?\n`);
    return { code: await ended, stdout, stderr };
  };
  const close = async () => {
    if (shell.exitCode !== null || shell.pid === undefined) return;
    const exit = once(shell, 'exit');
    // Its background jobs end with it.
    process.kill(-shell.pid, 'SIGKILL');
    await exit;
  };
  return { run, close };
};
