"""Build all that a release publishes, sign it and check it, below ``build/release/``; publish nothing.

``make release-dry-run`` calls it, and so does the workflow of a release, step by step::

    python/   wheels of buto and of the packages beside it, and buto's source archive
    runtime/  the runtime's archive
    maven/    plugins with sources and documentation, and the runtime, as a Maven repository of signed files
    sbom/     what is inside the runtime, as CycloneDX
    maven.zip, SHA256SUMS

Without a key of its own (``--key``), a dry run signs with one that it makes and throws away.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from scripts import build_runtime, dist
from scripts.version import version

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "release"
BESIDE = ("cluster", "predict", "replications")
"""Folders of the packages beside the product, which have versions of their own."""
GROUP = "io.github.buto-jvm"
PLUGINS = ("buto-maven-plugin", "buto-gradle-plugin", "buto-junit")
IN_A_POM = ("name", "description", "url", "licenses", "developers", "scm")
"""What Maven Central asks of every published POM."""
POM = "{http://maven.apache.org/POM/4.0.0}"
CHECKSUMS = (".md5", ".sha1")
TIMEOUT_S = 3600.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the named steps, or all of them."""
    steps: Mapping[str, Callable[[Path, argparse.Namespace], None]] = {
        "build": lambda out, options: build(out, options.archive),
        "sign": lambda out, options: sign(out, options.key),
        "check": lambda out, options: check(out),
    }
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"{', '.join(steps)}; without any, all")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--archive", type=Path, help="a runtime that is built already")
    parser.add_argument("--key", help="the key that signs, by its name for gpg; without it, a new one")
    options = parser.parse_args(arguments)
    unknown = set(options.steps) - set(steps)
    if unknown:
        parser.error(f"unknown step: {', '.join(sorted(unknown))}")
    for name in options.steps or steps:
        steps[name](options.out, options)
    print(f"{', '.join(options.steps or steps)}: {options.out}")
    return 0


def build(out: Path, archive: Path | None) -> None:
    """Build everything but the signatures."""
    shutil.rmtree(out, ignore_errors=True)
    (out / "runtime").mkdir(parents=True)
    wheel = dist.build(out / "python")
    for folder in BESIDE:
        run(
            [
                sys.executable,
                "-m",
                "build",
                "--wheel",
                "--no-isolation",
                "--outdir",
                out / "python",
                ROOT / folder,
            ]
        )
    if archive is None:
        with tempfile.TemporaryDirectory(prefix="buto-release-") as scratch:
            build_runtime.main(["--wheel", str(wheel), "--out", scratch])
            (archive,) = Path(scratch).glob("*.tar.gz")
            shutil.copy(archive, out / "runtime")
    else:
        shutil.copy(archive, out / "runtime")
    deploy(out)
    list_components(out)


def deploy(out: Path) -> None:
    """Build the plugins as Maven Central wants them, into a repository of files."""
    (archive,) = (out / "runtime").glob("*.tar.gz")
    machine = archive.name.removesuffix(".tar.gz").partition("-linux-")[2]
    run(
        [
            os.environ.get("MVN", "mvn"),
            "--quiet",
            "--batch-mode",
            "--file",
            ROOT / "build-plugins",
            "--activate-profiles",
            "release",
            f"-Dmaven.repo.local={ROOT / 'build-plugins' / '.m2'}",
            f"-Drevision={version()}",
            f"-Druntime.machine=linux-{machine}",
            f"-Druntime.directory={archive.parent}",
            f"-DaltDeploymentRepository=release::file://{out / 'maven'}",
            "clean",
            "deploy",
        ]
    )
    for path in (out / "maven").rglob("maven-metadata.xml*"):
        path.unlink()


def list_components(out: Path) -> None:
    """Write what is inside the runtime: its packages, its interpreter and the libraries in that."""
    (archive,) = (out / "runtime").glob("*.tar.gz")
    with tempfile.TemporaryDirectory(prefix="buto-sbom-") as scratch:
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        (runtime,) = Path(scratch).iterdir()
        python = build_runtime.interpreter(runtime)
        bill = json.loads(
            run(
                [
                    sys.executable,
                    "-m",
                    "cyclonedx_py",
                    "environment",
                    "--output-reproducible",
                    "--of",
                    "JSON",
                    python,
                ]
            )
        )
        for part in build_runtime.interpreter_parts(python):
            bill["components"].append(
                {
                    "type": "library",
                    "bom-ref": part.name,
                    "name": part.name,
                    **({"version": part.version} if part.version else {}),
                    "licenses": [{"license": {"id": part.licence}}],
                }
            )
    bill["metadata"]["component"] = {
        "type": "application",
        "bom-ref": "buto-runtime",
        "name": "buto-runtime",
        "version": version(),
        "hashes": [{"alg": "SHA-256", "content": digest(archive)}],
    }
    (out / "sbom").mkdir()
    name = f"{archive.name.removesuffix('.tar.gz')}.cdx.json"
    (out / "sbom" / name).write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")


