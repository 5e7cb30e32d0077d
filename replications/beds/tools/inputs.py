"""What the tools work on: made by code, the same for all releases."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from beds.artefacts import CACHE, made_once
from beds.jdk import jar, javac

VERSION = 1
"""Part of the directory's name; another input is another bed."""

SEED = 20261129
N_CLASSES = 12
N_ORDERS = 1500


def inputs(cache: Path = CACHE) -> Path:
    """Return the directory with the inputs, made unless it is there."""
    directory = cache / f"tools-input-{VERSION}"
    made_once(directory, make)
    return directory


def make(directory: Path) -> None:
    """Make all inputs. BedError if there is no JDK."""
    directory.mkdir()
    draw = random.Random(SEED)
    sources = directory / "sources"
    sources.mkdir()
    for number in range(N_CLASSES):
        (sources / f"Part{number}.java").write_text(_source(number, draw))
    with tempfile.TemporaryDirectory() as scratch:
        javac(sources, Path(scratch), release="8")
        jar(Path(scratch), directory / "classes.jar")
    (directory / "Grammar.jj").write_text(_grammar())
    (directory / "orders.xml").write_text(_orders(draw))
    (directory / "report.xsl").write_text(_STYLE)
    (directory / "page.html").write_text(_page(draw))
    (directory / "job.groovy").write_text(_GROOVY)
    (directory / "build.xml").write_text(_BUILD)


def _source(number: int, draw: random.Random) -> str:
    methods = []
    for place in range(8):
        factor, limit = draw.randrange(2, 99), draw.randrange(5, 60)
        methods.append(
            f"""
    public static long step{place}(int n, String text) {{
        long sum = {factor};
        for (int i = 0; i < n % {limit}; i++) {{
            switch (i % 4) {{
                case 0: sum += text.length() * {factor}L; break;
                case 1: sum ^= i << 3; break;
                default: sum = sum > {limit} ? sum - i : sum + i;
            }}
            try {{
                if (sum % {limit} == 1) {{ throw new IllegalStateException("at " + i); }}
            }} catch (IllegalStateException error) {{
                sum += error.getMessage().length();
            }}
        }}
        java.util.List<Long> kept = new java.util.ArrayList<>();
        kept.add(sum);
        return kept.stream().mapToLong(one -> one + {factor}).sum();
    }}
"""
        )
    return f"public class Part{number} {{{''.join(methods)}}}\n"


def _grammar() -> str:
    words = [f"word{number}" for number in range(150)]
    tokens = "\n| ".join(f'< {word.upper()}: "{word}" >' for word in words)
    rules = []
    for number in range(0, len(words), 3):
        some = words[number : number + 3]
        choices = " | ".join(f"<{word.upper()}> ( <NUMBER> )*" for word in some)
        rules.append(f"void rule{number}() : {{}}\n{{ {choices} }}\n")
    every = " | ".join(f"rule{number}()" for number in range(0, len(words), 3))
    return (
        "options { STATIC = false; }\nPARSER_BEGIN(Words)\npublic class Words {}\nPARSER_END(Words)\n"
        f'SKIP : {{ " " | "\\n" }}\nTOKEN : {{ {tokens}\n| < NUMBER: (["0"-"9"])+ > }}\n'
        f"void text() : {{}}\n{{ ( {every} )* <EOF> }}\n{''.join(rules)}"
    )


def _orders(draw: random.Random) -> str:
    rows = [
        f'<order id="{number}" shop="{draw.randrange(40)}"><price>{draw.randrange(100, 9999)}</price>'
        f"<name>thing {draw.randrange(500)}</name></order>"
        for number in range(N_ORDERS)
    ]
    return f"<orders>{''.join(rows)}</orders>"


_STYLE = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:key name="shops" match="order" use="@shop"/>
<xsl:template match="/"><report>
<xsl:for-each select="//order[generate-id() = generate-id(key('shops', @shop)[1])]">
<xsl:sort select="@shop" data-type="number"/>
<shop id="{@shop}" sum="{sum(key('shops', @shop)/price)}">
<xsl:for-each select="key('shops', @shop)"><xsl:sort select="name"/>
<item><xsl:value-of select="concat(name, ': ', format-number(price div 100, '0.00'))"/></item>
</xsl:for-each></shop></xsl:for-each></report></xsl:template>
</xsl:stylesheet>
"""


def _page(draw: random.Random) -> str:
    cells = [
        f"<tr><td>{draw.randrange(10**6)}<td><b>row {number}</b><p>text &amp; <a href=x{number}>more</a>"
        for number in range(600)
    ]
    return f"<html><title>page<body><table>{''.join(cells)}</table>"


_GROOVY = """def counts = [:].withDefault { 0 }
def random = new Random(7)
30000.times { counts[random.nextInt(5000)] += it }
def text = counts.collect { key, value -> "${key}=${value}" }.sort().join(',')
println text.length() + ' ' + (text =~ /[0-9]+/).size()
class Tree { Tree left; Tree right; int value }
def build
build = { depth ->
    depth == 0 ? null : new Tree(left: build(depth - 1), right: build(depth - 1), value: depth)
}
println build(14).value
"""

_BUILD = """<project default="all">
<target name="all">
  <copy todir="${out}/copy"><fileset dir="${input}/sources"/>
    <filterchain><replacestring from="sum" to="total"/></filterchain></copy>
  <checksum algorithm="SHA-256" fileext=".sum"><fileset dir="${out}/copy" includes="*.java"/></checksum>
  <zip destfile="${out}/all.zip" basedir="${out}/copy"/>
  <unzip src="${out}/all.zip" dest="${out}/again"/>
  <concat destfile="${out}/one.txt"><fileset dir="${out}/again" includes="*.java"/></concat>
</target>
</project>
"""
