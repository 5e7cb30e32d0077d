// Elements, and paths of curves and bands.

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// A place on the page: far beyond any edge at most, for browsers draw huge numbers wrong.
function near(place) {
  return Math.max(-5000, Math.min(9000, place)).toFixed(1);
}

// A line with gaps where a value is unreadable; a lone point becomes a dot.
function linePath(times, values, x, y) {
  let path = "";
  let open = 0;
  for (let i = 0; i < times.length; i++) {
    const place = y(values[i]);
    if (Number.isNaN(place)) {
      if (open === 1) path += "h.1";
      open = 0;
      continue;
    }
    path += `${open ? "L" : "M"}${near(x(times[i]))} ${near(place)}`;
    open += 1;
  }
  return open === 1 ? `${path}h.1` : path;
}

// The area between two columns, one piece for each stretch without a gap.
function areaPath(times, lower, upper, x, y, floor) {
  let path = "";
  let piece = [];
  const close = () => {
    if (!piece.length) return;
    if (piece.length === 1) piece.push(piece[0]);
    const forth = piece.map(([at, , high]) => `${near(at)} ${near(high)}`).join("L");
    const back = piece.reverse().map(([at, low]) => `${near(at)} ${near(low)}`).join("L");
    path += `M${forth}L${back}Z`;
    piece = [];
  };
  for (let i = 0; i < times.length; i++) {
    if (Number.isNaN(lower[i]) || Number.isNaN(upper[i])) close();
    else {
      const low = y(lower[i]);
      piece.push([x(times[i]), Number.isNaN(low) ? floor : low, y(upper[i])]);
    }
  }
  close();
  return path;
}

// The parts of a curve that lie beyond its band, NaN in between; an end reaches to the point inside.
function outside({ times, values }, band) {
  const beyond = new Float64Array(times.length).fill(NaN);
  if (!band) return beyond;
  const tolerance = (value) => 1e-9 * Math.abs(value);
  for (let i = 0; i < times.length; i++) {
    const [low, high] = [between(band.times, band.lower, times[i]), between(band.times, band.upper, times[i])];
    if (values[i] > high + tolerance(high) || values[i] < low - tolerance(low)) beyond[i] = values[i];
  }
  return beyond;
}

// Lowest and highest of all training runs in even spans of time.
function envelope(curves, [from, to], n = 60) {
  const [lower, upper] = [new Float64Array(n).fill(NaN), new Float64Array(n).fill(NaN)];
  const times = Float64Array.from({ length: n }, (_, i) => from + ((i + 0.5) * (to - from)) / n);
  for (const curve of curves) {
    for (let i = 0; i < n; i++) {
      const value = between(curve.times, curve.values, times[i]);
      if (Number.isNaN(value)) continue;
      if (!(lower[i] <= value)) lower[i] = value;
      if (!(upper[i] >= value)) upper[i] = value;
    }
  }
  return { times, lower, upper };
}
