import { PROBLEMS, type ProblemName } from '../domain/core/errors.ts';
import { framed } from './frame.ts';
import { EMPTY, escapeHtml, type Html, html, trusted } from './html.ts';
import { PROBLEM_GUIDE } from './problem-guide.ts';

/** Text with `code` between backticks. */
const inlineCode = (text: string): Html => trusted(escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>'));

const slugOf = (name: ProblemName): string => name.toLowerCase().replaceAll('_', '-');

const nameOf = (slug: string): ProblemName | undefined =>
  (Object.keys(PROBLEMS) as ProblemName[]).find((name) => slugOf(name) === slug);

const menuItem = (name: ProblemName, current: ProblemName): Html =>
  html`<li><a href="/docs/errors/${slugOf(name)}"${name === current ? html` aria-current="page"` : EMPTY}>${PROBLEMS[name].title}</a></li>\n`;

/** The page of a problem, by the last segment of its `type`; undefined if there is no such problem. */
export const problemPage = (slug: string): string | undefined => {
  const name = nameOf(slug);
  if (!name) return undefined;
  const { status, code, title } = PROBLEMS[name];
  const { meaning, when, action } = PROBLEM_GUIDE[name];
  return framed({
    title: `${status} ${title}`,
    menu: html`<ul>\n${Object.keys(PROBLEMS).map((one) => menuItem(one as ProblemName, name))}</ul>`,
    main: html`<h1>${title}</h1>
<dl>
<dt>Status</dt><dd>${status}</dd>
<dt>Code</dt><dd><code>${code}</code></dd>
<dt>Type</dt><dd><code>/docs/errors/${slug}</code></dd>
</dl>
<h2>What it means</h2>
<p>${inlineCode(meaning)}</p>
<h2>When it comes</h2>
<ul>
${when.map((line) => html`<li>${inlineCode(line)}</li>\n`)}
</ul>
<h2>What to do</h2>
<p>${inlineCode(action)}</p>`,
  });
};
