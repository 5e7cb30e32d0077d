"""What the class files of a program say: for each method a checksum of its instructions, and what it calls.

The text that the reader prints is described in java-probes/classes.md. Names have no numbers of lambdas and
of anonymous classes, because these shift when another one is added: all anonymous classes of a class are
``Shop$#``, and all methods of one name in a class are one entry.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msgspec import Struct, field

_HEAD = "buto-classes\t1"
_END = "end"
_FILE = "file\t"
_NEWLINE = "\n"
_NUMBER = re.compile(r"\$\d+")


class Body(Struct, frozen=True):
    """One method.

    Attributes:
        digest: of its instructions, without lines, order of constants and packages of classes.
        annotations: a checksum of them.
        line: the first line of its code; 0 if not known.
        calls: methods that it calls, as ``com.acme.Shop.add``.
        fields: fields that it reads or writes, as ``com.acme.Shop.items``.
    """

    digest: str
    annotations: str
    line: int
    calls: frozenset[str]
    fields: frozenset[str]


class ClassText(Struct, frozen=True):
    """One class, as ``com.acme.Shop``.

    Attributes:
        source: its file, as ``Shop.java``; empty if not known.
        parents: a checksum of what it extends and implements.
        methods: by name all methods of that name.
        fields: by name a checksum of type, flags, constant and annotations.
    """

    name: str
    source: str
    parents: str
    annotations: str
    methods: Mapping[str, tuple[Body, ...]]
    fields: Mapping[str, str]


class Archive(Struct, frozen=True):
    """A jar, or the class files of directories.

    Attributes:
        name: of the file, as ``jsoup-1.6.1.jar``; empty for loose class files.
        resources: by name a checksum.
        failure: why it cannot be read; empty if it can.
    """

    name: str
    classes: tuple[ClassText, ...]
    resources: Mapping[str, str] = field(default_factory=dict)
    failure: str = ""


def plain(name: str) -> str:
    """Return the name of a class or method without numbers of anonymous classes."""
    return _NUMBER.sub("$#", name) if "$" in name else name


def texts_by_file(text: str) -> list[str]:
    """Return what the reader printed about each file, in the order in which it was given them.

    Raises:
        ValueError: it is cut off, or no text of the reader's.
    """
    if not (text.startswith(f"{_HEAD}\n") and text.endswith(f"\n{_END}\n")):
        raise ValueError("it is cut off, or not of this buto's reader of classes")
    parts = text[: -len(_END) - 1].split(f"\n{_FILE}")
    return [f"{part.partition(_NEWLINE)[2].rstrip(_NEWLINE)}\n" for part in parts[1:]]


def text_of_files(texts: Iterable[str]) -> str:
    """Return what was printed of several files as one text, which :func:`parse_classes` reads."""
    return "".join([f"{_HEAD}\n", *texts, f"{_END}\n"])


def parse_classes(text: str, name: str) -> Archive:
    """Return what the reader printed about files, which are taken to be one archive of this name.

    Raises:
        ValueError: it is cut off, or no text of the reader's.
    """
    lines = text.split("\n")
    if lines[0] != _HEAD or lines[-2:] != [_END, ""]:
        raise ValueError("it is cut off, or not of this buto's reader of classes")
    classes: list[ClassText] = []
    resources: dict[str, str] = {}
    failure = ""
    methods: dict[str, list[Body]] = {}
    fields: dict[str, str] = {}
    for line in lines[1:-2]:
        match line.split("\t"):
            case ["method", called, at, digest, annotations, calls, of]:
                number = int(at) if at.isdecimal() else 0
                body = Body(digest, annotations, number, frozenset(calls.split()), frozenset(of.split()))
                methods.setdefault(called, []).append(body)
            case ["field", called, digest]:
                fields[called] = digest
            case ["class", called, source, parents, annotations]:
                methods, fields = {}, {}
                classes.append(
                    ClassText(called, source, parents, annotations, methods, fields)  # type: ignore[arg-type]
                )
            case ["resource", called, digest]:
                resources[called] = digest
            case ["failure", why]:
                failure = why
            case _:
                # A name with a tab or a newline in it, as only an obfuscator makes them.
                continue
    return Archive(name, tuple(classes), resources, failure)


@dataclass(frozen=True)
class Code:
    """All classes of a program.

    Attributes:
        methods: by class and method.
        fields: by class and field a checksum, or several.
        sources: by class its source file.
        archives: by class the archive that has it; empty for loose class files.
        parents, annotations: by class a checksum, or several.
        resources: by name a checksum.
    """

    methods: Mapping[str, tuple[Body, ...]]
    fields: Mapping[str, str]
    sources: Mapping[str, str]
    archives: Mapping[str, str]
    parents: Mapping[str, str]
    annotations: Mapping[str, str]
    resources: Mapping[str, str]


def code_of(archives: Iterable[Archive]) -> Code:
    """Return the classes of a class path: of two with one name the first, as a JVM takes it.

    A jar may have several classes of a name: for several releases of Java, or without numbers. Then all of
    them count, in any order.
    """
    methods: dict[str, list[Body]] = {}
    fields: defaultdict[str, set[str]] = defaultdict(set)
    sources: dict[str, str] = {}
    where: dict[str, str] = {}
    parents: defaultdict[str, set[str]] = defaultdict(set)
    annotations: defaultdict[str, set[str]] = defaultdict(set)
    resources: dict[str, str] = {}
    for archive in archives:
        known = frozenset(where)
        for class_text in archive.classes:
            if class_text.name in known:
                continue
            where[class_text.name], sources[class_text.name] = archive.name, class_text.source
            parents[class_text.name].add(class_text.parents)
            annotations[class_text.name].add(class_text.annotations)
            for name, bodies in class_text.methods.items():
                methods.setdefault(f"{class_text.name}.{name}", []).extend(bodies)
            for name, digest in class_text.fields.items():
                fields[f"{class_text.name}.{name}"].add(digest)
        for name, digest in archive.resources.items():
            resources.setdefault(name, digest)
    frozen = {name: tuple(bodies) for name, bodies in methods.items()}
    checksums = (
        {name: " ".join(sorted(of)) for name, of in by.items()} for by in (fields, parents, annotations)
    )
    of_fields, of_parents, of_annotations = checksums
    return Code(frozen, of_fields, sources, where, of_parents, of_annotations, resources)


def class_of(method: str) -> str:
    """Return the class of a method or field, as ``com.acme.Shop`` for ``com.acme.Shop.add``."""
    return method.rpartition(".")[0]
