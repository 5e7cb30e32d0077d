"""Results of component tests without what they say about the machine: paths, host name, environment."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from buto.errors import BadFileError

_ATTRIBUTES = ("name", "classname", "time")
_DID_NOT_PASS = ("failure", "error", "skipped")


def published(name: str, content: bytes) -> bytes:
    """Return a file of a recording as it may be published.

    Raises:
        BadFileError: results cannot be read.
    """
    try:
        match name.partition("/")[0]:
            case "junit":
                return _junit(content)
            case "jmh":
                return _jmh(content)
            case _:
                return content
    except (ElementTree.ParseError, ValueError, AttributeError) as error:
        raise BadFileError(f"{name} cannot be packed: {error}") from error


def _junit(content: bytes) -> bytes:
    """Keep the test cases with their times."""
    suite = ElementTree.Element("testsuite")
    for case in ElementTree.fromstring(content).iter("testcase"):
        kept = ElementTree.SubElement(
            suite, "testcase", {name: case.attrib[name] for name in _ATTRIBUTES if name in case.attrib}
        )
        kept.extend(ElementTree.Element(child.tag) for child in case if child.tag in _DID_NOT_PASS)
    ElementTree.indent(suite, " ")
    text: bytes = ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _jmh(content: bytes) -> bytes:
    """Leave out the path of the JVM."""
    results = [{key: value for key, value in one.items() if key != "jvm"} for one in json.loads(content)]
    return json.dumps(results, indent=1).encode() + b"\n"
