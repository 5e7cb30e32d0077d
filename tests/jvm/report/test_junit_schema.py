"""JUnit XML against a schema, by the JDK's own validator.

The schema beside this file was written for it. With the environment variable BUTO_JUNIT_XSD another one, as
junit-10.xsd of Jenkins' xUnit plugin, is tried as well.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from buto.report.formats.junit import junit_xml
from buto.report.result import LeftOut
from tests.support.report import golden, made

OURS = Path(__file__).with_name("junit.xsd")
THEIRS = os.environ.get("BUTO_JUNIT_XSD")
VALIDATOR = """
import java.io.File;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.*;

public class Validator {
    public static void main(String[] args) throws Exception {
        SchemaFactory factory = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI);
        Schema schema = factory.newSchema(new File(args[0]));
        for (int i = 1; i < args.length; i++) {
            try {
                schema.newValidator().validate(new StreamSource(new File(args[i])));
                System.out.println("valid");
            } catch (org.xml.sax.SAXException fault) {
                System.out.println(fault.getMessage());
            }
        }
    }
}
"""


@pytest.mark.parametrize("schema", [OURS, *([Path(THEIRS)] if THEIRS else [])], ids=lambda path: path.name)
def test_what_is_written_is_valid_whatever_the_text_and_the_schema_is_not_a_rubber_stamp(
    schema: Path, tmp_path: Path
) -> None:
    good = (golden.PLACE / "junit.xml").read_bytes()
    contents = [good, junit_xml([], made.FINISHED)]
    contents += [
        junit_xml(made.hostile(text), made.FINISHED, [LeftOut(text[:50], text)]) for text in made.EVIL
    ]
    bad = [
        good.replace(b"<testcase ", b'<testcase owner="x" ', 1),
        good.replace(b'tests="4"', b""),
        good[:-30],
    ]
    files = [tmp_path / f"{number}.xml" for number in range(len(contents) + len(bad))]
    for path, content in zip(files, [*contents, *bad], strict=True):
        path.write_bytes(content)
    program = tmp_path / "Validator.java"
    program.write_text(VALIDATOR)
    done = subprocess.run(
        ["java", str(program), str(schema), *map(str, files)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[: len(contents)] == ["valid"] * len(contents)
    assert "valid" not in lines[len(contents) :]
    assert "owner" in lines[len(contents)]