def sign(out: Path, key: str | None) -> None:
    """Sign each file of the Maven repository, pack that, and list the digests of all."""
    with tempfile.TemporaryDirectory(prefix="buto-gpg-") as home:
        environment = dict(os.environ)
        if key is None:
            Path(home).chmod(0o700)
            environment["GNUPGHOME"] = home
            key = "dry-run@buto.invalid"
            run(
                ["gpg", "--batch", "--passphrase", "", "--quick-generate-key", key, "ed25519", "sign", "1d"],
                environment,
            )
        for path in published(out):
            signature = path.with_name(f"{path.name}.asc")
            command = ["gpg", "--batch", "--yes", "--local-user", key, "--armor", "--detach-sign"]
            run([*command, "--output", signature, path], environment)
            run(["gpg", "--batch", "--verify", signature, path], environment)
        if "GNUPGHOME" in environment and environment["GNUPGHOME"] == home:
            run(["gpgconf", "--kill", "all"], environment)
    with zipfile.ZipFile(out / "maven.zip", "w", zipfile.ZIP_STORED) as bundle:
        for path in sorted((out / "maven").rglob("*")):
            if path.is_file():
                bundle.write(path, path.relative_to(out / "maven"))
    files = [path for folder in ("python", "runtime", "sbom") for path in sorted((out / folder).iterdir())]
    lines = [f"{digest(path)}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def published(out: Path) -> Iterator[Path]:
    """Yield the files of the Maven repository that are signed."""
    for path in sorted((out / "maven").rglob("*")):
        if path.is_file() and path.suffix not in (*CHECKSUMS, ".asc"):
            yield path


def check(out: Path) -> None:
    """Check that nothing is missing, that all is of one version, and that the runtime works.

    Raises:
        SystemExit: something is wrong, with all that is.
    """
    run([sys.executable, "-m", "twine", "check", "--strict", *sorted((out / "python").iterdir())])
    faults = [*python_faults(out), *maven_faults(out), *runtime_faults(out)]
    if faults:
        raise SystemExit("\n".join(faults))
    (archive,) = (out / "runtime").glob("*.tar.gz")
    # Nothing of this checkout, and no Python: only the JVM's directory and the system's.
    path = os.pathsep.join([*{str(Path(shutil.which("java") or "java").parent), "/usr/bin", "/bin"}])
    print(run([ROOT / "scripts" / "try_runtime.sh", archive], {"PATH": path}), end="")


def python_faults(out: Path) -> Iterator[str]:
    """Yield what is wrong with the Python packages."""
    names = {path.name.partition("-")[0] for path in (out / "python").glob("*.whl")}
    for wanted in ("buto_jvm", *(f"buto_{folder}" for folder in BESIDE)):
        if wanted not in names:
            yield f"there is no wheel of {wanted}"
    for path in (out / "python").glob("buto_jvm-*"):
        if path.name.split("-")[1].removesuffix(".tar.gz") != version():
            yield f"{path.name} is not of version {version()}"


def maven_faults(out: Path) -> Iterator[str]:
    """Yield what Maven Central would refuse."""
    for path in published(out):
        for ending in (".asc", *CHECKSUMS):
            if not path.with_name(path.name + ending).is_file():
                yield f"{path.name} has no {ending}"
    place = out / "maven" / GROUP.replace(".", "/")
    for name in PLUGINS:
        for ending in (".jar", ".pom", "-sources.jar", "-javadoc.jar"):
            if not (place / name / version() / f"{name}-{version()}{ending}").is_file():
                yield f"{name} has no {ending} of version {version()}"
    for pom in (out / "maven").rglob("*.pom"):
        if "${" in pom.read_text(encoding="utf-8"):
            yield f"{pom.name} has a property without its value"
        described = ET.parse(pom).getroot()
        yield from (f"{pom.name} has no <{part}>" for part in IN_A_POM if described.find(POM + part) is None)


def runtime_faults(out: Path) -> Iterator[str]:
    """Yield what is wrong with the runtime's archive, its copy for Maven and the list of its parts."""
    (archive,) = (out / "runtime").glob("*.tar.gz")
    (deployed,) = (out / "maven").rglob("buto-runtime-*.tar.gz")
    if digest(archive) != digest(deployed):
        yield f"{deployed.name} is not the runtime that was built"
    if not re.fullmatch(rf"buto-runtime-{re.escape(version())}-linux-\w+\.tar\.gz", archive.name):
        yield f"{archive.name} is not of version {version()}"
    (bill,) = (out / "sbom").glob("*.cdx.json")
    listed = {part["name"].lower() for part in json.loads(bill.read_text(encoding="utf-8"))["components"]}
    for wanted in ("buto-jvm", "numpy", "matplotlib", "cpython", "openssl"):
        if wanted not in listed:
            yield f"{bill.name} lacks {wanted}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def run(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> str:
    """Run a command; return its standard output.

    Raises:
        SystemExit: it failed.
    """
    words = [os.fspath(word) for word in command]
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
