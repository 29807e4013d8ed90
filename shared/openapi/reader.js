/** The search of the documentation, and its buttons that copy. Pages can be read without it. */
const MOST_SHOWN = 30;

/** Entries of the page that lists everything, read once. */
const readEntries = async (address) => {
  const response = await fetch(address);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  return [...page.querySelectorAll('main [data-kind] li > a')].map((link) => {
    const kind = link.closest('[data-kind]').dataset.kind;
    const path = link.querySelector('span') ? (link.querySelector('code')?.textContent ?? '') : '';
    const method = link.querySelector('.method')?.textContent ?? '';
    const name = (link.querySelector('span:not(.method)') ?? link).textContent;
    const href = link.getAttribute('href');
    const words = `${name} ${method} ${path} ${kind} ${href.split('=').at(-1)}`.toLowerCase();
    return { href, name, detail: method ? `${method} ${path}` : kind, words };
  });
};

const itemFor = ({ href, name, detail }) => {
  const item = document.createElement('li');
  const link = document.createElement('a');
  const small = document.createElement('small');
  link.href = href;
  small.textContent = detail;
  link.append(name, small);
  item.append(link);
  return item;
};

const startSearch = (form) => {
  const input = form.querySelector('input');
  const list = form.querySelector('ul');
  const status = form.querySelector('[role="status"]');
  let entries;
  const show = async () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    entries ??= readEntries(form.dataset.index);
    const all = wanted.length === 0 ? [] : await entries;
    // Typed on while the entries were read: the later call shows.
    if (wanted.join(' ') !== input.value.toLowerCase().split(/\s+/).filter(Boolean).join(' ')) return;
    const found = all.filter(({ words }) => wanted.every((word) => words.includes(word)));
    list.replaceChildren(...found.slice(0, MOST_SHOWN).map(itemFor));
    const more = found.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} are shown` : '';
    status.textContent = wanted.length === 0 ? '' : `${found.length} found${more}`;
  };
  const update = () => {
    show().catch(() => {
      entries = undefined;
      status.textContent = 'The list could not be read: try again.';
    });
  };
  const move = (event) => {
    const links = [...list.querySelectorAll('a')];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') {
      input.value = '';
      input.focus();
      update();
    }
    if (step === undefined) return;
    event.preventDefault();
    (links[links.indexOf(document.activeElement) + step] ?? input).focus();
  };
  input.addEventListener('input', update);
  form.addEventListener('keydown', move);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.matches('input, textarea')) return;
    event.preventDefault();
    input.focus();
  });
  form.hidden = false;
};

const startCopying = (block) => {
  const around = document.createElement('div');
  const button = document.createElement('button');
  around.className = 'copied';
  button.type = 'button';
  button.textContent = 'Copy';
  const show = (text) => {
    button.textContent = text;
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.textContent).then(
      () => show('Copied'),
      () => show('Not copied'),
    );
  });
  block.replaceWith(around);
  around.append(block, button);
};

for (const form of document.querySelectorAll('form[data-index]')) startSearch(form);
// The clipboard is there on https and on the machine itself.
if (navigator.clipboard) for (const block of document.querySelectorAll('pre[data-copy]')) startCopying(block);
