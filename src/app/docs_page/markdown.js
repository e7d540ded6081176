// A subset of CommonMark, as nodes: paragraphs, lists, fenced code, headings (as bold lines), code, emphasis, links.
// HTML stays text. Repetitions are bounded, so that hostile text costs no more than linear time.

const inlinePattern = /`([^`]{1,500})`|\*\*([^*]{1,500})\*\*|\*([^*\s][^*]{0,500})\*|\[([^\[\]]{1,300})\]\(([^()\s]{1,500})\)|<?(https?:\/\/[^\s<>()"'`]{0,500}[^\s<>()"'`.,;:!?])>?/g;

function link(text, address) {
  if (address.startsWith("#")) return el("a", { href: address }, text);
  let url;
  try {
    url = new URL(address, contract.address);
  } catch {
    return text;
  }
  if (!/^(https?|mailto):$/.test(url.protocol)) return text;
  return el("a", { href: url.href, target: "_blank" }, text);
}

const inline = text => replaced(text, inlinePattern, ([, mono, strong, emphasis, label, address, bare]) =>
  mono ? el("code", mono) : strong ? el("strong", strong) : emphasis ? el("em", emphasis) : link(label ?? bare, address ?? bare));

const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

function block(lines) {
  if (lines[0].startsWith("```")) return code(lines.slice(1).join("\n"), "Example");
  if (/^#{1,6}\s/.test(lines[0])) {
    const [heading, ...rest] = lines;
    return [el("p.subheading", inline(heading.replace(/^#+\s+/, ""))), rest.length ? block(rest) : null];
  }
  if (listItem.test(lines[0])) {
    const items = [];
    for (const line of lines) {
      if (listItem.test(line) || items.length === 0) items.push(line.replace(listItem, ""));
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    return el(/^\s*\d/.test(lines[0]) ? "ol" : "ul", null, items.map(item => el("li", inline(item))));
  }
  return el("p", inline(lines.join("\n")));
}

function markdown(text) {
  if (typeof text !== "string" || text.trim() === "") return null;
  const blocks = [];
  let lines = [], fenced = false;
  const end = () => {
    if (lines.length) blocks.push(block(lines));
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const fence = line.trimStart().startsWith("```");
    if (fenced && fence) {
      fenced = false;
      end();
    } else if (fenced) {
      lines.push(line);
    } else if (line.trim() === "") {
      end();
    } else {
      // A fence, or a list, ends a paragraph.
      if (fence || (listItem.test(line) && lines.length && !listItem.test(lines[0]))) end();
      fenced = fence;
      lines.push(fence ? "```" : line);
    }
  }
  end();
  return el("div.prose", blocks);
}
