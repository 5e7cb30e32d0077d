"""The jars that the store is compiled and measured with."""

from __future__ import annotations

from beds.artefacts import Artefact

POSTGRESQL_DRIVER = Artefact(
    "org.postgresql",
    "postgresql",
    "42.7.7",
    "157963d60ae66d607e09466e8c0cdf8087e9cb20d0159899ffca96bca2528460",
)
JMH = (
    Artefact(
        "org.openjdk.jmh",
        "jmh-core",
        "1.37",
        "dc0eaf2bbf0036a70b60798c785d6e03a9daf06b68b8edb0f1ba9eb3421baeb3",
    ),
    Artefact(
        "org.openjdk.jmh",
        "jmh-generator-annprocess",
        "1.37",
        "6a5604b5b804e0daca1145df1077609321687734a8b49387e49f10557c186c77",
    ),
    Artefact(
        "net.sf.jopt-simple",
        "jopt-simple",
        "5.0.4",
        "df26cc58f235f477db07f753ba5a3ab243ebe5789d9f89ecf68dd62ea9a66c28",
    ),
    Artefact(
        "org.apache.commons",
        "commons-math3",
        "3.6.1",
        "1e56d7b058d28b65abd256b8458e3885b674c1d588fa43cd7d1cbb9c7ef2b308",
    ),
)
JUNIT = Artefact(
    "org.junit.platform",
    "junit-platform-console-standalone",
    "1.11.4",
    "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc",
)
