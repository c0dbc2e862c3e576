// Rows of tables of text become cards on a phone (site.css): each cell says its column. The table of measures has filters,
// whose choices are read from its own cells. A link into folded details opens them.
document.addEventListener('DOMContentLoaded', () => {
  const headsOf = (table) => [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  document.querySelectorAll('article table.docutils').forEach((table) => {
    const heads = table.tHead ? headsOf(table) : [];
    const cells = [...table.tBodies].flatMap((body) => [...body.rows]).map((row) => [...row.cells]);
    const text = cells.some((row) => row.some((cell) => cell.textContent.length > 24));
    if (heads.length < 3 || heads.length > 7 || !text) return;
    table.classList.add('cards');
    cells.forEach((row) => row.forEach((cell, i) => { cell.dataset.label = heads[i]; }));
  });
  const unfold = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    target?.scrollIntoView();
  };
  if (location.hash) unfold();
  addEventListener('hashchange', unfold);
  const table = document.querySelector('table.measures');
  if (!table) return;
  const heads = headsOf(table);
  const rows = [...table.tBodies[0].rows];
  const bar = document.createElement('form');
  bar.className = 'filters';
  const count = document.createElement('output');
  const controls = heads.map((head, i) => {
    if (head === 'measure' || head === 'what it is') return null;
    const select = document.createElement('select');
    const parts = (row) => (head === 'family' ? [row.cells[i].textContent] : row.cells[i].textContent.split(', '));
    const values = [...new Set(rows.flatMap(parts))].map((value) => value.trim()).filter(Boolean);
    select.setAttribute('aria-label', head);
    select.append(new Option(`${head}: any`, ''), ...values.map((value) => new Option(value, value)));
    select.matches_row = (row) => !select.value || parts(row).map((value) => value.trim()).includes(select.value);
    return select;
  }).filter(Boolean);
  const search = Object.assign(document.createElement('input'), { type: 'search', placeholder: 'name or word' });
  search.setAttribute('aria-label', 'name or word');
  search.matches_row = (row) => row.textContent.toLowerCase().includes(search.value.trim().toLowerCase());
  controls.unshift(search);
  const apply = () => {
    const shown = rows.filter((row) => {
      row.hidden = !controls.every((control) => control.matches_row(row));
      return !row.hidden;
    });
    count.textContent = `${shown.length} of ${rows.length} measures`;
  };
  bar.append(...controls, count);
  bar.addEventListener('input', apply);
  bar.addEventListener('submit', (event) => event.preventDefault());
  (table.closest('.table-wrapper') || table).before(bar);
  apply();
});
