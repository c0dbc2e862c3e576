'use strict';
(() => {
  const read = id => JSON.parse(document.getElementById(id)?.textContent ?? 'null');
  const at = selector => document.querySelector(selector);
  const all = selector => [...document.querySelectorAll(selector)];
  const data = read('data'), runs = read('runs');
  const {systems, queries, measures, places} = data, n = systems.length;
  const ranks = systems.filter(({ranked}) => ranked !== false).length;
  const board = at('#board'), body = board.tBodies[0], headings = board.tHead.rows[0];
  const most = Number(at('#rest').dataset.most);
  let m = 0, base = data.baseline, sort = {key: 'rank', down: false}, everything = false;

  // ------------------------------------------------------------------------------------------------ elements, numbers

  // An element with attributes and children. Texts become text nodes, never markup.
  function make(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== false && value != null) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function shape(name, attributes, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const number = (x, sign = false) => x == null ? '–' : (sign && x >= 0 ? '+' : '') + x.toFixed(places).replace('-', '−');
  const counted = (k, one, several) => `${k.toLocaleString('en')} ${k === 1 ? one : several}`;
  const row = (i, measure = m) => data.results[measure][i];
  const gap = i => row(i).mean - row(base).mean;
  const queryName = q => queries[q].text ? `${queries[q].id} ${queries[q].text}` : queries[q].id;
  const interval = r => r.rank_low ? `${r.rank_low}–${r.rank_high}` : '–';

  // ------------------------------------------------------------------------------------------------ the rows

  const rows = [];
  for (const tr of [...body.rows]) {
    const i = Number(tr.dataset.i), name = tr.querySelector('.name');
    name.replaceWith(make('button', {type: 'button', class: 'name', 'aria-expanded': 'false'}, name.textContent));
    rows[i] = tr;
  }

  // Writes what depends on the measure and on the baseline.
  function fill(i) {
    const tr = rows[i], r = row(i), cell = name => tr.querySelector(`.${name}`);
    tr.classList.toggle('top', r.top);
    tr.classList.toggle('base', i === base);
    cell('c-rank').textContent = r.rank ?? '–';
    const svg = tr.querySelector('svg'), shapes = [shape('path', {class: 'axis', d: `M0 6H${ranks}`})];
    if (r.rank_low) shapes.push(shape('rect', {class: 'seg', x: r.rank_low - 1, width: r.rank_high - r.rank_low + 1, y: 2, height: 8}));
    if (r.rank) shapes.push(shape('path', {class: 'mark', d: `M${r.rank - .5} 0V12`}));
    svg.replaceChildren(...shapes);
    svg.setAttribute('aria-label', r.rank_low ? `rank ${r.rank_low} to ${r.rank_high}` : 'no rank interval');
    cell('int').lastChild.textContent = interval(r);
    cell('c-tier').replaceChildren(r.top ? make('span', {class: 'chip'}, r.rank === 1 ? 'first' : '≈ first') : r.tier ? `tier ${r.tier}` : '');
    cell('c-mean').replaceChildren(number(r.mean));
    if (r.low != null) cell('c-mean').append(' ', make('span', {class: 'quiet'}, `± ${number((r.high - r.low) / 2)}`));
    const delta = cell('c-delta');
    delta.textContent = base < 0 ? '' : i === base ? 'baseline' : number(base === data.baseline && r.difference != null ? r.difference : gap(i), true);
    delta.classList.toggle('neg', base >= 0 && gap(i) < 0);
    const others = [...tr.querySelectorAll('.c-other')];
    if (data.human_queries) [number(r.human), number(r.llm), number(r.bias, true)].forEach((text, k) => { others[k].textContent = text; });
    others.slice(data.human_queries ? 3 : 0).forEach((other, k) => { other.textContent = number(row(i, otherMeasure(k)).mean); });
  }

  const otherMeasure = k => k < m ? k : k + 1;

  const keys = {
    rank: i => -row(i).mean, mean: i => -row(i).mean, delta: i => -row(i).mean,
    interval: i => [row(i).rank_low ?? ranks + 1, row(i).rank_high ?? ranks + 1], tier: i => row(i).tier ?? ranks + 1,
    system: i => systems[i].name.toLowerCase(), judged: i => -(systems[i].judged ?? -1), answered: i => -(systems[i].answered ?? 0),
    human: i => -row(i).human, llm: i => -row(i).llm, bias: i => -row(i).bias,
  };

  function compared(a, b) {
    if (Array.isArray(a)) return a[0] - b[0] || a[1] - b[1];
    return typeof a === 'string' ? a.localeCompare(b, undefined, {numeric: true}) : a - b;
  }

  function found() {
    const words = at('#find').value.toLowerCase().split(/\s+/).filter(Boolean), team = at('#team')?.value;
    const only = at('#only').value;
    return systems.map((_, i) => i).filter(i => {
      const {name, team: own = '', tags = []} = systems[i], text = [name, own, ...tags].join(' ').toLowerCase();
      return words.every(word => text.includes(word)) && (!team || own === team) && (only === 'all' || row(i).top);
    });
  }

  function render() {
    const key = keys[sort.key] ?? (i => -row(i, otherMeasure(Number(sort.key) - 1)).mean), order = found();
    order.sort((a, b) => (compared(key(a), key(b)) || row(b).mean - row(a).mean) * (sort.down ? -1 : 1));
    let last = null;
    order.forEach((i, k) => {
      const {tier} = row(i);
      rows[i].classList.toggle('begins', sort.key === 'rank' && !sort.down && last !== null && tier !== null && tier !== last);
      last = tier ?? last;
      rows[i].hidden = !everything && k >= most;
      rows[i].querySelector('.name').setAttribute('aria-expanded', 'false');
    });
    body.replaceChildren(...order.map(i => rows[i]));
    if (!order.length) body.append(make('tr', {role: 'row', class: 'empty'}, make('td', {role: 'cell', colspan: 20}, 'No system fits the filter.')));
    at('#rest').hidden = everything || order.length <= most;
    at('#rest').textContent = `Show all ${order.length.toLocaleString('en')} systems`;
    at('#count').textContent = order.length === n ? counted(n, 'system', 'systems') : `${order.length} of ${counted(n, 'system', 'systems')}`;
    for (const heading of headings.cells) {
      if (heading.dataset.key === sort.key) heading.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
      else heading.removeAttribute('aria-sort');
    }
  }

  function showMeasure(chosen) {
    m = chosen;
    sort = {key: 'rank', down: false};
    at('#verdict').textContent = data.verdicts[m].replace('≈ first', '≈\u00a0first');
    headings.querySelector('.c-mean button').textContent = `mean ${measures[m]}`;
    [...headings.querySelectorAll('.c-other')].slice(data.human_queries ? 3 : 0)
      .forEach((heading, k) => { heading.querySelector('button').textContent = measures[otherMeasure(k)]; });
    systems.forEach((_, i) => fill(i));
    render();
  }

  // ------------------------------------------------------------------------------------------------ an opened row

  function table(title, heads, lines) {
    const cell = (text, k) => make('td', {class: k ? 'num' + (String(text).startsWith('−') ? ' neg' : '') : ''}, String(text));
    return make('div', {tabindex: 0, role: 'region', 'aria-label': title}, make('table', {}, make('caption', {}, title),
      make('thead', {}, make('tr', {}, ...heads.map((head, k) => make('th', {scope: 'col', class: k ? 'num' : ''}, head)))),
      make('tbody', {}, ...lines.map(line => make('tr', {}, ...line.map(cell))))));
  }

  // Of each query the lowest, the middle and the highest score of all systems.
  const spread = measure => queries.map((_, q) => {
    const sorted = data.values[measure].map(of => of[q]).sort((a, b) => a - b);
    return {low: sorted[0], middle: (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2, high: sorted[n - 1]};
  });

  function strip(i, spreads) {
    const own = data.values[m][i], height = 90, step = 10;
    const order = queries.map((_, q) => q).sort((a, b) => (own[b] - spreads[b].middle) - (own[a] - spreads[a].middle));
    const high = Math.max(...spreads.map(s => s.high), Number.MIN_VALUE), low = Math.min(0, ...spreads.map(s => s.low));
    const y = value => (height - 5 - (height - 10) * (value - low) / (high - low)).toFixed(1);
    const svg = shape('svg', {class: 'strip', viewBox: `0 0 ${Math.max(order.length, 12) * step} ${height}`, role: 'img',
      'aria-label': `${measures[m]} of each query; queries with the largest gain over the median come first`});
    order.forEach((q, k) => {
      const {low: worst, middle, high: best} = spreads[q], x = k * step + step / 2;
      const says = `${queryName(q)}: ${number(own[q])}, median ${number(middle)}, ${number(worst)} to ${number(best)}`;
      svg.append(shape('g', {}, shape('title', {}, says),
        shape('path', {class: 'range', d: `M${x} ${y(worst)}V${y(best)}`}),
        shape('path', {class: 'middle', d: `M${x - 4} ${y(middle)}h8`}),
        shape('circle', {class: own[q] < middle ? 'below' : '', cx: x, cy: y(own[q]), r: 3.2})));
    });
    return svg;
  }

  function details(i) {
    const own = data.values[m][i], spreads = spread(m), other = base >= 0 && base !== i ? base : -1;
    const against = q => other < 0 ? spreads[q].middle : data.values[m][other][q];
    const gains = queries.map((_, q) => ({q, gain: own[q] - against(q)})).sort((a, b) => b.gain - a.gain);
    const heads = ['query', measures[m], other < 0 ? 'median' : systems[other].name, 'gain'];
    const lines = some => some.map(({q, gain}) => [queryName(q), number(own[q]), number(against(q)), number(gain, true)]);
    const parts = [
      table('Every measure', ['measure', 'mean', `${+(100 - 100 * data.alpha).toFixed(6)} % interval`, 'rank', 'tier'], measures.map((measure, k) => {
        const r = row(i, k);
        return [measure, number(r.mean), r.low == null ? '–' : `${number(r.low)} to ${number(r.high)}`,
          r.rank ? `${r.rank} (${interval(r)})` : '–', r.tier ?? '–'];
      })),
      table('Gains most', heads, lines(gains.slice(0, 5))),
      table('Gains least', heads, lines(gains.slice(-5).reverse())),
    ];
    if (data.variance.judges?.length) {
      parts.push(table('Each judge', ['judge', 'mean', 'rank'], data.variance.judges.map(({name, means}) => {
        const mean = means[m][i];
        return [name, number(mean), mean == null ? '–' : 1 + means[m].filter(x => x > mean).length];
      })));
    }
    const facts = [], {about, url, judged, answered} = systems[i], r = row(i);
    if (data.human_queries) facts.push(`human ${number(r.human)}, judge ${number(r.llm)}, judge − human ${number(r.bias, true)}`);
    if (base >= 0 && base !== i) {
      const shown = base === data.baseline && r.difference_low != null;
      facts.push(`difference to ${systems[base].name} ${number(shown ? r.difference : gap(i), true)}` +
        (shown ? ` (${number(r.difference_low, true)} to ${number(r.difference_high, true)})` : ''));
    }
    if (judged != null) facts.push(`judged@${data.cutoff} ${(100 * judged).toFixed(0)} %`);
    if (answered != null && answered < queries.length) facts.push(`documents for ${answered} of ${queries.length} queries`);
    const cell = make('td', {role: 'cell', colspan: 20}, make('h3', {}, `${systems[i].name}: ${measures[m]} by query`),
      strip(i, spreads), make('p', {class: 'legend'}, 'Point: this system (filled: at or above the median; open: below). ' +
        'Dash: median of all systems. Bar: from the worst to the best system.'), make('div', {class: 'cols'}, ...parts));
    if (facts.length) cell.append(make('p', {}, facts.join(' · ')));
    if (about) cell.append(make('p', {class: 'quiet'}, about));
    if (url) cell.append(make('p', {}, make('a', {href: url, rel: 'noopener noreferrer'}, url)));
    return make('tr', {role: 'row', class: 'more'}, cell);
  }

  function unfold(button) {
    const tr = button.closest('tr'), open = button.getAttribute('aria-expanded') === 'true';
    button.setAttribute('aria-expanded', String(!open));
    if (open) tr.nextElementSibling.remove();
    else tr.after(details(Number(tr.dataset.i)));
  }

  // ------------------------------------------------------------------------------------------------ files

  function save(name, text, type) {
    const link = make('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
    document.body.append(link);
    link.click();
    link.remove();
  }

  function csv() {
    const ofRow = ['rank', 'rank_low', 'rank_high', 'tier', 'top'], further = ['mean', 'low', 'high', 'difference', 'difference_low', 'difference_high'];
    const human = data.human_queries ? ['human', 'llm', 'bias'] : [];
    const quoted = value => /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    const text = value => quoted(String(value ?? '')).replace(/^true$/, 'True').replace(/^false$/, 'False');
    const lines = measures.flatMap((measure, k) => systems.map((_, i) => i).sort((a, b) => row(b, k).mean - row(a, k).mean).map(i => {
      const r = row(i, k), {name, team, tags = [], judged, answered} = systems[i];
      return [measure, ...ofRow.map(key => r[key]), name, team, tags.join(' '), ...further.map(key => r[key]), judged, answered, ...human.map(key => r[key])];
    }));
    return [['measure', ...ofRow, 'system', 'team', 'tags', ...further, 'judged', 'answered', ...human], ...lines]
      .map(line => line.map(text).join(',') + '\n').join('');
  }

  // ------------------------------------------------------------------------------------------------ the folded sections

  function sortable(list) {
    [...list.tHead.rows[0].cells].forEach((heading, column) => {
      const button = make('button', {type: 'button'}, heading.textContent);
      heading.replaceChildren(button);
      button.addEventListener('click', () => {
        const numbers = heading.classList.contains('num'), was = heading.getAttribute('aria-sort');
        const down = was ? was === 'ascending' : numbers;  // numbers begin with the largest
        for (const other of list.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const value = tr => {
          const cell = tr.cells[column];
          return numbers ? parseFloat(cell.dataset.value) || 0 : cell.textContent;
        };
        list.tBodies[0].append(...[...list.tBodies[0].rows].sort((a, b) => compared(value(a), value(b)) * (down ? -1 : 1)));
      });
    });
  }

  // The first documents of a system for a query, and the subtopics that each covers.
  function side(i, q) {
    const subtopics = runs.subtopics[q], covered = new Set();
    const lines = runs.tops[i][q].map((place, k) => {
      const [id, title, grades] = runs.documents[q][place], grade = new Map(grades ?? []);
      const name = [title || id, ...(title ? [make('small', {}, id)] : []), ...(grades ? [] : [make('small', {}, 'not judged')])];
      return make('tr', {}, make('td', {class: 'num'}, String(k + 1)), make('td', {class: 'doc'}, ...name),
        ...subtopics.map((_, t) => {
          const first = grade.has(t) && !covered.has(t);
          if (grade.has(t)) covered.add(t);
          return make('td', {class: `cell${grade.has(t) ? first ? ' t10' : ' t3' : ''}`, title: grade.has(t) && (first ? 'covered for the first time' : 'covered before')},
            grade.has(t) ? String(grade.get(t)) : '');
        }));
    });
    const says = `${systems[i].name} ${lines.length ? `covers ${covered.size} of ${counted(subtopics.length, 'subtopic', 'subtopics')}` : 'retrieves nothing'}`;
    return make('div', {tabindex: 0, role: 'region', 'aria-label': says}, make('h3', {}, says), make('table', {class: 'list'},
      make('thead', {}, make('tr', {}, make('th', {scope: 'col', class: 'num'}, 'rank'), make('th', {scope: 'col'}, 'document'),
        ...subtopics.map(({id, text}) => make('th', {scope: 'col', class: 'cell', title: text || false}, id)))),
      make('tbody', {}, ...lines)));
  }

  function drawRankings() {
    const [q, left, right] = ['query', 'left', 'right'].map(id => Number(at(`#cover-${id}`).value));
    at('#cover').replaceChildren(...[...new Set([left, right])].map(i => side(i, q)));
    at('#cover-subtopics').replaceChildren(...runs.subtopics[q].filter(({text}) => text)
      .map(({id, text}) => make('li', {}, make('b', {}, id), ` ${text}`)));
  }

  // ------------------------------------------------------------------------------------------------ put together

  document.documentElement.classList.add('js');
  for (const label of headings.querySelectorAll('th > span:first-child')) {
    label.replaceWith(make('button', {type: 'button'}, label.textContent));
  }
  headings.addEventListener('click', event => {
    const key = event.target.closest('button')?.closest('th').dataset.key;
    if (!key) return;
    sort = {key, down: sort.key === key && !sort.down};
    render();
  });
  body.addEventListener('click', event => {
    const button = event.target.closest('button.name');
    if (button) unfold(button);
  });
  for (const id of ['#find', '#team', '#only']) at(id)?.addEventListener('input', render);
  at('#base').addEventListener('change', event => {
    base = Number(event.target.value);
    board.classList.toggle('no-base', base < 0);
    systems.forEach((_, i) => fill(i));
    render();
  });
  for (const radio of all('[name=measure]')) {
    radio.addEventListener('change', () => {
      showMeasure(Number(radio.value));
      history.replaceState(null, '', `#${encodeURIComponent(measures[m])}`);
    });
  }
  at('#rest').addEventListener('click', () => { everything = true; render(); });
  addEventListener('beforeprint', () => {
    everything = true;
    render();
    for (const fold of all('details')) fold.open = true;
  });
  at('#csv').addEventListener('click', () => save('leaderboard.csv', csv(), 'text/csv'));
  at('#json').addEventListener('click', () => save('leaderboard.json', `${JSON.stringify(data)}\n`, 'application/json'));
  all('table.sortable').forEach(sortable);
  if (runs) {
    const options = (id, names, chosen) => at(id).replaceChildren(...names.map((name, i) => make('option', {value: i, selected: i === chosen && ''}, name)));
    const [first, second = first] = systems.map((_, i) => i).sort((a, b) => row(b).mean - row(a).mean);
    options('#cover-query', queries.map((_, q) => queryName(q)), 0);
    options('#cover-left', systems.map(({name}) => name), base >= 0 ? base : second);
    options('#cover-right', systems.map(({name}) => name), first);
    at('#coverage').addEventListener('change', drawRankings);
    drawRankings();
  }
  if (matchMedia('(max-width: 640px)').matches) at('.filters').open = false;
  const asked = decodeURIComponent(location.hash.slice(1)), chosen = measures.indexOf(asked);
  if (chosen > 0) {
    at(`[name=measure][value="${chosen}"]`).checked = true;
    showMeasure(chosen);
  } else if (n > most) render();
  if (asked && at(`details[id="${CSS.escape(asked)}"]`)) at(`details[id="${CSS.escape(asked)}"]`).open = true;
})();
