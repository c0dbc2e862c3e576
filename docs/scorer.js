// Scores of the search: those of Sphinx, but pages of measures that the query names come first, as `alpha_nDCG` for
// "alpha-nDCG Python". Names are titles and entries of the index, compared as the package compares them (core/names.py).
var Scorer = (() => {
  const standard = (text) => text.toLowerCase().replace(/#/g, 'sharp').replace(/\+/g, 'plus').replace(/α/g, 'alpha')
    .replace(/[-_\s]/g, '');
  let named = null;  // page of a measure → length of the longest name that the query contains

  function findNamed() {
    const words = new URLSearchParams(window.location.search).get('q').trim().split(/\s+/);
    const written = new Set(words.flatMap((_, i) => words.slice(i).map((_, j) => standard(words.slice(i, i + j + 1).join('')))));
    const { docnames, titles, indexentries } = Search._index;
    const names = docnames.map((_, i) => [titles[i], i]);
    Object.entries(indexentries).forEach(([entry, places]) => places.forEach(([i]) => names.push([entry, i])));
    const found = {};
    names.map(([name, i]) => [standard(name), docnames[i]]).forEach(([name, page]) => {
      if (page.startsWith('measures/') && written.has(name)) found[page] = Math.max(found[page] || 0, name.length);
    });
    return found;
  }

  return {
    objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
    title: 15, partialTitle: 7, term: 5, partialTerm: 2,
    score: ([page, , , , score]) => {
      named = named || findNamed();
      return score + (page in named ? 1000 + named[page] : 0);
    },
  };
})();
