// Quantities in words: the twin of buto/run/units.py, compared with it in the tests.

function formatNumber(value) {
  const text = digits(value);
  return /^-?\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
}

function digits(value) {
  if (Number.isNaN(value)) return "unreadable";
  if (!Number.isFinite(value)) return value > 0 ? "infinite" : "-infinite";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e15) return String(value === 0 ? 0 : value);
  if (size < 1e-4 || size >= 1e15) {
    const [front, power] = value.toExponential(2).split("e");
    const sign = power[0] === "-" ? "-" : "+";
    return `${stripped(front)}e${sign}${power.replace(/^[+-]/, "").padStart(2, "0")}`;
  }
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(size)));
  const text = halfEven(value, decimals);
  return decimals ? stripped(text) : text;
}

function stripped(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

// As Python rounds: what lies exactly between two goes to the even one.
function halfEven(value, decimals) {
  const rounded = value.toFixed(decimals);
  const rest = value.toFixed(80).split(".")[1].slice(decimals);
  if (!/^50*$/.test(rest) || Number(rounded.at(-1)) % 2 === 0) return rounded;
  const step = 10 ** -decimals;
  return (Number(rounded) - Math.sign(value) * step).toFixed(decimals);
}

function formatQuantity(value, unit) {
  if (unit.steps.length && Number.isFinite(value)) {
    if (value === 0 && unit.kind === "seconds") return "0 s";
    let [text, size] = unit.steps[0];
    for (const [name, step, from] of unit.steps) {
      if (Math.abs(Number(digits(value / step))) * step >= from) [text, size] = [name, step];
    }
    return `${digits(value / size)} ${text}`;
  }
  const number = formatNumber(value);
  if (Number.isNaN(value)) return number;
  if (unit.kind === "count") return unit.one ? `${number} ${number === "1" ? unit.one : unit.many}` : number;
  return unit.behind ? `${number} ${unit.behind}` : number;
}
