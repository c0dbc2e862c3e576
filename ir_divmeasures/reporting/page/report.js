
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = id => document.getElementById(id);

  // An element with properties and children; texts become text nodes, never markup.
  function make(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  function fill(id, names, chosen = 0) {
    at(id).replaceChildren(...names.map((name, i) => make('option', {value: i, selected: i === chosen}, name)));
    return at(id);
  }

  const chosen = id => Number(at(id).value);
  const mean = numbers => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const signed = x => (x > 0 ? '+' : x < 0 ? '−' : '') + Math.abs(x).toFixed(4);
  const queryName = q => data.queries[q].text ? `${data.queries[q].id} ${data.queries[q].text}` : data.queries[q].id;

  // Shades a cell: strength in [-1, 1], below 0 in the other colour.
  function shade(cell, strength) {
    const share = Math.round(Math.min(1, Math.abs(strength)) * 100);
    cell.style.backgroundColor = `color-mix(in oklab, var(--${strength < 0 ? 'low' : 'high'}) ${share}%, var(--surface))`;
    if (share > 75) cell.style.color = 'var(--on)';
  }

  // ---------------------------------------------------------------- tables that can be sorted

  function sortable(table) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = make('button', {type: 'button'}, heading.textContent);
      heading.replaceChildren(button);
      button.addEventListener('click', () => {
        const was = heading.getAttribute('aria-sort'), numbers = heading.classList.contains('number');
        const down = was ? was === 'ascending' : numbers;  // numbers begin with the largest
        for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const value = row => { const x = parseFloat(key(row)); return Number.isNaN(x) ? -Infinity : x; };
        const rows = [...table.tBodies[0].rows].sort((a, b) => numbers ? (value(a) > value(b)) - (value(a) < value(b))
          : key(a).localeCompare(key(b), undefined, {numeric: true}));
        table.tBodies[0].append(...(down ? rows.reverse() : rows));
      });
    });
  }

  function filter() {
    const wanted = at('filter').value.trim().toLowerCase();
    let shown = 0;
    for (const row of at('board').tBodies[0].rows) {
      row.hidden = !row.cells[0].textContent.toLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    at('shown').textContent = wanted ? `${shown} of ${data.systems.length}` : '';
  }

  // ---------------------------------------------------------------- scores by query

  function drawHeat() {
    const values = data.values[chosen('heat-measure')], base = values[chosen('heat-baseline')];
    const differences = at('heat-kind').value === 'difference';
    const shown = values.map(row => differences ? row.map((x, q) => x - base[q]) : row);
    const largest = Math.max(...shown.map(row => Math.max(...row.map(Math.abs)))) || 1;
    const columns = data.queries.map((_, q) => q), rows = data.systems.map((_, s) => s);
    if (at('heat-order').value === 'mean') {
      const means = columns.map(q => mean(shown.map(row => row[q])));
      columns.sort((a, b) => means[b] - means[a]);
    }
    const means = values.map(mean);
    rows.sort((a, b) => means[b] - means[a]);
    const head = make('tr', {}, make('th', {scope: 'col'}, 'System'),
      ...columns.map(q => make('th', {scope: 'col', title: queryName(q)}, data.queries[q].id)));
    const body = rows.map(s => make('tr', {}, make('th', {scope: 'row', title: data.systems[s]}, data.systems[s]),
      ...columns.map(q => {
        const said = differences ? signed(shown[s][q]) : shown[s][q].toFixed(4);
        const cell = make('td', {title: `${data.systems[s]}, ${queryName(q)}: ${said}`, ariaLabel: said});
        cell.dataset.query = q;
        cell.dataset.system = s;
        shade(cell, shown[s][q] / largest);
        if (shown[s][q] === 0) cell.textContent = differences ? '=' : '0';
        return cell;
      })));
    at('heat').replaceChildren(make('thead', {}, head), make('tbody', {}, ...body));
    at('heat-baseline').disabled = !differences;
    at('heat-legend').textContent = differences
      ? `Blue: better than ${data.systems[chosen('heat-baseline')]}; orange: worse; =: equal; full colour: ${largest.toFixed(4)}.`
      : `0: a score of 0; full colour: ${largest.toFixed(4)}; orange: below 0. Best system first.`;
  }

  // ---------------------------------------------------------------- two systems

  function drawPair() {
    const values = data.values[chosen('pair-measure')];
    const ours = values[chosen('pair-system')], base = values[chosen('pair-baseline')];
    const rows = ours.map((x, q) => ({q, x, y: base[q], difference: x - base[q]}))
      .sort((a, b) => b.difference - a.difference);
    const largest = Math.max(...rows.map(row => Math.abs(row.difference))) || 1;
    const head = make('tr', {}, ...['Query', 'Difference', data.systems[chosen('pair-system')],
      data.systems[chosen('pair-baseline')]].map((name, i) => make('th', {scope: 'col', className: i ? 'number' : ''}, name)));
    const body = rows.map(({q, x, y, difference}) => {
      const cell = (value, said) => {
        const made = make('td', {className: 'number'}, said);
        made.dataset.value = value;
        return made;
      };
      const shaded = cell(difference, signed(difference));
      shade(shaded, difference / largest);
      return make('tr', {}, make('th', {scope: 'row'}, queryName(q)), shaded, cell(x, x.toFixed(4)), cell(y, y.toFixed(4)));
    });
    at('pair').replaceChildren(make('thead', {}, head), make('tbody', {}, ...body));
    sortable(at('pair'));
    const count = test => rows.filter(({difference}) => test(Math.round(difference * 1e4))).length;
    at('pair-summary').textContent = `Better on ${count(d => d > 0)}, equal on ${count(d => d === 0)}, worse on ` +
      `${count(d => d < 0)} queries; mean difference ${signed(mean(rows.map(row => row.difference)))}.`;
  }

  // ---------------------------------------------------------------- coverage

  function side(system, q) {
    const subtopics = data.subtopics[q], covered = new Set();
    const head = make('tr', {}, make('th', {scope: 'col', className: 'number'}, '#'),
      make('th', {scope: 'col'}, 'Document'),
      ...subtopics.map(({id, text}) => make('th', {scope: 'col', className: 'mark', title: text}, id)));
    const body = data.tops[system][q].map((place, i) => {
      const {id, title, grades} = data.documents[q][place];
      const name = title ? [title, make('small', {}, id)] : [id];
      if (!grades) name.push(make('small', {className: 'unjudged'}, 'not judged'));
      const row = make('tr', {}, make('td', {className: 'number'}, String(i + 1)),
        make('td', {className: 'document'}, ...name));
      const grade = new Map(grades ?? []);
      subtopics.forEach((_, t) => {
        const cell = make('td', {className: 'mark'}, grade.has(t) ? String(grade.get(t)) : '');
        if (grade.has(t)) {
          shade(cell, covered.has(t) ? .35 : 1);
          cell.title = covered.has(t) ? 'covered before' : 'first time';
          covered.add(t);
        }
        row.append(cell);
      });
      return row;
    });
    const said = body.length ? `covers ${covered.size} of ${subtopics.length} subtopics` : 'retrieves nothing';
    return make('div', {className: 'side'}, make('h3', {}, `${data.systems[system]} ${said}`),
      make('div', {className: 'scroll', tabIndex: 0}, make('table', {}, make('thead', {}, head),
        make('tbody', {}, ...body))));
  }

  function drawCoverage() {
    const q = chosen('cover-query'), sides = [...new Set([chosen('cover-left'), chosen('cover-right')])];
    at('cover').replaceChildren(...sides.map(system => side(system, q)));
    at('cover-subtopics').replaceChildren(...data.subtopics[q].filter(({text}) => text)
      .map(({id, text}) => make('li', {}, make('b', {}, id), ` ${text}`)));
  }

  // ---------------------------------------------------------------- sections that fold

  function show(id) {
    const fold = at(id)?.querySelector('details');
    if (fold) fold.open = true;
    at(id)?.scrollIntoView();
  }

  // ---------------------------------------------------------------- put together

  const others = data.systems.map((_, s) => s).filter(s => s !== data.baseline);
  const means = data.values[0].map(mean);
  const best = others.sort((a, b) => means[b] - means[a])[0] ?? data.baseline;
  for (const id of ['heat-measure', 'pair-measure']) fill(id, data.measures);
  for (const id of ['heat-baseline', 'pair-baseline', 'cover-left']) fill(id, data.systems, data.baseline);
  for (const id of ['pair-system', 'cover-right']) fill(id, data.systems, best);
  fill('cover-query', data.queries.map((_, q) => queryName(q)));
  for (const [ids, draw] of [[['heat-measure', 'heat-kind', 'heat-baseline', 'heat-order'], drawHeat],
    [['pair-system', 'pair-baseline', 'pair-measure'], drawPair],
    [['cover-query', 'cover-left', 'cover-right'], drawCoverage]]) {
    for (const id of ids) at(id).addEventListener('change', draw);
    draw();
  }
  at('filter').addEventListener('input', filter);
  at('heat').addEventListener('click', event => {
    const {query, system} = event.target.dataset;
    if (query === undefined) return;
    at('cover-query').value = query;
    at('cover-right').value = system;
    drawCoverage();
    show('coverage');
  });
  document.querySelectorAll('nav a').forEach(link => link.addEventListener('click', () => show(link.hash.slice(1))));
  if (location.hash) show(decodeURIComponent(location.hash.slice(1)));
  addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(fold => { fold.open = true; }));
  document.querySelectorAll('table.sortable').forEach(sortable);
  document.querySelectorAll('[data-shade]').forEach(cell => shade(cell, Number(cell.dataset.shade)));
})();
