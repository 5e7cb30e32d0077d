"""Start scripts: how a dozen well-known ones find ``java`` and read what it prints, each in a few lines.

Each is called with a class path and milliseconds, for which it starts the class Lives.
"""

from __future__ import annotations

from typing import NamedTuple

_RUN = '-cp "$1" Lives "$2"'


class Script(NamedTuple):
    """A start script.

    Attributes:
        text: for ``sh``.
        home: the variable with its home of Java; empty if it asks for none.
    """

    text: str
    home: str = "JAVA_HOME"


SCRIPTS = {
    "Spring Boot's executable jar": Script(f"""
        if [ -n "$JAVA_HOME" ] && [ -x "$JAVA_HOME/bin/java" ]; then javaexe="$JAVA_HOME/bin/java"
        elif type java >/dev/null 2>&1; then javaexe=$(command -v java)
        elif [ -x /usr/bin/java ]; then javaexe=/usr/bin/java
        else echo "Unable to find Java"; exit 1; fi
        exec "$javaexe" $JAVA_OPTS {_RUN}
    """),
    "Tomcat's `catalina.sh`": Script(
        f"""
        if [ -z "$JAVA_HOME" ] && [ -z "$JRE_HOME" ]; then
            found=$(which java 2>/dev/null)
            [ -n "$found" ] && JRE_HOME=$(dirname "$(dirname "$found")")
        fi
        [ -z "$JRE_HOME" ] && JRE_HOME=$JAVA_HOME
        [ -x "$JRE_HOME/bin/java" ] || {{ echo "JRE_HOME is not defined correctly"; exit 1; }}
        export JRE_HOME
        eval exec "\\"$JRE_HOME/bin/java\\"" $CATALINA_OPTS {_RUN}
    """,
        "JRE_HOME",
    ),
    "Kafka": Script(f"""
        if [ -z "$JAVA_HOME" ]; then JAVA=java; else JAVA=$JAVA_HOME/bin/java; fi
        major=$("$JAVA" -version 2>&1 | sed -E -n 's/.* version "([0-9]*).*$/\\1/p')
        [ "$major" -ge 9 ] && GC_LOG=-Xlog:gc=off
        exec "$JAVA" $GC_LOG $KAFKA_OPTS {_RUN}
    """),
    "Elasticsearch": Script(
        f"""
        if [ -n "$ES_JAVA_HOME" ]; then JAVA=$ES_JAVA_HOME/bin/java; else JAVA=$BUNDLED/bin/java; fi
        if [ -n "$JAVA_TOOL_OPTIONS" ]; then
            echo "warning: ignoring JAVA_TOOL_OPTIONS=$JAVA_TOOL_OPTIONS"
            unset JAVA_TOOL_OPTIONS
        fi
        "$JAVA" {_RUN}; exit $?
    """,
        "ES_JAVA_HOME",
    ),
    "Cassandra": Script(f"""
        JAVA=java
        for found in "$JAVA_HOME/bin/amd64/java" "$JAVA_HOME/bin/java"; do
            [ -n "$JAVA_HOME" ] && [ -x "$found" ] && JAVA=$found && break
        done
        version=$("$JAVA" -version 2>&1 | grep '[openjdk|java] version' | awk -F'"' 'NR==1 {{print $2}}')
        [ -n "$version" ] || {{ echo "Cassandra requires Java"; exit 1; }}
        exec "$JAVA" {_RUN}
    """),
    "Gradle's generated scripts": Script(f"""
        if [ -n "$JAVA_HOME" ]; then
            JAVACMD=$JAVA_HOME/bin/java
            [ -x "$JAVACMD" ] || {{ echo "JAVA_HOME is set to an invalid directory"; exit 1; }}
        else
            JAVACMD=java
            command -v java >/dev/null 2>&1 || {{ echo "no 'java' command could be found"; exit 1; }}
        fi
        exec "$JAVACMD" $DEFAULT_JVM_OPTS $JAVA_OPTS {_RUN}
    """),
    "Maven's generated scripts": Script(f"""
        if [ -z "$JAVACMD" ]; then
            if [ -n "$JAVA_HOME" ]; then JAVACMD=$JAVA_HOME/bin/java; else JAVACMD=$(command -v java); fi
        fi
        [ -x "$JAVACMD" ] || {{ echo "Error: JAVA_HOME is not defined correctly." 1>&2; exit 1; }}
        exec "$JAVACMD" $JAVA_OPTS {_RUN}
    """),
    "sbt": Script(f"""
        JAVA=java
        [ -n "$JAVA_HOME" ] && [ -x "$JAVA_HOME/bin/java" ] && JAVA=$JAVA_HOME/bin/java
        version=$("$JAVA" -version 2>&1 | grep -E -e 'version "' | awk -F '"' '{{print $2}}' | cut -d. -f1)
        [ "$version" -ge 8 ] || {{ echo "The java installation is not supported"; exit 1; }}
        "$JAVA" $SBT_OPTS {_RUN}; exit $?
    """),
    "WildFly": Script(f"""
        if [ -z "$JAVA" ]; then
            if [ -n "$JAVA_HOME" ]; then JAVA=$JAVA_HOME/bin/java; else JAVA=java; fi
        fi
        "$JAVA" --add-modules=java.se -version >/dev/null 2>&1 && MODULAR="--add-modules=java.se"
        "$JAVA" -version 2>&1 | grep -i -q hotspot && SERVER=-server
        eval "\\"$JAVA\\"" $MODULAR $SERVER {_RUN}; exit $?
    """),
    "Spark": Script(f"""
        if [ -n "$JAVA_HOME" ]; then RUNNER=$JAVA_HOME/bin/java; else RUNNER=$(command -v java); fi
        java=$("$RUNNER" -Xmx64m -cp "$1" Home) || exit 1
        [ -n "$JAVA_HOME" ] && java=$JAVA_HOME/bin/java
        exec "$java" {_RUN}
    """),
    "HBase": Script(f"""
        [ -n "$JAVA_HOME" ] || {{ echo "Error: JAVA_HOME is not set" >&2; exit 1; }}
        exec "$JAVA_HOME/bin/java" -XX:OnOutOfMemoryError="kill -9 %p" {_RUN}
    """),
    "scripts of stork and run-java": Script(f"""
        JAVA=java; [ -n "$JAVA_HOME" ] && JAVA=$JAVA_HOME/bin/java
        version=$("$JAVA" -version 2>&1 | head -1 | cut -d'"' -f2 | cut -d. -f1)
        [ "$version" -ge 8 ] 2>/dev/null || {{ echo "Unable to find a Java of version 8 or newer"; exit 1; }}
        exec "$JAVA" {_RUN}
    """),
}
