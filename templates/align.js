// Which steps of two conversations stand beside each other, in the way of package
// parting: those that both begin with, then in order as many equal ones as can be, and of
// ways to do that the one with the most steps beside each other, those of one name before
// others. A step is { key, name }: equal keys are equal steps.

const mostCells = 1 << 22; // the middle of longer trials is paired place by place

// alike is what two steps beside each other gain.
const alike = (a, b) => (a.key === b.key ? 1 << 17 : a.name === b.name ? 1 << 5 : 1);

function commonPrefix(first, second) {
  let n = 0;
  while (n < first.length && n < second.length && first[n].key === second[n].key) n++;
  return n;
}

// aligned is pairs of places, -1 where only the other made a step.
function aligned(first, second) {
  const n = commonPrefix(first, second), pairs = [];
  for (let i = 0; i < n; i++) pairs.push([i, i]);
  for (const [i, j] of alignedRest(first.slice(n), second.slice(n))) pairs.push([i < 0 ? i : i + n, j < 0 ? j : j + n]);
  return pairs;
}

function alignedRest(first, second) {
  const best = bestEnds(first, second), pairs = [];
  let i = 0, j = 0;
  while (i < first.length && j < second.length) {
    if (best(i, j) <= alike(first[i], second[j]) + best(i + 1, j + 1)) pairs.push([i++, j++]);
    else if (best(i + 1, j) >= best(i, j + 1)) pairs.push([i++, -1]);
    else pairs.push([-1, j++]);
  }
  while (i < first.length) pairs.push([i++, -1]);
  while (j < second.length) pairs.push([-1, j++]);
  return pairs;
}

// bestEnds is the most that the steps from two places on gain.
function bestEnds(first, second) {
  const width = second.length + 1;
  if ((first.length + 1) * width > mostCells) return () => 0;
  const cells = new Int32Array((first.length + 1) * width);
  for (let i = first.length - 1; i >= 0; i--) {
    for (let j = second.length - 1; j >= 0; j--) {
      cells[i * width + j] = Math.max(cells[(i + 1) * width + j], cells[i * width + j + 1], alike(first[i], second[j]) + cells[(i + 1) * width + j + 1]);
    }
  }
  return (i, j) => cells[i * width + j];
}

// nearest is the trial with the longest common beginning, then the most equal
// steps; the first of equals, and nothing among none.
function nearest(to, among) {
  let found, prefix = -1, equal = -1;
  for (const trial of among) {
    const n = commonPrefix(to.steps, trial.steps);
    if (n < prefix) continue;
    const e = aligned(to.steps, trial.steps).filter(([i, j]) => i >= 0 && j >= 0 && to.steps[i].key === trial.steps[j].key).length;
    if (n > prefix || e > equal) [found, prefix, equal] = [trial, n, e];
  }
  return found;
}
