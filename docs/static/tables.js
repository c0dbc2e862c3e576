// On a phone, site.css shows each row of a table of text as a card, in which each cell has its column's heading.
// A link into folded details opens them.
document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll('article table.docutils').forEach((table) => {
    const heads = table.tHead ? [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim()) : [];
    const cells = [...table.tBodies].flatMap((body) => [...body.rows]).map((row) => [...row.cells]);
    const text = cells.some((row) => row.some((cell) => cell.textContent.length > 24));
    if (heads.length < 2 || heads.length > 7 || !text) return;
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
});
